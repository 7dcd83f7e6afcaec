import assert from 'node:assert/strict';
import { RequestError, type McpServer } from '@agentclientprotocol/sdk';
import { WindowToolsStore } from '../../../../../src/acp/common/connection/windowToolsState';
import type { AcpBackendDeps } from '../../../../../src/acp/node/session/acpBackend';
import { cwd, Follower, open, useBackends } from '../../../../fake/backendHarness';
import { FakeMemento } from '../../../../fake/fakePermissions';
import { basics, capabilities, says, type Script } from '../../../../fake/acp/scriptedAgent';
import { until } from '../../../../support/eventually';

const own: McpServer = { name: 'theirs', command: '/bin/theirs', args: [], env: [] };
const window: McpServer = { name: 'backline', command: '/bin/backline', args: [], env: [] };

describe('an agent that fails each session with the tools of the window', () => {
  const make = useBackends();

  /** What an agent does with a session that has the window's tools; `always` fails also without them. */
  type Failure = 'error' | 'exit' | 'always' | 'none';

  const mcpServers: AcpBackendDeps['mcpServers'] = ({ omitsWindowTools, onWindowTools }) => {
    if (!omitsWindowTools) onWindowTools();
    return Promise.resolve(omitsWindowTools ? [own] : [own, window]);
  };

  function backendWith(failure: Failure, memento = new FakeMemento(), version: string | null = '1.0.0') {
    const asked: string[][] = [];
    const now: { failure: Failure } = { failure };
    const script: Script = (app, process) => {
      const answer = ({ mcpServers = [] }: { mcpServers?: readonly McpServer[] }) => {
        const names = mcpServers.map(({ name }) => name);
        asked.push(names);
        if (now.failure === 'none') return;
        if (now.failure !== 'always' && !names.includes('backline')) return;
        if (now.failure === 'exit') process.crash('cannot read servers');
        throw new RequestError(-32603, 'Internal error');
      };
      app.onRequest('session/load', ({ params }) => (answer(params), {}));
      app.onRequest('session/resume', ({ params }) => (answer(params), {}));
      app.onRequest('session/new', ({ params }) => (answer(params), { sessionId: `s${asked.length}` }));
      app.onRequest('session/prompt', () => ({ stopReason: 'end_turn' }));
      const agentInfo = { name: 'droid', ...(version === null ? {} : { version }) };
      basics(app, { agentCapabilities: capabilities, agentInfo });
    };
    const store = new WindowToolsStore({ memento, mementoName: 'tools', onError: () => assert.fail('not stored') });
    const windowToolsMemory = store.memoryOf('droid');
    const { agents, backend } = make(script, { mcpServers, windowToolsMemory, limits: { exitGraceMs: 10 } });
    return { agents, asked, backend, memento, now };
  }

  const withTools = ['theirs', 'backline'];
  const without = ['theirs'];

  for (const failure of ['error', 'exit'] as const) {
    it(`(${failure}) works without them, says so, and is not asked again after the second time`, async () => {
      const { asked, backend, memento } = backendWith(failure);
      const { follower } = await open(backend);
      const { message } = await follower.next('notice');
      assert.match(message, /^Demo can’t start a session with Backline’s tools.*in this conversation\.$/);
      assert.equal(memento.writes, 0);
      const second = await open(backend);
      assert.match((await second.follower.next('notice')).message, /After an update, or “Backline: Restart Agent”/);
      const third = await open(backend);
      await third.session.close();
      await third.follower.ended;
      assert.equal(third.follower.all('notice').length, 0);
      assert.deepEqual(asked, [withTools, without, withTools, without, without]);
      // The next window knows it, for this version.
      const next = backendWith(failure, memento);
      await open(next.backend);
      assert.deepEqual(next.asked, [without]);
      const updated = backendWith(failure, memento, '1.0.1');
      await open(updated.backend);
      assert.deepEqual(updated.asked, [withTools, without]);
    });
  }

  it('gets them again after a passing failure, also of several sessions at once, and keeps them for good', async () => {
    const { asked, backend, memento, now } = backendWith('error');
    await Promise.all([open(backend), open(backend), open(backend)]);
    assert.equal(asked.length, 6);
    now.failure = 'none';
    await open(backend);
    assert.deepEqual(asked.slice(6), [withTools]);
    // It has worked with them, so that later failures have other reasons, in other windows, too.
    for (const later of [{ asked, backend, now }, backendWith('none', memento)]) {
      later.now.failure = 'error';
      const count = later.asked.length;
      await assert.rejects(later.backend.createSession({ cwd }), { code: 'backend' });
      assert.deepEqual(later.asked.slice(count), [withTools]);
      later.now.failure = 'none';
      await open(later.backend);
      assert.deepEqual(later.asked.slice(count + 1), [withTools]);
    }
  });

  it('gets them again when the user restarts it', async () => {
    const { asked, backend, memento } = backendWith('error');
    await open(backend);
    await open(backend);
    backend.forgetFailures();
    await backend.stop();
    await open(backend);
    assert.deepEqual(asked.slice(4), [withTools, without]);
    const next = backendWith('error', memento);
    await open(next.backend);
    assert.deepEqual(next.asked, [withTools, without]);
  });

  it('does not say which version it is, so the next window tries again', async () => {
    const { asked, backend, memento } = backendWith('error', undefined, null);
    await open(backend);
    await open(backend);
    await open(backend);
    assert.deepEqual(asked.slice(4), [without]);
    const next = backendWith('error', memento, null);
    await open(next.backend);
    assert.deepEqual(next.asked, [withTools, without]);
  });

  for (const failure of ['error', 'exit'] as const) {
    it(`(${failure}) keeps its memory of a conversation that goes on in a new process`, async () => {
      const { agents, asked, backend, memento, now } = backendWith('none');
      const { session, follower } = await open(backend);
      backend.forgetFailures();
      now.failure = failure;
      agents.last.crash('');
      await until('the end of the process', () => backend.state.kind !== 'ready');
      await session.sendPrompt({ text: 'Go on' });
      await follower.next('prompt:complete');
      assert.deepEqual(asked, [withTools, withTools, without]);
      const [notice] = follower.all('notice').map(({ message }) => message);
      assert.match(notice ?? '', /^Demo can’t start a session with Backline’s tools/);
      assert.equal(follower.all('notice').length, 1, 'it remembers the conversation');
      assert.equal(memento.writes, 2);
    });
  }

  it('a session that opens meanwhile has the tools, though another one is tried without them', async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<undefined>();
    const asked: string[][] = [];
    const script: Script = (app) => {
      app.onRequest('session/new', async ({ params: { mcpServers } }) => {
        asked.push(mcpServers.map(({ name }) => name));
        if (asked.length === 1) throw new RequestError(-32603, 'Internal error');
        if (asked.length === 2) await held;
        return { sessionId: `s${asked.length}` };
      });
      basics(app, { agentCapabilities: capabilities });
    };
    const { backend } = make(script, { mcpServers });
    const first = open(backend);
    await until('the second try', () => asked.length === 2);
    await open(backend);
    release(undefined);
    await first;
    assert.deepEqual(asked, [withTools, without, withTools]);
  });

  it('the same holds for a stored session that is loaded', async () => {
    const { asked, backend } = backendWith('error');
    const follower = new Follower(await backend.loadSession('old', { cwd }));
    assert.match((await follower.next('notice')).message, /works without them/);
    assert.deepEqual(asked, [['theirs', 'backline'], ['theirs']]);
  });

  it('a session is not loaded again after a part of its history has arrived, which would be there twice', async () => {
    let count = 0;
    const script: Script = (app) => {
      app.onRequest('session/load', async ({ params: { sessionId }, client }) => {
        count++;
        await client.notify('session/update', says(sessionId, 'earlier'));
        throw new RequestError(-32603, 'Internal error');
      });
      basics(app, { agentCapabilities: capabilities });
    };
    const { backend } = make(script, { mcpServers });
    await assert.rejects(backend.loadSession('old', { cwd }), { code: 'backend' });
    assert.equal(count, 1);
  });

  for (const [code, answer] of [
    ['authRequired', -32000],
    ['cancelled', -32800],
  ] as const) {
    it(`the answer ${code} to the second try is what the user gets`, async () => {
      let count = 0;
      const script: Script = (app) => {
        app.onRequest('session/new', () => {
          throw ++count === 1 ? new RequestError(-32603, 'Internal error') : new RequestError(answer, 'No');
        });
        basics(app, { agentCapabilities: capabilities });
      };
      const { backend } = make(script, { mcpServers });
      await assert.rejects(backend.createSession({ cwd }), { code });
      assert.equal(count, 2);
    });
  }

  it('another failure stays what it is, after one more try', async () => {
    const { asked, backend, memento } = backendWith('always');
    await assert.rejects(backend.createSession({ cwd }), { code: 'backend' });
    assert.equal(asked.length, 2);
    assert.equal(memento.writes, 0);
    await assert.rejects(backend.createSession({ cwd }), { code: 'backend' });
    assert.deepEqual(asked[2], ['theirs', 'backline']);
  });
});
