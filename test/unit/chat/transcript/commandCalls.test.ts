import assert from 'node:assert/strict';
import type { SessionEvent, ToolContent } from '../../../../src/session/common/sessionEvents';
import type { EntryOf } from '../../../../src/transcript/common/entries';
import { event, TranscriptRecorder } from '../support/transcriptRecorder';

const output = '\u001b[31mred\u001b[0m\n  indented\n';
const call = { tool_name: 'execute', operation: 'execute', call_id: 'c', kind: 'execute' } as const;
const text = (words: string): ToolContent => ({ type: 'text', text: words });

function toolOf(told: TranscriptRecorder): EntryOf<'tool'> {
  const found = told.entries.find((entry) => entry.kind === 'tool');
  assert.ok(found?.kind === 'tool');
  return found;
}

/** The call as the chat shows it: while it is told, from its log, and from a history that the agent tells again. */
function shownIn(...events: SessionEvent[]): EntryOf<'tool'>[] {
  const live = new TranscriptRecorder().prompt('Go').addEvents(...events);
  const reloaded = new TranscriptRecorder().addRecords(...live.records);
  const replayed = new TranscriptRecorder().addEvents(
    event('prompt:submit', { prompt: 'Go', replayed: true }),
    ...events,
  );
  return [live, reloaded, replayed].map(toolOf);
}

describe('Command output that an agent sends as text', () => {
  const input = { command: 'ls', description: 'List files' };

  it('is shown as a terminal: live, from the log and from the replayed history', () => {
    const post = event('tool:post', { ...call, result: { success: true }, content: [text(output)] });
    for (const { parts } of shownIn(event('tool:pre', { ...call, input }), post)) {
      assert.deepEqual(parts, [{ type: 'terminal', command: 'ls', output }]);
    }
  });

  it('is shown as a terminal while it grows and after it failed', () => {
    const update = event('tool:update', { call_id: 'c', content: [text('one\ntwo')] });
    const failed = event('tool:error', { ...call, error: 'one\ntwo', content: [text('one\ntwo')] });
    for (const last of [update, failed]) {
      for (const { parts, error } of shownIn(event('tool:pre', { ...call, input }), last)) {
        assert.deepEqual(parts, [{ type: 'terminal', command: 'ls', output: 'one\ntwo' }]);
        assert.equal(error, undefined, 'what the terminal shows is not said again');
      }
    }
  });

  it('loses an enclosing code fence, and consecutive pieces are joined', () => {
    const contents: [ToolContent[], string][] = [
      [[text('```console\none\ntwo\n```')], 'one\ntwo'],
      [[text('````\n```\nin a fence\n```\n````\n')], '```\nin a fence\n```'],
      [[text('see\n```\nno output\n```')], 'see\n```\nno output\n```'],
      [[text('one\n'), text('two'), text('three')], 'one\ntwo\nthree'],
    ];
    for (const [content, expected] of contents) {
      const [{ parts } = assert.fail()] = shownIn(event('tool:pre', { ...call, input, content }));
      assert.deepEqual(parts, [{ type: 'terminal', command: 'ls', output: expected }]);
    }
  });

  it('shows the exit code found in the result', () => {
    const outputs = [{ exitCode: 3 }, { exit_code: 3 }, { metadata: { exit: 3 } }, { contents: [{ exitCode: 3 }] }];
    for (const result of outputs) {
      const post = event('tool:post', { ...call, result: { success: true, output: result }, content: [text('no')] });
      const [{ parts } = assert.fail()] = shownIn(event('tool:pre', { ...call, input }), post);
      assert.deepEqual(parts, [{ type: 'terminal', command: 'ls', output: 'no', exitCode: 3 }]);
    }
  });

  it('does not include descriptions of the call, text next to a terminal, or text of other calls', () => {
    const about = [text('List files')];
    const terminal = { type: 'terminal', terminal_id: 't', output: 'a' } as const;
    const [{ parts: first } = assert.fail()] = shownIn(event('tool:pre', { ...call, input, content: about }));
    assert.deepEqual(first, [{ type: 'text', text: 'List files' }]);
    const [{ parts: beside } = assert.fail()] = shownIn(
      event('tool:pre', { ...call, input, content: [terminal, text('Done.')] }),
    );
    assert.deepEqual(
      beside.map(({ type }) => type),
      ['terminal', 'text'],
    );
    const fetched = event('tool:pre', { ...call, kind: 'fetch', input: {}, content: [text('# Page')] });
    assert.deepEqual(shownIn(fetched)[0]?.parts, [{ type: 'text', text: '# Page' }]);
  });

  it('is not the only verbatim text: files and matches are not Markdown unless they are fenced', () => {
    for (const kind of ['read', 'search'] as const) {
      const told = (words: string) =>
        shownIn(event('tool:pre', { ...call, kind, input: {}, content: [text(words)] }))[0]?.parts;
      assert.deepEqual(told('a.ts\nb.ts'), [{ type: 'text', text: 'a.ts\nb.ts', plain: true }]);
      assert.deepEqual(told('```ts\na\n```'), [{ type: 'text', text: '```ts\na\n```' }]);
    }
  });
});

