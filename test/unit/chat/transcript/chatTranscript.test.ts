import assert from 'node:assert/strict';
import { LogRecord } from '../../../../src/chat/common/conversation/logRecord';
import type { SessionEvent } from '../../../../src/session/common/sessionEvents';
import { event, TranscriptRecorder } from '../support/transcriptRecorder';

/** A turn as an ACP agent tells it. */
function richTurn(told: TranscriptRecorder): TranscriptRecorder {
  return told.prompt('Rename it').addEvents(
    event('content_block:start', { block_type: 'text', block_index: 0 }),
    event('content_block:delta', { block_index: 0, delta: 'I look ' }),
    event('content_block:delta', { block_index: 0, delta: 'first.' }),
    event('content_block:end', { block_index: 0 }),
    event('thinking:delta', { delta: 'Hm' }),
    event('thinking:delta', { delta: 'm' }),
    event('thinking:final', { thinking: 'Hmm' }),
    event('tool:pre', {
      tool_name: 'edit',
      operation: 'edit',
      input: {},
      call_id: 'c1',
      title: 'Edit a.ts',
      kind: 'edit',
    }),
    event('tool:update', {
      call_id: 'c1',
      content: [{ type: 'diff', path: '/ws/a.ts', old_text: 'one\n', new_text: 'two\n' }],
    }),
    event('approval:required', {
      approval_id: 'a1',
      prompt: 'Edit a.ts?',
      options: ['Yes', 'No'],
      option_kinds: ['allow_once', 'reject_once'],
      timeout: 60,
      call_id: 'c1',
      context: {
        agent: 'Claude',
        mode: 'Ask',
        content: [{ type: 'diff', path: '/ws/a.ts', old_text: 'one\n', new_text: 'two\n' }],
      },
    }),
  );
}

const end = event('prompt:complete', { response: 'I look first.\n\nDone.', stop_reason: 'end_turn' });

describe('A prompt that is on its way', () => {
  it('is not ended by the end of a turn that the agent began itself', () => {
    const done = event('prompt:complete', { response: '', stop_reason: 'end_turn' });
    const told = new TranscriptRecorder().addEvents(
      event('content_block:delta', { block_index: 0, delta: 'By the way.' }),
    );
    told.addRecords({ type: 'prompt', id: 'p', text: 'Go', attachments: [] }).addEvents(done);
    assert.equal(told.transcript.isBusy, true);
    told.addEvents(
      event('prompt:submit', { prompt: 'Go' }),
      event('content_block:delta', { block_index: 0, delta: 'Done.' }),
      done,
    );
    assert.equal(told.transcript.isBusy, false);
    assert.deepEqual(
      told.outline.filter((line) => line.startsWith('prompt')),
      ['prompt: Go'],
    );
    assert.equal(told.transcript.lastEnd?.outcome, 'completed');
    assert.equal(told.transcript.turnNumber, 1);
  });

  it('is shown after the turn of another client that began before, and stays one prompt', () => {
    const told = new TranscriptRecorder().addRecords({ type: 'prompt', id: 'p', text: 'Go', attachments: [] });
    const complete = (response: string): SessionEvent =>
      event('prompt:complete', { response, stop_reason: 'end_turn' });
    told.addEvents(event('prompt:submit', { prompt: 'Wait' }), complete('Waited.'));
    assert.deepEqual([told.transcript.isBusy, told.transcript.isStarting], [true, true]);
    told.addEvents(event('prompt:submit', { prompt: 'Go' }), complete('Gone.'));
    const said = ['prompt: Wait', 'answer: Waited.', 'end: completed', 'prompt: Go', 'answer: Gone.', 'end: completed'];
    assert.deepEqual([told.outline, told.transcript.isBusy], [said, false]);
  });

  it('is one prompt also if a stopped turn has not ended before that of another client', () => {
    const told = new TranscriptRecorder().prompt('First');
    told.addRecords({ type: 'stopped', inBackend: true }, { type: 'prompt', id: 'q', text: 'Go', attachments: [] });
    told.transcript.applyRecord({ type: 'event', at: 0, event: event('prompt:submit', { prompt: 'Wait' }) });
    const prompts = (): string[] => told.outline.filter((line) => !line.startsWith('answer'));
    assert.deepEqual(prompts(), ['prompt: First', 'end: cancelled', 'prompt: Wait']);
    told.transcript.applyRecord({
      type: 'event',
      at: 0,
      event: event('prompt:complete', { response: '', stop_reason: 'end_turn' }),
    });
    assert.deepEqual(prompts().slice(2), ['prompt: Wait', 'end: completed', 'prompt: Go']);
  });

  it('is not ended by a failure before it was accepted, or by the end of its session', () => {
    const told = new TranscriptRecorder().addRecords({ type: 'prompt', id: 'p', text: 'Go', attachments: [] });
    told.addEvents(event('error', { error: 'It broke.', code: 'backend' }), event('session:end', { reason: 'lost' }));
    assert.deepEqual([told.outline, told.transcript.isStarting], [['prompt: Go', 'notice: It broke.'], true]);
    told.addRecords({ type: 'withdrawn', id: 'p' });
    assert.deepEqual([told.outline, told.transcript.isBusy], [['notice: It broke.'], false]);
  });
});

