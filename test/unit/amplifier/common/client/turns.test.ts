import assert from 'node:assert/strict';
import { AmplifierApiError } from '../../../../../src/amplifier/common/api/apiErrors';
import { SessionStatus } from '../../../../../src/amplifier/common/api/apiSchema';
import { isBackendError } from '../../../../../src/session/common/sessionBackend';
import { isAwaitingApproval } from '../../../../../src/amplifier/common/client/approvalTable';
import { isTurnOpenOrPosting, turnOf } from '../../../../../src/amplifier/common/client/clientState';
import { SessionWorld } from './sessionWorld';

describe('turns of a session of an Amplifier server', () => {
  let world: SessionWorld;

  beforeEach(() => {
    world = new SessionWorld();
  });

  const say = (event: string, data: Record<string, unknown> = {}): void => world.say(event, data);
  const begin = (): void => world.begin();
  const names = (): string[] => world.names;
  const of = (name: string): Record<string, unknown>[] =>
    world.told.filter(({ event }) => event === name).map(({ data }) => data);
  /** What is sent for approvals, by their ids. */
  const answers = (): Record<string, unknown>[] => world.made('answer').map(({ body }) => body);
  const approve = (id: string, option: string): number => world.call((call) => ({ kind: 'approve', call, id, option }));
  const text = (): string =>
    of('content_block:delta')
      .map(({ delta }) => delta)
      .join('');
  const delta = (value: string, block_index = 0): void => say('content_block:delta', { delta: value, block_index });

  it('are not ended, and their approvals not withdrawn, by a history that is replayed in the middle of an own turn', () => {
    begin();
    say('approval:required', { approval_id: 'a1', prompt: 'May I?', options: ['Allow', 'Deny'] });
    say('prompt:submit', { prompt: 'of yesterday', replayed: true });
    assert.equal(of('prompt:submit').length, 1);
    assert.equal(isTurnOpenOrPosting(world.state), true);
    assert.equal(isAwaitingApproval(world.state), true);
    assert.deepEqual(of('approval:denied'), []);
  });

  describe('the text', () => {
    for (const [what, deltas, response, expected] of [
      ['only a response', [], 'All of it', 'All of it'],
      ['deltas and the same response', ['All ', 'of it'], 'All of it', 'All of it'],
      ['deltas and a response that was trimmed', ['\nAll of it\n'], 'All of it', '\nAll of it\n'],
      [
        'deltas and a response with other white space',
        ['A\n\n', '```\n  b\n```\n'],
        'A ``` b ```',
        'A\n\n```\n  b\n```\n',
      ],
      ['deltas that stop early and a response with other white space', ['A\n\n', 'b '], 'A b c d', 'A\n\nb c d'],
      ['deltas that stop early', ['All '], 'All of it', 'All of it'],
      ['deltas and no response', ['All'], '', 'All'],
      ['a response that is another text', ['partial'], '\nError: no key', 'partial\nError: no key'],
    ] as const) {
      it(`is right with ${what}`, () => {
        begin();
        for (const value of deltas) delta(value);
        say('prompt:complete', { response });
        assert.equal(text(), expected);
        assert.equal(of('content_block:start').length, of('content_block:end').length);
      });
    }

    it('is not repeated when the response is that of the last step', () => {
      begin();
      delta('I look. ');
      say('tool:pre', { tool_name: 't', operation: 't', input: {} });
      say('tool:post', { tool_name: 't', operation: 't', result: { success: true } });
      delta('Found it.');
      say('prompt:complete', { response: 'Found it.' });
      assert.equal(text(), 'I look. Found it.');
      assert.deepEqual(
        of('content_block:start').map(({ block_index }) => block_index),
        [0, 1],
      );
    });

    it('gets the missing tail of the last step', () => {
      begin();
      delta('I look. ');
      say('tool:pre', { tool_name: 't', operation: 't', input: {} });
      delta('Found');
      say('prompt:complete', { response: 'Found it.' });
      assert.equal(text(), 'I look. Found it.');
    });

    it('keeps announced blocks as they are announced, also beside thinking', () => {
      begin();
      say('content_block:start', { block_type: 'text', block_index: 0 });
      delta('a');
      say('thinking:delta', { delta: 'hm' });
      delta('b');
      say('content_block:end', { block_index: 0 });
      say('content_block:start', { block_type: 'text', block_index: 1 });
      delta('c', 1);
      say('content_block:end', { block_index: 1 });
      say('prompt:complete', { response: 'abc' });
      assert.deepEqual(
        names().filter((name) => name.startsWith('content')),
        [
          'content_block:start',
          'content_block:delta',
          'content_block:delta',
          'content_block:end',
          'content_block:start',
          'content_block:delta',
          'content_block:end',
        ],
      );
    });
  });

  it('closes thinking that comes in one lump', () => {
    begin();
    say('thinking:delta', { delta: 'all of ' });
    say('thinking:delta', { delta: 'it' });
    delta('x');
    assert.deepEqual(of('thinking:final'), [{ session_id: 's', thinking: 'all of it' }]);
  });

  it('does not close thinking twice', () => {
    begin();
    say('thinking:delta', { delta: 'a' });
    say('thinking:final', { thinking: 'a' });
    say('prompt:complete', { response: 'x' });
    assert.equal(of('thinking:final').length, 1);
  });

  describe('tools', () => {
    const pre = (name: string): void => say('tool:pre', { tool_name: name, operation: name, input: {} });
    const post = (name: string): void =>
      say('tool:post', { tool_name: name, operation: name, result: { success: true } });

    it('are paired by name, the oldest first', () => {
      begin();
      pre('a');
      pre('b');
      pre('a');
      post('a');
      post('b');
      post('a');
      const calls = of('tool:pre').map(({ call_id }) => call_id);
      assert.equal(new Set(calls).size, 3);
      assert.deepEqual(
        of('tool:post').map(({ call_id }) => call_id),
        calls,
      );
    });

    it('keep the ids that a server gives', () => {
      begin();
      say('tool:pre', { tool_name: 'a', operation: 'a', input: {}, call_id: 'x' });
      say('tool:pre', { tool_name: 'a', operation: 'a', input: {}, call_id: 'y' });
      say('tool:post', { tool_name: 'a', operation: 'a', result: { success: true }, call_id: 'y' });
      assert.equal(of('tool:post')[0]?.['call_id'], 'y');
    });

    it('get a beginning when it was lost, and an end when none comes', () => {
      begin();
      post('lost');
      pre('missing tool');
      say('prompt:complete', { response: 'x' });
      assert.deepEqual(
        names().filter((name) => name.startsWith('tool')),
        ['tool:pre', 'tool:post', 'tool:pre', 'tool:error'],
      );
      assert.equal(of('tool:error')[0]?.['unfinished'], true);
    });

    it('that ran in spite of a denial are told as an error', () => {
      begin();
      pre('bash');
      say('approval:required', { approval_id: 'a', prompt: 'p', options: ['Allow', 'Deny'] });
      say('approval:denied', { approval_id: 'a', decision: 'deny', reason: 'timeout' });
      post('bash');
      assert.equal(of('notice')[0]?.['level'], 'error');
    });
  });

  describe('approvals', () => {
    const kinds = ['allow_once', 'reject_once'];
    const required = (prompt = 'p', approval_id = 'a'): void =>
      say('approval:required', { approval_id, prompt, options: ['Allow', 'Deny'], timeout: 300 });

    for (const [event, decision, expected] of [
      ['approval:granted', 'Deny', 'approval:denied'],
      ['approval:granted', 'deny', 'approval:denied'],
      ['approval:granted', 'Allow', 'approval:granted'],
      ['approval:denied', 'Allow', 'approval:granted'],
      ['approval:denied', 'Deny', 'approval:denied'],
      ['approval:denied', '', 'approval:denied'],
    ] as const) {
      it(`counts ${event} with "${decision}" as ${expected}`, () => {
        begin();
        required();
        say(event, { approval_id: 'a', decision });
        assert.equal(names().at(-1), expected);
        assert.equal(isAwaitingApproval(world.state), false);
      });
    }

    it('are emitted once although both POST and the stream report them', () => {
      begin();
      required();
      approve('a', 'Deny');
      say('approval:denied', { approval_id: 'a', decision: 'Deny' });
      world.answered();
      assert.equal(of('approval:denied').length, 1);
    });

    it('are rebuilt from the status once, also when their event comes after it', () => {
      begin();
      const pending = { approval_id: 'a', prompt: 'p', options: ['Allow', 'Deny'], timeout: 135 };
      world.connect();
      const tellPending = (): void => {
        const last_activity = new Date(world.timeMs).toISOString();
        world.answerStatus('check', 'awaiting_approval', { pending_approval: pending, last_activity });
      };
      tellPending();
      world.send({ kind: 'lostApproval' });
      tellPending();
      required();
      assert.equal(of('approval:required').length, 1);
      assert.equal(of('approval:required')[0]?.['timeout'], 121.5);
      say('approval:granted', { approval_id: 'a', decision: 'Allow' });
      required('another');
      assert.deepEqual(
        of('approval:required').map(({ approval_id }) => approval_id),
        ['a', 'a#2'],
      );
    });

    it('end with their turn', () => {
      begin();
      required();
      say('prompt:complete', { response: 'x' });
      assert.equal(of('approval:denied')[0]?.['reason'], 'turn_ended');
      assert.deepEqual(answers(), [], 'the server says that nothing waits');
    });

    for (const [what, end] of [
      ['is interrupted here', () => world.send({ kind: 'dispose' })],
      [
        'fails here',
        () => world.send({ kind: 'streamFailed', error: new AmplifierApiError('UNAUTHORIZED', 'no', 401) }),
      ],
      ['fails on the server', () => say('error', { error: 'x' })],
      ['ends with its session', () => say('session:end', { reason: 'user_stopped' })],
      ['is followed by another', () => say('prompt:submit', { prompt: 'from another window' })],
    ] as const) {
      it(`are denied when their turn ${what}`, () => {
        begin();
        required();
        end();
        assert.deepEqual(answers(), [{ decision: 'Deny' }]);
        assert.equal(of('approval:denied')[0]?.['reason'], 'turn_ended');
        assert.equal(isAwaitingApproval(world.state), false);
      });
    }

    it('are named in the answer when there are several, or the server is one that reads it', () => {
      begin();
      required();
      required('q', 'b');
      approve('b', 'Deny');
      assert.deepEqual(answers().at(-1), { decision: 'Deny', approval_id: 'b' });
      world.answered(new Error('lost'));
      say('approval:granted', { approval_id: 'a', decision: 'Allow' });
      approve('b', 'Deny');
      assert.deepEqual(answers().at(-1), { decision: 'Deny' });
      world.answered();
      say('approval:required', { approval_id: 'c', prompt: 'p', options: ['A', 'No'], option_kinds: kinds });
      say('error', { error: 'x' });
      assert.deepEqual(answers().at(-1), { decision: 'No', approval_id: 'c' }, 'also once it was left');
    });

    for (const [what, id, waiting, expected] of [
      ['it is the one that waits', 'a', { approval_id: 'a', prompt: 'p' }, undefined],
      ['an older one waits', 'b', { approval_id: 'a', prompt: 'p' }, 'busy'],
      ['one that nobody has seen waits', 'b', { approval_id: 'x', prompt: 'q' }, 'approvalResolved'],
      ['its words are others', 'a', { approval_id: 'a', prompt: 'another' }, 'approvalResolved'],
      ['an older one waits, and the server reads its id', 'c', { approval_id: 'a', prompt: 'p' }, undefined],
    ] as const) {
      it(`may be allowed, or not, when ${what}`, () => {
        begin();
        required();
        required('q', 'b');
        say('approval:required', { approval_id: 'c', prompt: 'p', options: ['Allow', 'No'], option_kinds: kinds });
        const call = approve(id, 'Allow');
        assert.deepEqual(answers(), [], 'the server is asked first');
        world.answerStatus('allowance', 'awaiting_approval', { pending_approval: { ...waiting, options: [] } });
        const error = world.settled.get(call);
        assert.equal(isBackendError(error) ? error.code : undefined, expected);
        assert.equal(answers().length, expected === undefined ? 1 : 0);
      });
    }

    it('name no tool when it could be one of two', () => {
      begin();
      say('tool:pre', { tool_name: 'a', operation: 'a', input: {} });
      say('tool:pre', { tool_name: 'b', operation: 'b', input: {} });
      required();
      assert.equal(of('approval:required')[0]?.['call_id'], undefined);
    });
  });

  describe('their order', () => {
    it('is the same when events overtake the answer to the prompt', () => {
      world.post('shown text', 'wire text');
      say('prompt:submit', { prompt: 'wire text' });
      delta('x');
      say('prompt:complete', { response: 'x' });
      world.take();
      assert.equal(names().filter((name) => name === 'prompt:submit').length, 1);
      assert.equal(of('prompt:submit')[0]?.['prompt'], 'shown text');
      assert.equal(isTurnOpenOrPosting(world.state), false);
    });

    it('has one prompt though both POST and stream tell of it, and two for two turns', () => {
      begin();
      say('prompt:complete', { response: 'x' });
      begin();
      assert.equal(of('prompt:submit').length, 2);
    });

    it('has two turns when the server tells the same prompt once more', () => {
      begin();
      say('prompt:submit', { prompt: 'go' });
      assert.equal(of('prompt:submit').length, 2);
      assert.equal(of('prompt:complete')[0]?.['stop_reason'], 'interrupted');
    });

    it('leaves out the late end of another turn', () => {
      begin();
      say('prompt:complete', { response: 'old', request_id: 'req-0' });
      assert.equal(isTurnOpenOrPosting(world.state), true);
      say('prompt:complete', { response: 'x', request_id: 'req-1' });
      say('prompt:complete', { response: 'x', request_id: 'req-1' });
      assert.equal(of('prompt:complete').length, 1);
    });

    it('has a refused prompt nowhere', () => {
      const call = world.post();
      world.send({ kind: 'promptFailed', call, error: new Error('refused') });
      assert.equal(isTurnOpenOrPosting(world.state), false);
      assert.deepEqual(world.told, []);
    });

    for (const code of ['CONNECTION_LOST', 'TIMEOUT']) {
      it(`has a prompt taken once its turn is told, though the answer to it is lost (${code})`, () => {
        const call = world.post();
        say('prompt:submit', { prompt: 'go' });
        delta('x');
        world.send({ kind: 'promptFailed', call, error: new AmplifierApiError(code, 'lost') });
        assert.deepEqual([world.settled.has(call), world.settled.get(call)], [true, undefined]);
        say('prompt:complete', { response: 'x', request_id: 'req-9' });
        assert.equal(isTurnOpenOrPosting(world.state), false);
        assert.deepEqual([of('prompt:submit').length, of('prompt:complete').length], [1, 1]);
      });
    }

    it('refuses a prompt whose answer is lost before anything is told of it', () => {
      const call = world.post();
      world.send({ kind: 'promptFailed', call, error: new AmplifierApiError('CONNECTION_LOST', 'lost') });
      assert.notEqual(world.settled.get(call), undefined);
    });

    it('ends with what came when the session ends in a turn', () => {
      begin();
      delta('half');
      say('session:end', { reason: 'user_stopped' });
      say('session:end', { reason: 'stopped' });
      assert.deepEqual(names().slice(-3), ['content_block:end', 'prompt:complete', 'session:end']);
      assert.equal(of('prompt:complete')[0]?.['stop_reason'], 'interrupted');
    });
  });

  it('leave the session free for the next prompt, also if the answer to the last is still on its way', () => {
    const first = world.post('go');
    say('prompt:submit', { prompt: 'go', request_id: 'req-1' });
    assert.equal(turnOf(world.state), 'own');
    say('prompt:complete', { response: 'Done.', request_id: 'req-1' });
    assert.equal(turnOf(world.state), 'none');
    assert.deepEqual([world.settled.has(first), world.settled.get(first)], [true, undefined]);
    const next = world.post('again');
    // The oldest answer is that to the first prompt.
    world.take('req-1');
    assert.equal(world.settled.has(next), false);
    world.take('req-2');
    say('prompt:submit', { prompt: 'again', request_id: 'req-2' });
    say('prompt:complete', { response: 'Done again.', request_id: 'req-2' });
    assert.deepEqual(
      of('prompt:complete').map(({ request_id }) => request_id),
      ['req-1', 'req-2'],
    );
    assert.deepEqual([world.settled.get(next), world.settledAgain], [undefined, []]);
  });

  it('of a session that is loaded run from the beginning, and have one prompt', () => {
    const status = SessionStatus.parse({ session_id: 's', status: 'processing' });
    world.send({ kind: 'resume', status, askedAtMs: world.timeMs });
    assert.equal(turnOf(world.state), 'agent');
    say('prompt:submit', { prompt: 'theirs' });
    assert.equal(turnOf(world.state), 'other');
    delta('One.');
    say('prompt:complete', { response: 'One.' });
    assert.equal(turnOf(world.state), 'none');
    assert.deepEqual([of('prompt:submit').length, of('prompt:complete').length], [1, 1]);
  });

  it('of a session that is loaded end when another one begins, if their beginning was not told', () => {
    const status = SessionStatus.parse({ session_id: 's', status: 'processing' });
    world.send({ kind: 'resume', status, askedAtMs: world.timeMs });
    delta('One.');
    say('prompt:submit', { prompt: 'theirs' });
    assert.deepEqual(
      of('prompt:complete').map(({ stop_reason }) => stop_reason),
      ['interrupted'],
    );
  });

  it('counts usage from the total before, and anew when the total went back', () => {
    world = new SessionWorld({ isReal: true });
    const total = { input_tokens: 1000, output_tokens: 100 };
    const status = SessionStatus.parse({ session_id: 's', status: 'idle', token_usage: total });
    world.send({ kind: 'resume', status, askedAtMs: world.timeMs });
    const usage: unknown[] = [];
    for (const [input_tokens, output_tokens] of [
      [1500, 150],
      [1600, 170],
      [50, 5],
    ]) {
      begin();
      say('prompt:complete', { response: 'x', token_usage: { input_tokens, output_tokens } });
      usage.push(of('prompt:complete').at(-1)?.['token_usage']);
    }
    assert.deepEqual(usage, [
      { input_tokens: 500, output_tokens: 50 },
      { input_tokens: 100, output_tokens: 20 },
      { input_tokens: 50, output_tokens: 5 },
    ]);
  });
});