describe('The card of a command', () => {
  const titleOf = (title: string, input: Record<string, unknown>): string | undefined =>
    shownIn(event('tool:pre', { ...call, title, input }))[0]?.title;

  it('shows the command even if the title only describes its purpose', () => {
    assert.equal(titleOf('Echo and list', { command: 'echo a; ls' }), 'echo a; ls (Echo and list)');
    assert.equal(titleOf('Build', { command: 'npm ci\nnpm run build' }), 'npm ci (Build)');
    assert.equal(titleOf('`npm test`', { command: 'npm test' }), 'npm test');
    assert.equal(titleOf('Read `a.ts` and ``b.ts``, not `', {}), 'Read a.ts and b.ts, not `');
    assert.equal(titleOf('echo `date`', { command: 'echo `date`' }), 'echo `date`');
    assert.equal(titleOf('npm run build && npm…', { command: 'npm run build && npm test' }), 'npm run build && npm…');
    assert.equal(titleOf('Run git status', { command: 'git', args: ['status'] }), 'Run git status');
    assert.equal(titleOf('Echo', {}), 'Echo');
  });

  it('shows the arguments in every form that agents use', () => {
    const commandsOf = (input: Record<string, unknown>) =>
      shownIn(event('tool:pre', { ...call, input }))[0]?.parts.map((part) => part.type === 'terminal' && part.command);
    assert.deepEqual(commandsOf({ command: 'git', args: ['commit', '-m', 'two words'] }), [
      "git commit -m 'two words'",
    ]);
    assert.deepEqual(commandsOf({ command: ['git', 'status'] }), ['git status']);
    assert.deepEqual(commandsOf({ command: 'cd a && ls' }), ['cd a && ls']);
  });

  it('shows only once that the command failed', () => {
    const content: ToolContent[] = [{ type: 'terminal', terminal_id: 't', output: 'fatal', exit_code: 128 }];
    const failed = (error: string) =>
      shownIn(event('tool:pre', { ...call, input: {} }), event('tool:error', { ...call, error, content }))[0]?.error;
    assert.equal(failed('The command ended with exit code 128.'), undefined);
    assert.equal(failed('fatal'), undefined);
    assert.equal(failed('The command ended with exit code 1.'), 'The command ended with exit code 1.');
    assert.equal(failed('No space left on device'), 'No space left on device');
  });
});

describe('A call reported between turns', () => {
  const late = (outcome: 'completed' | 'cancelled') => {
    const told = new TranscriptRecorder().prompt('Go');
    if (outcome === 'cancelled') told.addRecords({ type: 'stopped', inBackend: true }, { type: 'settled' });
    else told.addEvents(event('prompt:complete', { response: '' }));
    return told.addEvents(event('tool:pre', { ...call, input: { command: 'ls' } }));
  };
  const stateOf = (told: TranscriptRecorder) => toolOf(told).state;

  it('is not shown as running', () => {
    assert.equal(stateOf(late('completed')), 'stale');
    assert.equal(stateOf(late('cancelled')), 'cancelled');
    const update = event('tool:update', { call_id: 'c', status: 'in_progress' });
    assert.equal(stateOf(late('completed').addEvents(update)), 'stale');
  });

  it('is done or failed once its agent reports it', () => {
    const post = event('tool:post', { ...call, result: { success: true } });
    assert.equal(stateOf(late('completed').addEvents(post)), 'done');
    assert.equal(stateOf(late('cancelled').addEvents(post)), 'done');
    assert.equal(stateOf(late('completed').addEvents(event('tool:error', { ...call, error: 'No.' }))), 'failed');
    const update = event('tool:update', { call_id: 'c', status: 'completed' });
    assert.equal(stateOf(late('completed').addEvents(update)), 'done');
  });

  it('waits for the user when it needs an approval', () => {
    const options = ['Yes', 'No'];
    const asked = event('approval:required', { approval_id: 'a', prompt: 'May I?', options, call_id: 'c' });
    const told = late('completed').addEvents(asked);
    assert.equal(stateOf(told), 'waiting');
    assert.equal(stateOf(told.addEvents(event('approval:granted', { approval_id: 'a', decision: 'Yes' }))), 'stale');
  });

  it('runs again if it belongs to the next turn or to a resumed one', () => {
    const pre = event('tool:pre', { ...call, call_id: 'd', input: {} });
    const next = late('completed').prompt('Next', 'q').addEvents(pre);
    assert.equal(next.entries.filter((entry) => entry.kind === 'tool' && entry.state === 'running').length, 1);
    const resumed = new TranscriptRecorder()
      .prompt('Go')
      .addRecords({ type: 'ended', outcome: 'interrupted', text: '' });
    assert.equal(stateOf(resumed.addRecords({ type: 'resumed' }).addEvents(pre)), 'running');
  });
});