describe('A turn without an answer', () => {
  const done = event('prompt:complete', { response: '', stop_reason: 'end_turn' });
  const text = (delta: string) => event('content_block:delta', { block_index: 0, delta });
  const kindAfter = (...events: SessionEvent[]): string | undefined => {
    const told = new TranscriptRecorder().prompt('First').addEvents(text('Answer of before.'), done);
    // All entries are looked at for it, in each turn of a log, if the turn does not know it itself.
    told.document.entriesOfTurn = () => assert.fail('the entries were searched');
    told.prompt('Go', 'p2').addEvents(...events, done);
    return told.transcript.lastEnd?.failure?.kind;
  };

  it('is known without a look at the entries', () => {
    assert.equal(kindAfter(), 'noAnswer');
    assert.equal(kindAfter(text(' \n'), text(' ')), 'noAnswer');
    assert.equal(kindAfter(event('thinking:delta', { delta: 'Hm' })), 'noAnswer');
  });

  it('is none in which the agent says or does anything', () => {
    const image = { type: 'image', mime_type: 'image/png', data: 'AA==' };
    for (const one of [
      text('Hi.'),
      event('content_block:media', { block_index: 0, content: image }),
      event('tool:pre', { tool_name: 'read', operation: 'read', input: {}, call_id: 'c' }),
      event('plan:update', { entries: [{ content: 'Step', priority: 'high', status: 'pending' }] }),
    ]) {
      assert.equal(kindAfter(one), undefined, one.event);
    }
  });

  it('may have continued after a reload, with what was said before', () => {
    const told = new TranscriptRecorder().prompt('Go').addEvents(text('Half'));
    told.addRecords({ type: 'ended', outcome: 'interrupted', text: 'Closed.' }, { type: 'resumed' });
    assert.equal(told.addEvents(done).transcript.lastEnd?.failure, undefined);
  });
});

