import assert from 'node:assert/strict';
import type { AmplifierSession } from '../../../../src/amplifier/node/client/amplifierSession';
import type { ClientLimits } from '../../../../src/amplifier/node/client/sessionDeps';
import { until } from '../../../support/eventually';
import { connectTo, Recorder, type Harness } from './clientHarness';
import { DocumentDialectServer, type DocumentDialectOptions } from '../../../fake/amplifier/documentDialectServer';
import { turns } from '../../../support/turns';

describe('the client and the document’s dialect', () => {
  let server: DocumentDialectServer;
  let harness: Harness;
  let session: AmplifierSession;
  let recorder: Recorder;

  async function open(options: DocumentDialectOptions, limits: Partial<ClientLimits> = {}): Promise<void> {
    server = new DocumentDialectServer(options);
    await server.start();
    // A turn that is idle is believed to be over only when its events had time to come.
    harness = connectTo(server.url, { limits: { settleMs: 20_000, ...limits } });
    session = await harness.backend.createSession({ cwd: '/ws' });
    recorder = new Recorder(session);
  }

  afterEach(async () => {
    harness.backend.dispose();
    await server.stop();
  });

  it('tells a whole turn with blocks, thinking, tools and an approval', async () => {
    await open({
      script: (it) => {
        it.emit('content_block:start', { block_type: 'text', block_index: 0 });
        it.emit('content_block:delta', { block_index: 0, delta: 'Hello' });
        it.emit('content_block:end', { block_index: 0 });
        it.emit('thinking:delta', { delta: 'Hm' });
        it.emit('thinking:final', { thinking: 'Hm' });
        it.emit('tool:pre', { tool_name: 'filesystem', operation: 'write_file', input: { path: '/a' } });
        const request = { approval_id: 'appr-456', prompt: 'Allow writing?', options: ['Allow', 'Deny', 'Allow All'] };
        it.status = 'awaiting_approval';
        it.pendingApproval = request;
        it.emit('approval:required', { ...request, timeout: 300, default: 'deny', context: { path: '/a' } });
      },
    });
    await session.sendPrompt({ text: 'go' });
    const { data } = await recorder.next('approval:required');
    await session.answerApproval(data.approval_id, 'Allow');
    server.pendingApproval = null;
    server.emit('approval:granted', { approval_id: 'appr-456', decision: 'Allow' });
    const result = { success: true, output: 'written' };
    server.emit('tool:post', { tool_name: 'filesystem', operation: 'write_file', result, duration_ms: 15 });
    server.complete('Hello');
    const { data: done } = await recorder.next('prompt:complete');
    assert.deepEqual(done.token_usage, { input_tokens: 1500, output_tokens: 350 });
    assert.deepEqual(recorder.names, [
      'session:start',
      'prompt:submit',
      'content_block:start',
      'content_block:delta',
      'content_block:end',
      'thinking:delta',
      'thinking:final',
      'tool:pre',
      'approval:required',
      'approval:granted',
      'tool:post',
      'prompt:complete',
    ]);
  });

  it('counts usage as the server says it, per turn', async () => {
    await open({ script: (it) => it.complete('x') });
    for (const count of [1, 2]) {
      await session.sendPrompt({ text: 'go' });
      const { data } = await recorder.next('prompt:complete', count);
      assert.deepEqual(data.token_usage, { input_tokens: 1500, output_tokens: 350 });
    }
  });

  it('continues from the last event it saw after a lost connection, without a gap or a repeat', async () => {
    await open({ script: (it) => it.emit('content_block:delta', { delta: 'one ' }) });
    await session.sendPrompt({ text: 'go' });
    await recorder.next('content_block:delta');
    server.dropStreams();
    server.emit('content_block:delta', { delta: 'two ' });
    server.emit('content_block:delta', { delta: 'three' });
    server.complete('one two three');
    await recorder.next('prompt:complete');
    assert.equal(recorder.text, 'one two three');
    assert.deepEqual(server.lastEventIds, [undefined, '2']);
  });

  it('takes the WebSocket when SSE is refused, and says it stopped a turn over it', async () => {
    await open({ stream: 'webSocket', script: (it) => it.emit('content_block:delta', { delta: 'over ws' }) });
    await session.sendPrompt({ text: 'go' });
    await recorder.next('content_block:delta');
    assert.equal(recorder.text, 'over ws');
    const stopping = session.cancel();
    await until('a control message', () => server.controls.length > 0);
    assert.deepEqual(server.controls, ['{"action":"stop"}']);
    server.complete('over ws');
    await stopping;
    assert.equal(server.isDeleted, false);
  });

  it('continues over the WebSocket after the last event it saw, and reports which in header and address', async () => {
    await open({ stream: 'webSocket', script: (it) => it.emit('content_block:delta', { delta: 'one ' }) });
    await session.sendPrompt({ text: 'go' });
    await recorder.next('content_block:delta');
    server.dropStreams();
    server.emit('content_block:delta', { delta: 'two' });
    server.complete('one two');
    await recorder.next('prompt:complete');
    assert.equal(recorder.text, 'one two');
    assert.deepEqual(server.lastEventIds, [undefined, '2']);
    assert.deepEqual(server.queries, ['', '?last_event_id=2']);
  });

  it('continues over the WebSocket of a server that was restarted and remembers', async () => {
    await open({ stream: 'webSocket', script: (it) => it.emit('content_block:delta', { delta: 'one ' }) });
    await session.sendPrompt({ text: 'go' });
    await recorder.next('content_block:delta');
    await server.stop();
    await until('an attempt in vain', () => harness.log.lines.some((line) => line.includes('attempt 2')));
    await server.start();
    server.emit('content_block:delta', { delta: 'two' });
    server.complete('one two');
    await recorder.next('prompt:complete');
    assert.equal(recorder.text, 'one two');
    assert.equal(session.turn, 'none');
  });

  it('ends the session over the WebSocket of a server that was restarted and knows nothing', async () => {
    await open({ stream: 'webSocket', script: (it) => it.emit('content_block:delta', { delta: 'one' }) });
    await session.sendPrompt({ text: 'go' });
    await recorder.next('content_block:delta');
    await server.stop();
    server.isDeleted = true;
    // The status would say it too.
    server.intercept = ({ url = '' }, response) => {
      if (url.endsWith('/events')) return false;
      response.writeHead(503).end();
      return true;
    };
    await server.start();
    await recorder.end();
    assert.equal(recorder.all('error')[0]?.data.code, 'SESSION_NOT_FOUND');
    assert.equal(recorder.all('session:end')[0]?.data.reason, 'server_restarted');
  });

  it('reports which of two requests an answer is for, and sends no allowance that could go to the other', async () => {
    const options = ['Allow', 'Deny'];
    const ask = (approval_id: string): void => server.emit('approval:required', { approval_id, prompt: 'p', options });
    await open({ script: () => ['one', 'two'].forEach(ask) });
    await session.sendPrompt({ text: 'go' });
    await recorder.next('approval:required', 2);
    server.status = 'awaiting_approval';
    server.pendingApproval = { approval_id: 'one', prompt: 'p', options };
    await assert.rejects(session.answerApproval('two', 'Allow'), { code: 'busy' });
    await session.answerApproval('two', 'Deny');
    await session.answerApproval('one', 'Allow');
    const answers = server.requests.filter(({ path }) => path.endsWith('/approval'));
    assert.deepEqual(
      answers.map(({ body }) => JSON.parse(body) as unknown),
      [{ decision: 'Deny', approval_id: 'two' }, { decision: 'Allow' }],
    );
  });

  it('stops a turn by the cancel route where there is one, and keeps the session', async () => {
    await open({ hasCancelRoute: true, script: () => undefined });
    await session.sendPrompt({ text: 'go' });
    const stopping = session.cancel();
    await until('a cancel', () => server.requests.some(({ path }) => path.endsWith('/cancel')));
    server.complete('');
    await stopping;
    assert.equal(server.isDeleted, false);
    assert.equal(session.turn, 'none');
    await session.sendPrompt({ text: 'next' });
  });

  it('ends the session when a turn continues in spite of the cancel route', async () => {
    await open({ hasCancelRoute: true, script: () => undefined }, { cancelGraceMs: 50 });
    await session.sendPrompt({ text: 'go' });
    await session.cancel();
    assert.equal(server.isDeleted, true);
    await recorder.end();
    assert.equal(recorder.all('prompt:complete')[0]?.data.stop_reason, 'cancelled');
  });

  it('explains why the session ended though its end is told before the answer to the request for it', async () => {
    await open({ script: () => undefined });
    await session.sendPrompt({ text: 'go' });
    server.intercept = ({ method }, response) => {
      if (method !== 'DELETE') return false;
      server.emit('session:end', { reason: 'user_stopped' });
      void turns().then(() => response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}'));
      return true;
    };
    await session.cancel();
    await recorder.end();
    assert.match(recorder.all('notice')[0]?.data.message ?? '', /no longer remembers/u);
    assert.deepEqual(recorder.names.slice(-3), ['prompt:complete', 'notice', 'session:end']);
  });

  it('shows a turn that another window began', async () => {
    await open({ script: (it) => it.complete('from the other') });
    const other = connectTo(server.url);
    const theirs = await other.backend.loadSession(server.id, { cwd: '/ws' });
    await theirs.sendPrompt({ text: 'theirs' });
    const { data } = await recorder.next('prompt:complete');
    assert.equal(recorder.all('prompt:submit')[0]?.data.prompt, 'theirs');
    assert.equal(data.response, 'from the other');
    other.backend.dispose();
  });

  it('leaves a question to the window that asked for the turn, on a server that takes silence for a no', async () => {
    const question = { approval_id: 'a', prompt: 'p', options: ['Go', 'Stop'] };
    const kinds = ['allow_once', 'reject_once'];
    await open({
      script: (it) => {
        it.status = 'awaiting_approval';
        it.pendingApproval = { ...question, option_kinds: kinds };
        it.emit('approval:required', { ...question, option_kinds: kinds });
      },
    });
    await session.sendPrompt({ text: 'go' });
    await recorder.next('approval:required');
    const other = connectTo(server.url);
    const theirs = new Recorder(await other.backend.loadSession(server.id, { cwd: '/ws' }));
    await theirs.next('approval:required');
    await other.backend.stop();
    const answers = () => server.requests.filter(({ path }) => path.endsWith('/approval')).map(({ body }) => body);
    assert.deepEqual(answers(), []);
    await harness.backend.stop();
    assert.match(answers()[0] ?? '', /Stop/u);
    other.backend.dispose();
  });

  it('sends what changed of the context since the last prompt, and no more', async () => {
    server = new DocumentDialectServer({ script: (it) => it.complete('x') });
    await server.start();
    let branch = 'main';
    const git = () => ({ branch, staged_files: [], modified_files: [], untracked_files: [] });
    const context = {
      collect: (folder = '/ws') => Promise.resolve({ workspace_root: folder, git_state: git() }),
      readFiles: (paths: readonly string[]) =>
        Promise.resolve(paths.map((path) => ({ path, language: 'text', content: 'attached' }))),
    };
    harness = connectTo(server.url, { context });
    session = await harness.backend.createSession({ cwd: '/ws/second' });
    recorder = new Recorder(session);
    await session.sendPrompt({ text: 'one' });
    await recorder.next('prompt:complete');
    branch = 'other';
    await session.sendPrompt({
      text: 'two',
      attachments: [{ type: 'file', path: '/ws/a', lines: { first: 1, last: 2 } }],
    });
    await recorder.next('prompt:complete', 2);
    const [create] = server.requests.filter(({ path, method }) => path === '/sessions' && method === 'POST');
    assert.ok(create);
    assert.ok(create.body.includes('"branch":"main"'));
    assert.ok(create.body.includes('"workspace_root":"/ws/second"'));
    const prompts = server.requests
      .filter(({ path }) => path.endsWith('/prompt'))
      .map(({ body }) => JSON.parse(body) as unknown);
    assert.deepEqual(prompts, [
      {
        prompt: 'one',
        context_update: { workspace_root: '/ws/second', git_state: { ...git(), branch: 'main' } },
      },
      {
        prompt: 'two\n\nSee /ws/a, lines 1 to 2.',
        context_update: {
          git_state: git(),
          open_files: [{ path: '/ws/a', language: 'text', content: 'attached' }],
        },
      },
    ]);
    assert.equal(recorder.all('prompt:submit')[1]?.data.prompt, 'two');
  });

  it('refuses an image before anything is sent', async () => {
    await open({ script: () => undefined });
    const attachments = [{ type: 'image', mimeType: 'image/png', data: '' }] as const;
    await assert.rejects(session.sendPrompt({ text: 'x', attachments }), { code: 'unsupported' });
    assert.equal(session.turn, 'none');
  });
});
