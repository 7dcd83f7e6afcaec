import assert from 'node:assert/strict';
import { CommandError } from '../../../../src/acp/node/process/commandLookup';
import { FakeClock } from '../../../fake/fakeClock';
import { open, useBackends } from '../../../fake/backendHarness';
import { basics, echo, firstTime, never } from '../../../fake/acp/scriptedAgent';

describe('when an ACP agent misbehaves', () => {
  const make = useBackends();

  it('by never answering initialize: it is ended after its time', async () => {
    const clock = new FakeClock();
    const { agents, backend } = make((app) => app.onRequest('initialize', never), { clock, protocol: '1' });
    const failed = assert.rejects(backend.capabilities(), { code: 'timeout' });
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(4 * 60_000);
    assert.equal(agents.last.isGone, false, 'a first start may take minutes');
    clock.advance(60_000);
    await failed;
    assert.equal(agents.last.isGone, true);
    assert.equal(backend.state.kind, 'failed');
    assert.equal(clock.pending, 0);
  });

  it('by starting slowly: only of one that may have to be downloaded is that said', async () => {
    for (const mayDownload of [true, false]) {
      const { backend } = make(echo, { mayDownload });
      const said: string[] = [];
      backend.onDidChangeState((state) => {
        if (state.kind === 'starting') said.push(state.message);
      });
      await backend.capabilities();
      await backend.stop();
      await backend.capabilities();
      const first = mayDownload
        ? 'Starting Demo… The first start may take a few minutes because of a download.'
        : 'Starting Demo…';
      assert.deepEqual(said, [first, 'Starting Demo…']);
    }
  });

  it('with the reason why it cannot be started, and the details apart', async () => {
    const startAgent = () => Promise.reject(new CommandError('notFound', '"x" isn\'t on PATH.', '/bin'));
    const { backend } = make(echo, { startAgent });
    await assert.rejects(backend.capabilities(), { message: '"x" isn\'t on PATH.', details: 'PATH: /bin' });
    assert.deepEqual(backend.state, { kind: 'failed', message: '"x" isn\'t on PATH.', details: 'PATH: /bin' });
  });

  it('by never answering a change of its options', async () => {
    const clock = new FakeClock();
    const { backend } = make(
      (app) => {
        app.onRequest('session/set_mode', never);
        basics(app, {}, { modes: { currentModeId: 'ask', availableModes: [{ id: 'ask', name: 'Ask' }] } });
      },
      { clock },
    );
    const { session } = await open(backend);
    const option = session.config[0]?.id ?? '';
    const changing = assert.rejects(session.setConfig(option, 'ask'), { code: 'timeout' });
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(2 * 60_000);
    await changing;
    const again = assert.rejects(session.setConfig(option, 'ask'));
    await new Promise((resolve) => setImmediate(resolve));
    await session.close();
    await again;
  });

  it('by not ending a turn that was cancelled: it is ended, and the session works again', async () => {
    const clock = new FakeClock();
    const { agents, backend } = make(
      firstTime((app) => {
        basics(app);
        app.onRequest('session/prompt', never);
      }),
      { clock },
    );
    const { session, follower } = await open(backend);
    await session.sendPrompt({ text: 'go' });
    await new Promise((resolve) => setImmediate(resolve));
    const cancelled = session.cancel();
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(9_999);
    assert.equal(session.turn, 'own');
    clock.advance(1);
    assert.equal((await follower.next('prompt:complete')).stop_reason, 'interrupted');
    // At once, while the end of the first turn is still on its way.
    await session.sendPrompt({ text: 'again' });
    await cancelled;
    assert.equal(agents.started[0]?.isGone, true);
    assert.equal((await follower.next('prompt:complete', 2)).stop_reason, 'end_turn');
    assert.equal(follower.all('error').length, 0);
  });

  it('by answering twice and answering what nobody asked', async () => {
    const { backend } = make((app, process) => {
      basics(app);
      app.onRequest('session/prompt', () => ({ stopReason: 'end_turn' }));
      process.end.onMessage(({ id, method }) => {
        if (method !== 'session/prompt') return;
        for (const answer of [id, id, 999]) {
          void process.end.send({ jsonrpc: '2.0', id: answer, result: { stopReason: 'refusal' } });
        }
      });
    });
    const { session, follower } = await open(backend);
    for (let turn = 1; turn <= 2; turn++) {
      await session.sendPrompt({ text: 'go' });
      await follower.next('prompt:complete', turn);
    }
    assert.equal(follower.all('prompt:complete').length, 2);
  });

  it('by a flood of updates: each of them is told, in order', async () => {
    const { backend } = make((app, process) => {
      basics(app);
      app.onRequest('session/prompt', async ({ params: { sessionId } }) => {
        for (let index = 0; index < 20_000; index++) {
          const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: `${index} ` } };
          await process.end.send({ jsonrpc: '2.0', method: 'session/update', params: { sessionId, update } });
        }
        return { stopReason: 'end_turn' };
      });
    });
    const { session, follower } = await open(backend);
    await session.sendPrompt({ text: 'go' });
    const { response } = await follower.next('prompt:complete');
    assert.equal(response, Array.from({ length: 20_000 }, (_, index) => `${index} `).join(''));
    assert.equal(follower.all('content_block:delta').length, 20_000);
  });
});
