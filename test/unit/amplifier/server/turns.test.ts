import assert from 'node:assert/strict';
import type { FakeSession } from './support/fakeBackend';
import { ServerHarness, type SseClient } from './support/serverHarness';

describe('a turn on the embedded server', () => {
  let harness: ServerHarness;
  let id: string;
  let fake: FakeSession;
  let stream: SseClient;

  beforeEach(async () => {
    harness = await ServerHarness.start();
    ({ id, fake } = await harness.createSession());
    stream = await harness.subscribe(id);
    await harness.call('POST', `/sessions/${id}/prompt`, { body: { prompt: 'go' } });
  });
  afterEach(() => harness.stop());

  const messageCount = async (): Promise<unknown> =>
    Reflect.get(Object((await harness.call('GET', `/sessions/${id}`)).json), 'message_count');

  it('that fails explains why in both forms, and ends', async () => {
    fake.emit('content_block:delta', { block_index: 0, delta: 'half ' });
    fake.emit('content_block:delta', { block_index: 0, delta: 'an answer' });
    fake.emit('error', { error: 'The agent crashed.', code: 'PROVIDER_ERROR' });
    const failed = await stream.next('error');
    assert.deepEqual(failed.data, {
      session_id: id,
      error: 'The agent crashed.',
      message: 'The agent crashed.',
      code: 'PROVIDER_ERROR',
    });
    const { data } = await stream.next('prompt:complete');
    assert.deepEqual(data, {
      session_id: id,
      request_id: 'req-1',
      response: 'half an answer',
      stop_reason: 'interrupted',
      token_usage: { input_tokens: 0, output_tokens: 0 },
    });
    assert.equal(await messageCount(), 1, 'there was no answer');
    fake.emit('error', { error: 'Something else.' });
    fake.emit('notice', { level: 'info', message: 'last' });
    await stream.next('notice');
    assert.equal(stream.names.filter((name) => name === 'prompt:complete').length, 1, 'no turn was open');
  });

  for (const [how, end] of [
    ['ends', () => fake.emit('prompt:complete', { response: '' })],
    ['fails', () => fake.emit('error', { error: 'crashed' })],
  ] as const) {
    it(`leaves no question open when it ${how}, though the agent does not mention it`, async () => {
      fake.ask('a1');
      await stream.next('approval:required');
      end();
      const { data } = await stream.next('approval:denied');
      assert.deepEqual(data, { session_id: id, approval_id: 'a1', decision: 'Deny', reason: 'turn_ended' });
      await stream.next('prompt:complete');
      assert.match((await harness.call('GET', `/sessions/${id}`)).text, /"status":"idle".*"pending_approval":null/);
    });
  }

  it('that is open when the agent goes ends with the session', async () => {
    fake.emit('content_block:delta', { block_index: 0, delta: 'half' });
    fake.ask('a1');
    await stream.next('approval:required');
    fake.endLog();
    await stream.next('session:end');
    assert.deepEqual(stream.names.filter((name) => name !== 'status:update').slice(-3), [
      'approval:denied',
      'prompt:complete',
      'session:end',
    ]);
    assert.equal((await stream.next('prompt:complete')).data['response'], 'half');
    assert.match((await harness.call('GET', `/sessions/${id}`)).text, /"status":"stopped".*"pending_approval":null/);
  });

  it('tells what it does, each time that it is something else', async () => {
    const tool = { tool_name: 'filesystem', operation: 'read_file', input: {} };
    fake.emit('tool:pre', { ...tool, call_id: 'c1' });
    fake.emit('tool:pre', { ...tool, call_id: 'c2' });
    fake.emit('tool:pre', { ...tool, call_id: 'c3', title: 'Edit a.ts' });
    fake.ask('a1');
    await stream.next('approval:required');
    fake.denyByItself('a1');
    fake.emit('prompt:complete', { response: '' });
    await stream.next('prompt:complete');
    assert.deepEqual(
      stream.events
        .filter(({ event }) => event === 'status:update')
        .map(({ data }) => [data['status'], data['message']]),
      [
        ['processing', 'Working on the prompt'],
        ['processing', 'filesystem: read_file'],
        ['processing', 'Edit a.ts'],
        ['awaiting_approval', 'Allow?'],
        ['processing', 'Edit a.ts'],
      ],
    );
    assert.equal(stream.names.at(-1), 'prompt:complete');
  });
});

describe('a profile that the embedded server does not know', () => {
  let harness: ServerHarness;
  beforeEach(async () => {
    harness = await ServerHarness.start();
  });
  afterEach(() => harness.stop());

  for (const profile of ['vscode-simple', 'vscode-dev', 'team:unheard-of']) {
    it(`is its default: ${profile}, and the answer says so`, async () => {
      const { status, json, text } = await harness.call('POST', '/sessions', { body: { profile } });
      assert.equal(status, 201);
      assert.equal(Reflect.get(Object(json), 'profile'), 'dev');
      assert.match(text, new RegExp(`There is no profile \\\\"${profile}\\\\", so the session uses \\\\"dev\\\\"`));
      const stream = await harness.subscribe(String(Reflect.get(Object(json), 'session_id')));
      assert.match(String((await stream.next('notice')).data['message']), new RegExp(profile));
    });
  }

  it('is still one that there is nothing to tell of', async () => {
    assert.equal((await harness.call('GET', '/profiles/vscode-simple')).status, 404);
    assert.equal((await harness.call('POST', '/sessions', { body: { profile: '' } })).status, 400);
  });

  it('is refused where no agent can be used', async () => {
    const backends = { list: () => Promise.resolve([]), open: () => Promise.reject(new Error('none')) };
    const empty = await ServerHarness.start({ backends });
    try {
      const { status, text } = await empty.call('POST', '/sessions', { body: { profile: 'dev' } });
      assert.equal(status, 400);
      assert.match(text, /"field":"profile"/);
    } finally {
      await empty.stop();
    }
  });
});
