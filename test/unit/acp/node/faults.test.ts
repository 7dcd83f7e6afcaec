import assert from 'node:assert/strict';
import * as path from 'node:path';
import { nullLogger } from '../../../../src/base/common/log';
import { systemClock } from '../../../../src/base/node/systemClock';
import { startAgentProcess, type AgentProcess } from '../../../../src/acp/node/agentProcess';
import type { AcpBackend } from '../../../../src/acp/node/acpBackend';
import { RestartPolicy } from '../../../../src/acp/node/restartPolicy';
import { isTreeAlive } from '../../../../src/acp/node/processTree';
import { FakeClock } from '../../../fake/fakeClock';
import { backendOf, cwd, Follower, open } from '../../../fake/backendHarness';
import { basics, type Script } from '../../../fake/scriptedAgent';

const never = (): Promise<never> => new Promise(() => undefined);
const toolCall = { toolCallId: 'c1', title: 'Edit' };
const options = [
  { optionId: 'a', name: 'Allow', kind: 'allow_once' as const },
  { optionId: 'r', name: 'Reject', kind: 'reject_once' as const },
];

/** Does what the first start is given to do; every later one is well. */
const firstTime =
  (script: Script): Script =>
  (app, process, nth) => {
    if (nth === 1) {
      script(app, process, nth);
      return;
    }
    app.onRequest('session/resume', () => ({}));
    basics(app);
    app.onRequest('session/prompt', () => ({ stopReason: 'end_turn' }));
  };