describe('ChatTranscript of an agent that reports everything', () => {
  it('shows text, thoughts, the waiting call and its approval', () => {
    const told = richTurn(new TranscriptRecorder());
    assert.deepEqual(told.outline, [
      'prompt: Rename it',
      'answer: I look first.',
      'thinking: Hmm',
      'tool: Edit a.ts [edit, waiting]',
    ]);
    const [approval] = told.transcript.approvals.viewsAt(0);
    assert.equal(approval?.asks, 'Claude');
    assert.equal(approval.mode, 'Ask');
    assert.equal(approval.parts[0]?.type, 'diff');
    assert.equal(approval.entryId, told.entries[3]?.id);
    assert.equal(told.transcript.approvals.viewsAt(12_100)[0]?.expiresInMs, 50_000);
    assert.deepEqual(told.transcript.approvals.diffTexts('a1', 0), {
      path: '/ws/a.ts',
      before: 'one\n',
      after: 'two\n',
    });
  });

  it('continues after the answer, and does not repeat a text that came in blocks', () => {
    const told = richTurn(new TranscriptRecorder()).addEvents(
      event('approval:granted', { approval_id: 'a1', decision: 'Yes' }),
      event('tool:post', {
        tool_name: 'edit',
        operation: 'edit',
        result: { success: true },
        call_id: 'c1',
        duration_ms: 7,
      }),
      event('content_block:start', { block_type: 'text', block_index: 1 }),
      event('content_block:delta', { block_index: 1, delta: 'Done.' }),
      event('content_block:end', { block_index: 1 }),
      end,
    );
    assert.deepEqual(told.outline.slice(3), ['tool: Edit a.ts [edit, done]', 'answer: Done.', 'end: completed']);
    const tool = told.entries[3];
    assert.ok(tool?.kind === 'tool');
    assert.equal(tool.decision, 'Yes');
    assert.equal(tool.durationMs, 7);
    assert.deepEqual(told.transcript.approvals.viewsAt(0), []);
    assert.equal(told.transcript.isBusy, false);
  });

  it('measures a call without the time in which it waited for the user', () => {
    for (const decided of ['approval:granted', 'approval:denied'] as const) {
      const told = new TranscriptRecorder();
      told.addEvents(
        event('tool:pre', { tool_name: 'Bash', operation: 'bash', input: {}, call_id: 'c' }),
        event('approval:required', { approval_id: 'a', prompt: 'May I?', options: ['Yes', 'No'], call_id: 'c' }),
      );
      for (let asked = 0; asked < 50; asked++) told.addRecords({ type: 'notice', level: 'info', text: 'Waiting.' });
      told.addEvents(event(decided, { approval_id: 'a', decision: 'Yes' }));
      const call = told.entries.find((entry) => entry.kind === 'tool');
      assert.equal(told.transcript.step?.since, decided === 'approval:granted' ? call?.startedAt : undefined);
      told.addEvents(event('tool:error', { tool_name: 'Bash', operation: 'bash', error: 'No.', call_id: 'c' }));
      const ended = told.entries.find((entry) => entry.kind === 'tool');
      // From the start to the question, and from the answer to the end.
      assert.equal(ended?.durationMs, 200, decided);
    }
  });

  it('measures the duration of thoughts', () => {
    const thinking = richTurn(new TranscriptRecorder()).entries[2];
    assert.ok(thinking?.kind === 'thinking');
    assert.equal(thinking.durationMs, 200);
  });

  it('measures a turn from when the agent has its prompt, not while the user is asked whether it may start', () => {
    const told = new TranscriptRecorder();
    told.addRecords({ type: 'prompt', id: 'p', text: 'Go', attachments: [] });
    for (let asked = 0; asked < 50; asked++) told.addRecords({ type: 'notice', level: 'info', text: 'Waiting.' });
    told.addEvents(event('prompt:submit', { prompt: 'Go' }), end);
    const last = told.entries.at(-1);
    assert.ok(last?.kind === 'end');
    assert.equal(last.durationMs, 100);
  });

  it('only appends while text is streamed', () => {
    const told = new TranscriptRecorder().prompt('Go');
    told.addEvents(event('content_block:start', { block_type: 'text', block_index: 0 }));
    told.addEvents(event('content_block:delta', { block_index: 0, delta: 'a' }));
    const feed = told.document.createFeed(100);
    feed.takePatch();
    told.addEvents(event('content_block:delta', { block_index: 0, delta: 'b' }));
    told.addEvents(event('content_block:delta', { block_index: 0, delta: 'c' }));
    const patch = feed.takePatch();
    assert.equal(patch.put, undefined);
    assert.deepEqual(
      patch.append?.map(({ text }) => text),
      ['bc'],
    );
  });

  it('shows that an approval was denied, and why if nobody answered', () => {
    const denied = richTurn(new TranscriptRecorder()).addEvents(
      event('approval:denied', { approval_id: 'a1', decision: 'No' }),
    );
    assert.equal(denied.outline[3], 'tool: Edit a.ts [edit, rejected]');
    // By the server's own word, or by the listed option that was sent because nobody chose one.
    for (const decision of ['deny', 'No']) {
      const late = richTurn(new TranscriptRecorder()).addEvents(
        event('approval:denied', { approval_id: 'a1', decision, reason: 'timeout' }),
      );
      const tool = late.entries[3];
      assert.ok(tool?.kind === 'tool');
      assert.equal(tool.state, 'timedOut');
      assert.equal(tool.decision, 'Timed out before you answered.');
    }
  });

  it('removes all approvals at the end of their turn', () => {
    const told = richTurn(new TranscriptRecorder()).addEvents(event('error', { error: 'It broke.', code: 'x' }));
    assert.deepEqual(told.transcript.approvals.viewsAt(0), []);
    assert.deepEqual(told.outline.slice(3), ['tool: Edit a.ts [edit, stale]', 'end: failed']);
  });

  it('puts the calls of a subagent below its call', () => {
    const told = new TranscriptRecorder()
      .prompt('Go')
      .addEvents(
        event('tool:pre', { tool_name: 'Task', operation: 'other', input: {}, call_id: 't', kind: 'other' }),
        event('tool:pre', { tool_name: 'read', operation: 'read', input: {}, call_id: 'r', parent_call_id: 't' }),
      );
    const [, task, read] = told.entries;
    assert.ok(task?.kind === 'tool' && read?.kind === 'tool');
    assert.equal(task.toolKind, 'agent');
    assert.equal(read.parent, task.id);
  });

  it('says which calls can be stopped: while they run and their agent can, or while they wait and can be denied', () => {
    const told = new TranscriptRecorder().prompt('Go');
    const call = (call_id: string, more: object = {}) =>
      event('tool:pre', { tool_name: 'run', operation: 'run', input: {}, call_id, kind: 'execute', ...more });
    const asks = (id: string, option_kinds: ('allow_once' | 'reject_once' | 'reject_always')[]) =>
      event('approval:required', {
        approval_id: id,
        call_id: id,
        prompt: '?',
        options: option_kinds.map((_, at) => `Option ${at}`),
        option_kinds,
      });
    told.addEvents(call('a', { can_stop: true }), call('b'), call('c'), call('d', { can_stop: true }));
    told.addEvents(asks('b', ['allow_once', 'reject_once']), asks('c', ['allow_once', 'reject_always']));
    const shown = () => told.entries.flatMap((entry) => (entry.kind === 'tool' ? [entry.canStop ?? false] : []));
    assert.deepEqual(shown(), [true, true, false, true]);
    const entryId = told.entries[2]?.id ?? '';
    assert.deepEqual(told.transcript.approvals.denialOf(entryId)?.option, 'Option 1');
    assert.equal(told.transcript.toolEntries.callIdOf(entryId), 'b');
    told.addEvents(
      event('tool:update', { call_id: 'a', can_stop: false }),
      event('tool:update', { call_id: 'd', title: 'D' }),
    );
    told.addEvents(event('approval:denied', { approval_id: 'b', decision: 'Option 1' }));
    assert.deepEqual(shown(), [false, false, false, true]);
    told.addEvents(event('prompt:complete', { response: '' }));
    assert.deepEqual(shown(), [false, false, false, false]);
  });

  it('names the subagent that asks, in few words that cannot be taken for the request', () => {
    const told = new TranscriptRecorder().prompt('Go');
    const subagent = `Finder”\nRequest: “allow\u200b ${'x'.repeat(200)}`;
    const asked = { approval_id: 'a', prompt: '?', options: ['Yes', 'No'], context: { subagent } };
    told.addEvents(event('approval:required', asked));
    const name = told.transcript.approvals.viewsAt(0)[0]?.subagent ?? '';
    assert.match(name, /^Finder' Request: 'allow\[U\+200B\] x+…$/);
    assert.equal(name.length, 60);
  });

  it('computes the cost of a turn from running totals', () => {
    const told = new TranscriptRecorder();
    const cost = (amount: number) => ({ used: 10, size: 100, cost: { amount, currency: 'USD' } });
    told.prompt('One').addEvents(event('usage:update', cost(0.5)), event('prompt:complete', { response: '' }));
    told.prompt('Two').addEvents(event('usage:update', cost(0.75)), event('prompt:complete', { response: '' }));
    assert.deepEqual(told.transcript.lastEnd?.usage, { cost: { amount: 0.25, currency: 'USD' } });
    assert.deepEqual(told.transcript.session.usage.context, { used: 10, size: 100 });
    // The agent was started again, and counts from the beginning.
    told.prompt('Three').addEvents(event('usage:update', cost(0.1)), event('prompt:complete', { response: '' }));
    assert.deepEqual(told.transcript.session.usage.spent, { amount: 0.85, currency: 'USD' });
  });
});

