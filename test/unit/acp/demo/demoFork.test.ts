import assert from 'node:assert/strict';
import { nullLogger } from '../../../../src/base/common/log';
import { systemClock } from '../../../../src/base/node/systemClock';
import type { AcpBackend } from '../../../../src/acp/node/session/acpBackend';
import { startAgentProcess, type AgentProcess } from '../../../../src/acp/node/process/agentProcess';
import type { BackendSession } from '../../../../src/session/common/sessionBackend';
import { backendOf, Follower } from '../../../fake/backendHarness';
import { useDemoAgent } from '../../../fake/acp/demoHarness';

for (const version of ['1', '2'] as const) {
  describe(`a copy of a session of the demo agent, version ${version}`, () => {
    const demos = useDemoAgent();
    const backends: AcpBackend[] = [];
    afterEach(() => Promise.all(backends.splice(0).map((backend) => backend.stop())));

    function start(): AcpBackend {
      const env = { PATH: '' };
      const args = [demos.agentFile, '--protocol', version];
      const command = { command: process.execPath, args, env, cwd: demos.folder };
      const startAgent = (): Promise<AgentProcess> =>
        startAgentProcess(command, { clock: systemClock, log: nullLogger });
      const { backend } = backendOf(() => undefined, { startAgent, terminalEnv: env, protocol: version });
      backends.push(backend);
      return backend;
    }

    async function ask(session: BackendSession, text: string): Promise<string> {
      const follower = new Follower(session);
      await session.sendPrompt({ text });
      return (await follower.next('prompt:complete', follower.all('prompt:complete').length + 1)).response;
    }

    it('goes on by itself from where it was made', async () => {
      const backend = start();
      const options = { cwd: demos.folder };
      const first = await backend.createSession(options);
      const follower = new Follower(first);
      await first.sendPrompt({ text: 'hello' });
      await follower.next('prompt:complete');
      await first.setConfig('mode', 'auto-edit');
      const id = await backend.forkSession(first.id, options);
      assert.ok(id !== undefined && id !== first.id);
      const second = await backend.loadSession(id, options);
      assert.equal(second.config.find((option) => option.id === 'mode')?.value, 'auto-edit');
      await first.setConfig('mode', 'ask');
      assert.equal(second.config.find((option) => option.id === 'mode')?.value, 'auto-edit');
      assert.match(await ask(second, '/plan'), /All steps/);
      const listed = await backend.listSessions();
      assert.deepEqual(new Set(listed.map((session) => session.id)), new Set([first.id, id]));
    });

    it('has the history of the session, and none of what came later', async () => {
      const backend = start();
      const options = { cwd: demos.folder };
      const first = await backend.createSession(options);
      const follower = new Follower(first);
      await first.sendPrompt({ text: '/plan' });
      await follower.next('prompt:complete');
      const id = (await backend.forkSession(first.id, options)) ?? '';
      await first.sendPrompt({ text: 'hello' });
      await follower.next('prompt:complete', 2);
      await (await backend.loadSession(id, options)).close();
      const replayed = new Follower(await backend.loadSession(id, options));
      await replayed.next('prompt:complete');
      assert.deepEqual(
        replayed.all('prompt:submit').map(({ prompt }) => prompt),
        ['/plan'],
      );
    });

    it('can be closed until it is loaded, and not later', async () => {
      const backend = start();
      const options = { cwd: demos.folder };
      const first = await backend.createSession(options);
      const follower = new Follower(first);
      await first.sendPrompt({ text: 'hello' });
      await follower.next('prompt:complete');
      const [unused = '', loaded = ''] = [
        await backend.forkSession(first.id, options),
        await backend.forkSession(first.id, options),
      ];
      const second = await backend.loadSession(loaded, options);
      for (const id of [unused, loaded, first.id]) await backend.closeFork(id);
      assert.match(await ask(second, '/plan'), /All steps/);
      await first.sendPrompt({ text: '/plan' });
      assert.match((await follower.next('prompt:complete', 2)).response, /All steps/);
      // A session that is still open has no replayed history.
      await new Follower(await backend.loadSession(unused, options)).next('prompt:complete');
    });

    it('is refused for a session that does not exist', async () => {
      await assert.rejects(start().forkSession('nothing', { cwd: demos.folder }), { code: 'notFound' });
    });
  });
}
