import assert from 'node:assert/strict';
import { RequestError, type McpServer } from '@agentclientprotocol/sdk';
import { AgentLimitStore } from '../../../../../src/acp/common/connection/agentLimitStore';
import type { AcpBackendDeps } from '../../../../../src/acp/node/session/acpBackend';
import { cwd, Follower, open, useBackends } from '../../../../fake/backendHarness';
import { FakeMemento } from '../../../../fake/fakePermissions';
import { basics, capabilities, says, type Script } from '../../../../fake/scriptedAgent';

const own: McpServer = { name: 'theirs', command: '/bin/theirs', args: [], env: [] };
const window: McpServer = { name: 'backline', command: '/bin/backline', args: [], env: [] };

describe('an agent that fails each session with the tools of the window', () => {
  const make = useBackends();

  function backendWith(failure: 'error' | 'exit' | 'always', memento = new FakeMemento(), version = '1.0.0') {
    const asked: string[][] = [];
    const script: Script = (app, process) => {
      const answer = ({ mcpServers = [] }: { mcpServers?: readonly McpServer[] }) => {
        const names = mcpServers.map(({ name }) => name);
        asked.push(names);
        if (failure !== 'always' && !names.includes('backline')) return;
        if (failure === 'exit') process.crash('cannot read servers');
        throw new RequestError(-32603, 'Internal error');
      };
      app.onRequest('session/load', ({ params }) => (answer(params), {}));
      app.onRequest('session/new', ({ params }) => (answer(params), { sessionId: `s${asked.length}` }));
      basics(app, { agentCapabilities: capabilities, agentInfo: { name: 'droid', version } });
    };
    const store = new AgentLimitStore(memento, 'limits', () => assert.fail('not stored'));
    const mcpServers: AcpBackendDeps['mcpServers'] = ({ omitsWindowTools }) =>
      Promise.resolve(omitsWindowTools ? [own] : [own, window]);
    const windowToolsMemory = () => store.limitOf('droid');
    const { backend } = make(script, { mcpServers, windowToolsMemory, limits: { exitGraceMs: 10 } });
    return { asked, backend, memento };
  }

  for (const failure of ['error', 'exit'] as const) {
    it(`(${failure}) works without them, says so, and is not asked again`, async () => {
      const { asked, backend, memento } = backendWith(failure);
      const { follower } = await open(backend);
      assert.match((await follower.next('notice')).message, /^Demo can’t start a session with Backline’s tools/);
      const second = await open(backend);
      await second.session.close();
      await second.follower.ended;
      assert.equal(second.follower.all('notice').length, 0);
      assert.deepEqual(asked, [['theirs', 'backline'], ['theirs'], ['theirs']]);
      // The next window knows it, for this version.
      const next = backendWith(failure, memento);
      await open(next.backend);
      assert.deepEqual(next.asked, [['theirs']]);
      const updated = backendWith(failure, memento, '1.0.1');
      await open(updated.backend);
      assert.deepEqual(updated.asked, [['theirs', 'backline'], ['theirs']]);
    });
  }

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
    const mcpServers: AcpBackendDeps['mcpServers'] = ({ omitsWindowTools }) =>
      Promise.resolve(omitsWindowTools ? [own] : [own, window]);
    const { backend } = make(script, { mcpServers });
    await assert.rejects(backend.loadSession('old', { cwd }), { code: 'backend' });
    assert.equal(count, 1);
  });

  it('another failure stays what it is, after one more try', async () => {
    const { asked, backend, memento } = backendWith('always');
    await assert.rejects(backend.createSession({ cwd }), { code: 'backend' });
    assert.equal(asked.length, 2);
    assert.equal(memento.writes, 0);
    await assert.rejects(backend.createSession({ cwd }), { code: 'backend' });
    assert.deepEqual(asked[2], ['theirs', 'backline']);
  });
});