describe('ChatTranscript of an Amplifier server without extensions', () => {
  it('matches results with calls that have no ids', () => {
    const told = new TranscriptRecorder().prompt('Go').addEvents(
      event('content_block:delta', { block_index: 0, delta: 'Look.' }),
      event('tool:pre', { tool_name: 'bash', operation: 'bash', input: { command: 'ls' } }),
      event('tool:pre', { tool_name: 'read_file', operation: 'read_file', input: { path: 'a.txt' } }),
      event('tool:post', {
        tool_name: 'bash',
        operation: 'bash',
        result: { success: true, output: { stdout: 'a.txt\n', exit_code: 0 } },
      }),
      event('tool:error', { tool_name: 'read_file', operation: 'read_file', error: 'No such file' }),
      event('content_block:delta', { block_index: 0, delta: 'Seen.' }),
      event('prompt:complete', { response: 'Seen.', token_usage: { input_tokens: 5, output_tokens: 2 } }),
    );
    assert.deepEqual(told.outline, [
      'prompt: Go',
      'answer: Look.',
      'tool: bash: ls [execute, done]',
      'tool: read_file: a.txt [read, failed]',
      'answer: Seen.',
      'end: completed',
    ]);
    const bash = told.entries[2];
    assert.ok(bash?.kind === 'tool');
    assert.deepEqual(bash.parts, [{ type: 'terminal', output: 'a.txt\n', command: 'ls', exitCode: 0 }]);
    assert.deepEqual(told.transcript.session.usage.total, { input: 5, output: 2 });
  });

  it('uses the final response if no text was streamed, and complete thoughts', () => {
    const told = new TranscriptRecorder()
      .prompt('Go')
      .addEvents(
        event('thinking:final', { thinking: 'All at once' }),
        event('prompt:complete', { response: 'Only here.' }),
      );
    assert.deepEqual(told.outline, ['prompt: Go', 'thinking: All at once', 'answer: Only here.', 'end: completed']);
  });

  it('shows the waiting call of an approval that does not name its call', () => {
    const told = new TranscriptRecorder().prompt('Go').addEvents(
      event('tool:pre', { tool_name: 'bash', operation: 'bash', input: { command: 'rm -r x' } }),
      event('approval:required', {
        approval_id: 'x',
        prompt: 'Allow running: command',
        options: ['AlwaysAllow', 'Allow', 'Deny'],
        context: {},
      }),
    );
    const [approval] = told.transcript.approvals.viewsAt(0);
    assert.deepEqual(approval?.parts, [{ type: 'terminal', command: 'rm -r x', output: '' }]);
    assert.deepEqual(
      approval.options.map(({ kind }) => kind),
      ['allow_always', 'allow_once', 'reject_once'],
    );
  });

  it('determines the outcome of an approval from its decision, not from the name of its event', () => {
    const told = new TranscriptRecorder()
      .prompt('Go')
      .addEvents(
        event('tool:pre', { tool_name: 'bash', operation: 'bash', input: { command: 'ls' } }),
        event('approval:required', { approval_id: 'x', prompt: 'Run?', options: ['Allow', 'Deny'] }),
        event('approval:granted', { approval_id: 'x', decision: 'Deny' }),
      );
    assert.equal(told.outline[1], 'tool: bash: ls [execute, rejected]');
  });

  it('shows a replayed history without times', () => {
    const told = new TranscriptRecorder().addEvents(
      event('prompt:submit', { prompt: 'Old', replayed: true }),
      event('content_block:delta', { block_index: 0, delta: 'Then.' }),
      event('prompt:complete', { response: 'Then.' }),
    );
    assert.deepEqual(told.outline, ['prompt: Old', 'answer: Then.', 'end: completed']);
    assert.deepEqual(
      told.entries.map(({ at }) => at),
      [undefined, undefined, undefined],
    );
  });
});