describe('when an ACP agent fails', () => {
  const backends: AcpBackend[] = [];
  afterEach(() => {
    for (const backend of backends.splice(0)) backend.dispose();
  });
  function make(...args: Parameters<typeof backendOf>) {
    const made = backendOf(...args);
    backends.push(made.backend);
    return made;
  }

  it('before it answers initialize: the caller hears its last words, and the next try starts it again', async () => {
    const { agents, backend } = make(
      firstTime((app, process) => {
        app.onRequest('initialize', () => {
          process.crash('no such model');
          return never();
        });
      }),
    );
    await assert.rejects(backend.createSession({ cwd }), { message: /ended unexpectedly/, details: 'no such model' });
    assert.equal(backend.state.kind, 'failed');
    assert.equal(backend.state.details, 'no such model');
    const { session, follower } = await open(backend);
    await session.prompt({ text: 'go' });
    await follower.next('prompt:complete');
    assert.equal(agents.started.length, 2);
  });

  it('by never answering initialize: it is ended after its time', async () => {
    const clock = new FakeClock();
    const { agents, backend } = make((app) => app.onRequest('initialize', never), { clock });
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

  it('while it opens a session', async () => {
    const { backend } = make(
      firstTime((app, process) => {
        app.onRequest('session/new', () => {
          process.crash('disk full');
          return never();
        });
        basics(app);
      }),
    );
    await assert.rejects(backend.createSession({ cwd }), { details: 'disk full' });
    await backend.createSession({ cwd });
  });

  it('in the middle of a turn: the turn ends with its last words, and the conversation goes on after a restart', async () => {
    const { agents, backend } = make(
      firstTime((app, process) => {
        basics(app);
        app.onRequest('session/prompt', async ({ params: { sessionId }, client }) => {
          const update = { sessionUpdate: 'tool_call' as const, ...toolCall };
          await client.notify('session/update', { sessionId, update });
          process.crash('segmentation fault');
          return never();
        });
      }),
    );
    const { session, follower } = await open(backend);
    await session.prompt({ text: 'go' });
    const failure = await follower.next('error');
    assert.match(failure.error, /Demo ended unexpectedly \(exit code 1\)/);
    assert.equal(failure.details, 'segmentation fault');
    assert.equal(follower.all('tool:error').length, 1);
    assert.equal(session.isBusy, false);
    await session.prompt({ text: 'again' });
    await follower.next('prompt:complete');
    assert.equal(agents.started.length, 2);
    assert.equal(follower.all('notice').length, 0, 'it was taken up by session/resume');
  });

  it('and forgets everything: the session goes on and says so', async () => {
    const capable = { agentCapabilities: {} };
    const { backend } = make((app, process, nth) => {
      basics(app, capable);
      app.onRequest('session/prompt', ({ params: { sessionId } }) => {
        if (nth > 1) return { stopReason: sessionId === 's1' ? 'end_turn' : 'refusal' };
        process.crash('');
        return never();
      });
    });
    const { session, follower } = await open(backend);
    await session.prompt({ text: 'go' });
    await follower.next('error');
    await session.prompt({ text: 'again' });
    assert.equal((await follower.next('prompt:complete')).stop_reason, 'end_turn');
    assert.match((await follower.next('notice')).message, /does not remember/);
  });

  it('and can only load, not resume: its history is not told again, and the new turn goes on', async () => {
    const update = (sessionUpdate: string, words: string) => ({
      sessionUpdate,
      content: { type: 'text', text: words },
    });
    const { backend } = make((app, process, nth) => {
      const say = (sessionId: string, told: object) =>
        process.end.send({ jsonrpc: '2.0', method: 'session/update', params: { sessionId, update: told } });
      app.onRequest('session/load', async ({ params: { sessionId } }) => {
        await say(sessionId, update('user_message_chunk', 'go'));
        await say(sessionId, update('agent_message_chunk', 'old answer'));
        return {};
      });
      basics(app, { agentCapabilities: { loadSession: true } });
      app.onRequest('session/prompt', async ({ params: { sessionId } }) => {
        if (nth === 1) {
          process.crash('');
          return never();
        }
        await say(sessionId, update('agent_message_chunk', 'new answer'));
        return { stopReason: 'end_turn' };
      });
    });
    const { session, follower } = await open(backend);
    await session.prompt({ text: 'go' });
    await follower.next('error');
    const { requestId } = await session.prompt({ text: 'again' });
    const { response, request_id } = await follower.next('prompt:complete');
    assert.deepEqual([response, request_id], ['new answer', requestId]);
    assert.equal(follower.all('prompt:submit').length, 2);
    assert.equal(follower.all('prompt:complete').length, 1);
  });

  it('and then hangs when it takes up the conversation: that has an end, by its time or by the user', async () => {
    const clock = new FakeClock();
    let asked = (): void => undefined;
    let attempts = 0;
    const { backend } = make(
      (app, process, nth) => {
        app.onRequest('session/resume', () => {
          asked();
          return ++attempts <= 2 ? never() : {};
        });
        basics(app);
        app.onRequest('session/prompt', () => {
          if (nth > 1) return { stopReason: 'end_turn' };
          process.crash('');
          return never();
        });
      },
      { clock },
    );
    const { session, follower } = await open(backend);
    await session.prompt({ text: 'go' });
    await new Promise((resolve) => setImmediate(resolve));
    await follower.next('error');
    let waits = new Promise<void>((resolve) => (asked = resolve));
    await session.prompt({ text: 'hangs' });
    await waits;
    await session.cancel();
    assert.equal((await follower.next('prompt:complete')).stop_reason, 'cancelled');
    waits = new Promise<void>((resolve) => (asked = resolve));
    await session.prompt({ text: 'hangs, too' });
    await waits;
    clock.advance(2 * 60_000);
    assert.equal((await follower.next('error', 2)).code, 'timeout');
    await session.prompt({ text: 'is well' });
    await follower.next('prompt:complete', 2);
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

  it('by ignoring every wish to end: it is dead after stop and dispose, also when stop is not awaited', async () => {
    const file = path.resolve('test/fixtures/agents/misbehaving.mjs');
    const stubborn: AgentProcess[] = [];
    const startAgent = async () => {
      const command = { command: process.execPath, args: [file, 'ignoresEverything'], env: {}, cwd: process.cwd() };
      const agent = await startAgentProcess(command, { clock: systemClock, log: nullLogger, graceMs: 100 });
      stubborn.push(agent);
      await new Promise<void>((resolve) => agent.stream.onMessage(() => resolve()));
      return agent;
    };
    for (const isAwaited of [true, false]) {
      const { backend } = make(() => undefined, { startAgent });
      const opening = assert.rejects(backend.createSession({ cwd }));
      while (backend.state.kind !== 'starting' || !stubborn.at(-1))
        await new Promise((resolve) => setImmediate(resolve));
      const agent = stubborn.pop();
      assert.ok(agent);
      await new Promise((resolve) => setTimeout(resolve, 100));
      const stopped = backend.stop();
      if (isAwaited) await stopped;
      else {
        await opening;
        backend.dispose();
        const endMs = Date.now() + 50;
        while (isTreeAlive(agent.pid) && Date.now() < endMs) await new Promise((resolve) => setTimeout(resolve, 5));
      }
      assert.equal(isTreeAlive(agent.pid), false);
      await stopped;
    }
  });

  it('with an open question: the question is denied and the turn ends', async () => {
    const { agents, backend } = make(
      firstTime((app) => {
        basics(app);
        app.onRequest('session/prompt', async ({ params: { sessionId }, client }) => {
          await client.request('session/request_permission', { sessionId, toolCall, options });
          return { stopReason: 'end_turn' };
        });
      }),
    );
    const { session, follower } = await open(backend);
    await session.prompt({ text: 'go' });
    const asked = await follower.next('approval:required');
    agents.last.crash('gone');
    await follower.next('error');
    await follower.next('approval:denied');
    await assert.rejects(session.approve(asked.approval_id, 'Allow'), { code: 'approvalResolved' });
  });

  it('with an open terminal: the command goes with the agent', async () => {
    const folder = process.cwd();
    const { agents, backend, editor, rules } = make((app) => {
      basics(app);
      app.onRequest('session/prompt', async ({ params: { sessionId }, client }) => {
        const code = 'console.log(process.pid); setInterval(() => {}, 1000)';
        const terminal = await client.createTerminal({ sessionId, command: process.execPath, args: ['-e', code] });
        const content = [{ type: 'terminal' as const, terminalId: terminal.id }];
        const update = { sessionUpdate: 'tool_call' as const, toolCallId: 'c1', title: 'Wait', content };
        await client.notify('session/update', { sessionId, update });
        return never();
      });
    });
    editor.setFolders(folder);
    rules.push({ effect: 'allow', kind: 'execute', scope: 'always' });
    const session = await backend.createSession({ cwd: folder });
    const follower = new Follower(session);
    await session.prompt({ text: 'go' });
    const [shown] = (await follower.next('tool:update')).content ?? [];
    assert.equal(shown?.type, 'terminal');
    const pid = Number(shown.output);
    assert.equal(isTreeAlive(pid), true);
    agents.last.crash('gone');
    await follower.next('error');
    await backend.stop();
    assert.equal(isTreeAlive(pid), false);
  });

  it('by closing its output only: it is ended, and started again when it is needed', async () => {
    const { agents, backend } = make(
      firstTime((app, process) => {
        basics(app);
        app.onRequest('session/prompt', () => {
          process.end.dispose();
          return never();
        });
      }),
      { limits: { exitGraceMs: 10 } },
    );
    const { session, follower } = await open(backend);
    await session.prompt({ text: 'go' });
    assert.match((await follower.next('error')).error, /closed the connection/);
    assert.equal(agents.started[0]?.isGone, true);
    await session.prompt({ text: 'again' });
    await follower.next('prompt:complete');
  });

  it('five times within three minutes: it is not started again until somebody says so', async () => {
    const { agents, backend } = make((app, process) => {
      app.onRequest('initialize', () => {
        process.crash('broken install');
        return never();
      });
    });
    for (let attempt = 0; attempt < 5; attempt++) await assert.rejects(backend.capabilities());
    await assert.rejects(backend.capabilities(), { message: /not started again/ });
    assert.equal(agents.started.length, 5);
    await backend.stop();
    await assert.rejects(backend.capabilities(), { message: /ended unexpectedly/ });
    assert.equal(agents.started.length, 6);
  });

  it('after a crash it is given time before it starts again', async () => {
    const clock = new FakeClock();
    const { agents, backend } = make(
      firstTime((app, process) => {
        app.onRequest('initialize', () => {
          process.crash('');
          return never();
        });
      }),
      {
        clock,
        restartPolicy: new RestartPolicy(
          () => clock.now(),
          () => 0.999,
        ),
      },
    );
    await assert.rejects(backend.capabilities());
    const again = backend.capabilities();
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(agents.started.length, 1);
    assert.equal(backend.state.kind, 'starting');
    clock.advance(500);
    await again;
    assert.equal(agents.started.length, 2);
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
    await session.prompt({ text: 'go' });
    await new Promise((resolve) => setImmediate(resolve));
    const cancelled = session.cancel();
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(9_999);
    assert.equal(session.isBusy, true);
    clock.advance(1);
    assert.equal((await follower.next('prompt:complete')).stop_reason, 'interrupted');
    // At once, while the end of the first turn is still on its way.
    await session.prompt({ text: 'again' });
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
      await session.prompt({ text: 'go' });
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
    await session.prompt({ text: 'go' });
    const { response } = await follower.next('prompt:complete');
    assert.equal(response, Array.from({ length: 20_000 }, (_, index) => `${index} `).join(''));
    assert.equal(follower.all('content_block:delta').length, 20_000);
  });

  it('by being stopped: what is pending ends, and nothing is left', async () => {
    const { agents, backend } = make((app) => {
      basics(app);
      app.onRequest('session/prompt', never);
    });
    const { session, follower } = await open(backend);
    await session.prompt({ text: 'go' });
    await new Promise((resolve) => setImmediate(resolve));
    await backend.stop();
    assert.match((await follower.next('error')).error, /was stopped/);
    assert.equal(agents.last.isGone, true);
    assert.equal(backend.state.kind, 'stopped');
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
    await session.prompt({ text: 'go' });
    backend.dispose();
    await follower.ended;
    assert.equal(follower.all('prompt:complete')[0]?.stop_reason, 'cancelled');
    assert.equal(agents.last.isGone, true);
    await assert.rejects(backend.createSession({ cwd }), { code: 'closed' });
  });
});
