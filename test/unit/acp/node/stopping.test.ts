import assert from 'node:assert/strict';
import * as path from 'node:path';
import { nullLogger } from '../../../../src/base/common/log';
import { systemClock } from '../../../../src/base/node/systemClock';
import { startAgentProcess, type AgentProcess } from '../../../../src/acp/node/process/agentProcess';
import { isProcessTreeAlive } from '../../../support/isProcessTreeAlive';
import { cwd, open, useBackends } from '../../../fake/backendHarness';
import { basics, never, says } from '../../../fake/acp/scriptedAgent';
import { until } from '../../../support/eventually';

describe('when an ACP agent is ended', () => {
  const make = useBackends();

  it('by ignoring every wish to end: it is dead after stop and dispose, also when stop is not awaited', async () => {
    const file = path.resolve('test/fixtures/agents/misbehaving.mjs');
    const stubborn: AgentProcess[] = [];
    const startAgent = async () => {
      const command = { command: process.execPath, args: [file, 'ignoresEverything'], env: {}, cwd: process.cwd() };
      const agent = await startAgentProcess(command, { clock: systemClock, log: nullLogger, graceMs: 100 });
      // Its first message says that it ignores signals by now.
      await new Promise<void>((resolve) => agent.stream.onMessage(() => resolve()));
      stubborn.push(agent);
      return agent;
    };
    for (const isAwaited of [true, false]) {
      const { backend } = make(() => undefined, { startAgent });
      const opening = assert.rejects(backend.createSession({ cwd }));
      await until('the agent', () => backend.state.kind === 'starting' && stubborn.length > 0);
      const agent = stubborn.pop();
      assert.ok(agent);
      const stopped = backend.stop();
      if (isAwaited) await stopped;
      else {
        await opening;
        backend.dispose();
        await until('its death', () => !isProcessTreeAlive(agent.pid));
      }
      assert.equal(isProcessTreeAlive(agent.pid), false);
      await stopped;
    }
  });

  it('by being stopped: what is pending ends, and nothing is left', async () => {
    const { agents, backend } = make((app) => {
      basics(app);
      app.onRequest('session/prompt', never);
    });
    const { session, follower } = await open(backend);
    await session.sendPrompt({ text: 'go' });
    await new Promise((resolve) => setImmediate(resolve));
    await backend.stop();
    assert.equal((await follower.next('prompt:complete')).stop_reason, 'cancelled');
    assert.equal(agents.last.isGone, true);
    assert.equal(backend.state.kind, 'stopped');
  });

  it('by being stopped: what it says until its turn has ended arrives', async () => {
    const prompted: PromiseWithResolvers<void> = Promise.withResolvers();
    const { backend } = make((app) => {
      const cancelled: PromiseWithResolvers<void> = Promise.withResolvers();
      app.onNotification('session/cancel', () => cancelled.resolve());
      app.onRequest('session/prompt', async ({ params, client }) => {
        prompted.resolve();
        await cancelled.promise;
        await client.notify('session/update', says(params.sessionId, 'last words'));
        return { stopReason: 'cancelled' };
      });
      basics(app);
    });
    const { session, follower } = await open(backend);
    await session.sendPrompt({ text: 'go' });
    await prompted.promise;
    await backend.stop();
    assert.equal((await follower.next('content_block:delta')).delta, 'last words');
    assert.equal((await follower.next('prompt:complete')).stop_reason, 'cancelled');
  });

  it('by being stopped while it starts: it does not start behind our back', async () => {
    const { agents, backend } = make((app) => basics(app));
    const opening = assert.rejects(backend.createSession({ cwd }), { code: 'closed' });
    await backend.stop();
    await opening;
    assert.equal(agents.last.isGone, true);
    assert.equal(backend.state.kind, 'stopped');
    await backend.createSession({ cwd });
  });

  it('by an editor that goes away: dispose ends sessions and processes', async () => {
    const { agents, backend } = make((app) => {
      basics(app);
      app.onRequest('session/prompt', never);
    });
    const { session, follower } = await open(backend);
    await session.sendPrompt({ text: 'go' });
    backend.dispose();
    await follower.ended;
    assert.equal(follower.all('prompt:complete')[0]?.stop_reason, 'cancelled');
    assert.equal(agents.last.isGone, true);
    await assert.rejects(backend.createSession({ cwd }), { code: 'closed' });
  });
});