describe('ChatTranscript: the end of a turn', () => {
  const open = () =>
    new TranscriptRecorder().prompt('Go').addEvents(event('content_block:delta', { block_index: 0, delta: 'Half' }));

  it('is shown immediately when the user stops it, and only once', () => {
    const told = open().addRecords({ type: 'stopped', inBackend: true });
    assert.equal(told.transcript.isBusy, false);
    told.addEvents(
      event('content_block:delta', { block_index: 0, delta: ' late' }),
      event('prompt:complete', { response: 'Half late', stop_reason: 'cancelled' }),
    );
    assert.deepEqual(told.outline, ['prompt: Go', 'answer: Half', 'end: cancelled']);
    assert.equal(told.transcript.isStopping, false);
  });

  it('is not needed by a late update of a call of an earlier turn, which begins none', () => {
    const told = richTurn(new TranscriptRecorder()).addEvents(end);
    const entries = told.entries.length;
    told.addEvents(event('tool:update', { call_id: 'c1', title: 'Edit a.ts (late)' }));
    told.addEvents(event('session:end', { reason: 'lost' }));
    assert.deepEqual([told.entries.length, told.transcript.lastEnd?.outcome], [entries, 'completed']);
  });

  it('is not caused by the late end of the previous turn', () => {
    const told = open().addRecords(
      { type: 'stopped', inBackend: true },
      { type: 'prompt', id: 'q', text: 'Next', attachments: [] },
    );
    told.addEvents(event('prompt:complete', { response: 'Half', stop_reason: 'cancelled' }));
    assert.equal(told.transcript.isBusy, true);
    told.addEvents(event('prompt:submit', { prompt: 'Next' }), event('prompt:complete', { response: 'Yes.' }));
    assert.deepEqual(told.outline.slice(3), ['prompt: Next', 'answer: Yes.', 'end: completed']);
  });

  it('leaves nothing behind if the prompt was not accepted', () => {
    const told = new TranscriptRecorder().addRecords(
      { type: 'prompt', id: 'p', text: 'Go', attachments: [] },
      { type: 'withdrawn', id: 'p' },
    );
    assert.deepEqual(told.outline, []);
    assert.equal(told.transcript.isBusy, false);
    assert.deepEqual(told.transcript.prompts, []);
  });

  it('keeps the text of an interrupted turn, and continues a turn that was not interrupted', () => {
    const told = open().addRecords({ type: 'ended', outcome: 'interrupted', text: 'Gone.' });
    assert.deepEqual(told.outline.slice(1), ['answer: Half', 'end: interrupted']);
    told.addRecords({ type: 'resumed' }).addEvents(event('prompt:complete', { response: 'Half and half' }));
    assert.deepEqual(told.outline.slice(1), ['answer: Half', 'answer:  and half', 'end: completed']);
  });

  it('tells what to do about each other outcome', () => {
    const outcomes = (['refusal', 'max_tokens', 'max_turn_requests', 'interrupted'] as const).map((stop_reason) => {
      const told = open().addEvents(event('prompt:complete', { response: 'Half', stop_reason }));
      assert.ok(told.transcript.lastEnd?.text, stop_reason);
      return told.transcript.lastEnd.outcome;
    });
    assert.deepEqual(outcomes, ['refused', 'limit', 'limit', 'interrupted']);
  });

  it('does not show a pending approval as denied, or a call as failed, when the agent dies', () => {
    const call = { tool_name: 'edit', operation: 'edit', call_id: 'e' };
    const lost = { ...call, error: 'The turn failed.', unfinished: true };
    const asked = event('approval:required', { approval_id: 'q', prompt: 'Edit?', options: ['Yes'], call_id: 'e' });
    const begun = () => open().addEvents(event('tool:pre', { ...call, input: {} }));
    const tool = (told: TranscriptRecorder) => told.entries.find((entry) => entry.kind === 'tool');
    // The second is what earlier versions kept.
    for (const reason of ['The request was withdrawn.', 'The question was withdrawn.']) {
      const taken = { approval_id: 'q', decision: 'deny', reason };
      const waiting = begun().addEvents(asked, event('approval:denied', taken), event('tool:error', lost));
      assert.equal(tool(waiting)?.state, 'stale', reason);
    }
    const allowed = begun().addEvents(asked, event('approval:granted', { approval_id: 'q', decision: 'Yes' }));
    assert.equal(tool(allowed.addEvents(event('tool:error', lost)))?.state, 'stale');
    const failed = begun().addEvents(event('tool:error', { ...call, error: 'No such file.' }));
    assert.equal(tool(failed)?.state, 'failed');
  });

  it('marks a change of an older turn once a newer turn writes the same file', () => {
    const change = { path: '/ws/a', change: 'modified', added: 1, removed: 0, state: 'applied' } as const;
    const told = open().addEvents(event('prompt:complete', { response: 'One' }));
    told.addRecords({ type: 'changed', turn: 1, changes: [change, { ...change, path: '/ws/b' }] });
    told.prompt('Again', 'p2').addEvents(event('prompt:complete', { response: 'Two' }));
    told.addRecords({ type: 'changed', turn: 2, changes: [change] });
    const states = told.entries.flatMap((entry) =>
      entry.kind === 'end' ? [(entry.changes ?? []).map(({ state }) => state)] : [],
    );
    assert.deepEqual(states, [['changedSince', 'applied'], ['applied']]);
  });

  it('shows the changes of the turn and what became of them', () => {
    const told = open().addEvents(event('prompt:complete', { response: 'Half' }));
    const change = { path: '/ws/a', change: 'modified', added: 1, removed: 0, state: 'applied' } as const;
    told.addRecords({ type: 'changed', turn: 1, changes: [change] });
    assert.deepEqual(told.transcript.lastEnd?.changes, [change]);
    told.addRecords({ type: 'fileDecided', path: '/ws/a', decision: 'reverted' });
    assert.equal(told.transcript.lastEnd.changes[0]?.state, 'reverted');
  });
});

describe('ChatTranscript read again from records', () => {
  it('equals the live transcript, including ids', () => {
    const first = richTurn(new TranscriptRecorder()).addEvents(end);
    const again = new TranscriptRecorder();
    for (const record of first.records)
      again.transcript.applyRecord(LogRecord.parse(JSON.parse(JSON.stringify(record))));
    assert.deepEqual(again.entries, first.entries);
  });

  it('keeps the full version of truncated entries', () => {
    const long = 'x'.repeat(100_000);
    const told = new TranscriptRecorder()
      .prompt('Go')
      .addEvents(
        event('tool:pre', { tool_name: 'bash', operation: 'bash', input: { command: 'ls' } }),
        event('tool:post', { tool_name: 'bash', operation: 'bash', result: { success: true, output: long } }),
      );
    const tool = told.entries[1];
    assert.ok(tool?.kind === 'tool' && tool.parts[0]?.type === 'terminal');
    assert.equal(tool.parts[0].output.length + (tool.parts[0].omitted ?? 0), long.length);
    const whole = told.transcript.writer.fullContent(tool.id);
    assert.ok(whole?.kind === 'tool' && whole.parts[0]?.type === 'terminal');
    assert.equal(whole.parts[0].output, long);
  });
});
