import assert from 'node:assert/strict';
import { RestartPolicy } from '../../../../src/acp/node/process/restartPolicy';
import { isProcessTreeAlive } from '../../../support/isProcessTreeAlive';
import { FakeClock } from '../../../fake/fakeClock';
import { cwd, Follower, open, useBackends } from '../../../fake/backendHarness';
import { standingOf } from '../../../fake/fakePermissions';
import { basics, firstTime, never, type Script } from '../../../fake/acp/scriptedAgent';

const toolCall = { toolCallId: 'c1', title: 'Edit' };
const options = [
  { optionId: 'a', name: 'Allow', kind: 'allow_once' as const },
  { optionId: 'r', name: 'Reject', kind: 'reject_once' as const },
];

describe('when an ACP agent ends by itself', () => {
  const make = useBackends();

  it('before it answers initialize: the caller hears its last words, and the next try starts it again', async () => {
    const { agents, backend } = make(
      firstTime((app, process) => {
        app.onRequest('initialize', () => {
          process.crash('no such model');
          return never();
        });
      }),
      { protocol: '1' },
    );
    await assert.rejects(backend.createSession({ cwd }), { message: /ended unexpectedly/, details: 'no such model' });
    assert.equal(backend.state.kind, 'failed');
    assert.equal(backend.state.details, 'no such model');
    const { session, follower } = await open(backend);
    await session.sendPrompt({ text: 'go' });
    await follower.next('prompt:complete');
    assert.equal(agents.started.length, 2);
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

  it('in the middle of a turn: the turn ends with its last words, and the conversation continues after a restart', async () => {
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
    await session.sendPrompt({ text: 'go' });
    const failure = await follower.next('error');
    assert.match(failure.error, /Demo ended unexpectedly \(exit code 1\)/);
    assert.equal(failure.details, 'segmentation fault');
    assert.equal(follower.all('tool:error').length, 1);
    assert.equal(session.turn, 'none');
    await session.sendPrompt({ text: 'again' });
    await follower.next('prompt:complete');
    assert.equal(agents.started.length, 2);
    assert.equal(follower.all('notice').length, 0, 'it was taken up by session/resume');
  });

  it('and forgets everything: it is reminded, and the session continues under its new name and says so', async () => {
    const prompts: string[] = [];
    const { backend } = make((app, process, nth) => {
      app.onRequest('session/new', () => ({ sessionId: `start-${nth}` }));
      basics(app, { agentCapabilities: {} });
      app.onRequest('session/prompt', ({ params: { prompt, sessionId } }) => {
        prompts.push(
          [sessionId, ...prompt.map((block) => (block.type === 'text' ? block.text : block.type))].join('|'),
        );
        if (nth > 1) return { stopReason: 'end_turn' };
        process.crash('');
        return never();
      });
    });
    const { session, follower } = await open(backend);
    const reminder = () => [{ type: 'text' as const, uri: 'note:1', title: 'So far', text: 'They said hi.' }];
    await session.sendPrompt({ text: 'go', reminder });
    await follower.next('error');
    await session.sendPrompt({ text: 'again', reminder });
    await follower.next('prompt:complete');
    await session.sendPrompt({ text: 'more', reminder });
    await follower.next('prompt:complete', 2);
    assert.deepEqual(prompts, ['start-1|go', 'start-2|So far (note:1):\n\nThey said hi.|again', 'start-2|more']);
    assert.deepEqual(follower.all('session:info'), [{ session_id: 'start-1', agent_session_id: 'start-2' }]);
    const notices = follower.all('notice').map(({ message }) => message);
    assert.deepEqual(notices, [
      'Demo was restarted and doesn’t remember this conversation.',
      'A summary of the conversation was sent with your prompt.',
    ]);
  });

  it('and again before it is reminded: the next start is', async () => {
    let last = '';
    const { backend } = make((app, process, nth) => {
      basics(app, { agentCapabilities: {} });
      app.onRequest('session/prompt', ({ params: { prompt } }) => {
        last = prompt.map((block) => (block.type === 'text' ? block.text : block.type)).join('|');
        if (nth > 2) return { stopReason: 'end_turn' };
        process.crash('');
        return never();
      });
    });
    const { session, follower } = await open(backend);
    const reminder = () => [{ type: 'text' as const, uri: 'note:1', title: 'So far', text: 'Hi.' }];
    for (const turn of [1, 2]) {
      await session.sendPrompt({ text: 'go', reminder });
      await follower.next('error', turn);
    }
    await session.sendPrompt({ text: 'go', reminder });
    await follower.next('prompt:complete');
    assert.equal(last, 'So far (note:1):\n\nHi.|go');
  });

  it('and can only load, not resume: its history is not told again, and the new turn continues', async () => {
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
    await session.sendPrompt({ text: 'go' });
    await follower.next('error');
    const { requestId } = await session.sendPrompt({ text: 'again' });
    const { response, request_id } = await follower.next('prompt:complete');
    assert.deepEqual([response, request_id], ['new answer', requestId]);
    assert.equal(follower.all('prompt:submit').length, 2);
    assert.equal(follower.all('prompt:complete').length, 1);
  });

  it('and tells its long history again for longer than a request may take: the prompt waits while it comes, and no longer', async () => {
    const clock = new FakeClock();
    let loads = 0;
    const { backend } = make(
      (app, process) => {
        app.onRequest('session/load', async ({ params: { sessionId }, client }) => {
          for (let part = 0; part < 5; part++) {
            const content = { type: 'text' as const, text: `part ${part}` };
            await client.notify('session/update', {
              sessionId,
              update: { sessionUpdate: 'agent_message_chunk', content },
            });
            await new Promise((resolve) => setImmediate(resolve));
            clock.advance(90_000);
          }
          if (++loads > 1) clock.advance(240_000);
          return loads > 1 ? never() : {};
        });
        basics(app, { agentCapabilities: { loadSession: true } });
        app.onRequest('session/prompt', ({ params: { prompt } }) => {
          if (prompt.some((block) => block.type === 'text' && block.text === 'again'))
            return { stopReason: 'end_turn' };
          process.crash('');
          return never();
        });
      },
      { clock },
    );
    const { session, follower } = await open(backend);
    await session.sendPrompt({ text: 'go' });
    await follower.next('error');
    await session.sendPrompt({ text: 'again' });
    await follower.next('prompt:complete');
    await session.sendPrompt({ text: 'go' });
    await follower.next('error', 2);
    await session.sendPrompt({ text: 'again' });
    assert.equal((await follower.next('error', 3)).code, 'timeout');
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
    await session.sendPrompt({ text: 'go' });
    await new Promise((resolve) => setImmediate(resolve));
    await follower.next('error');
    let waits = new Promise<void>((resolve) => (asked = resolve));
    await session.sendPrompt({ text: 'hangs' });
    await waits;
    await session.cancel();
    assert.equal((await follower.next('prompt:complete')).stop_reason, 'cancelled');
    waits = new Promise<void>((resolve) => (asked = resolve));
    await session.sendPrompt({ text: 'hangs, too' });
    await waits;
    clock.advance(2 * 60_000);
    assert.equal((await follower.next('error', 2)).code, 'timeout');
    await session.sendPrompt({ text: 'is well' });
    await follower.next('prompt:complete', 2);
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
    await session.sendPrompt({ text: 'go' });
    const asked = await follower.next('approval:required');
    agents.last.crash('gone');
    await follower.next('error');
    await follower.next('approval:denied');
    await assert.rejects(session.answerApproval(asked.approval_id, 'Allow'), { code: 'approvalResolved' });
  });

  it('with an open terminal: the command goes with the agent', async () => {
    const folder = process.cwd();
    const script: Script = (app) => {
      basics(app);
      app.onRequest('session/prompt', async ({ params: { sessionId }, client }) => {
        const code = 'console.log(process.pid); setInterval(() => {}, 1000)';
        const terminal = await client.createTerminal({ sessionId, command: process.execPath, args: ['-e', code] });
        const content = [{ type: 'terminal' as const, terminalId: terminal.id }];
        const update = { sessionUpdate: 'tool_call' as const, toolCallId: 'c1', title: 'Wait', content };
        await client.notify('session/update', { sessionId, update });
        return never();
      });
    };
    const standing = standingOf([], () => ({ '*': { run: 'allow' } }));
    const { agents, backend, editor } = make(script, { standing });
    editor.setFolders(folder);
    const session = await backend.createSession({ cwd: folder });
    const follower = new Follower(session);
    await session.sendPrompt({ text: 'go' });
    const [shown] = (await follower.next('tool:update')).content ?? [];
    assert.equal(shown?.type, 'terminal');
    const pid = Number(shown.output);
    assert.equal(isProcessTreeAlive(pid), true);
    agents.last.crash('gone');
    await follower.next('error');
    await backend.stop();
    assert.equal(isProcessTreeAlive(pid), false);
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
    await session.sendPrompt({ text: 'go' });
    assert.match((await follower.next('error')).error, /closed the connection/);
    assert.equal(agents.started[0]?.isGone, true);
    await session.sendPrompt({ text: 'again' });
    await follower.next('prompt:complete');
  });

  it('five times within three minutes: it is not started again until somebody says so', async () => {
    const { agents, backend } = make(
      (app, process) => {
        app.onRequest('initialize', () => {
          process.crash('broken install');
          return never();
        });
      },
      { protocol: '1' },
    );
    for (let attempt = 0; attempt < 5; attempt++) await assert.rejects(backend.capabilities());
    await assert.rejects(backend.capabilities(), { message: /no longer restarted automatically/ });
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
        protocol: '1',
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
    clock.setBack(3_600_000);
    clock.advance(500);
    await again;
    assert.equal(agents.started.length, 2);
  });

  it('is started again in time when the clock was set back before it was asked for', async () => {
    const clock = new FakeClock();
    const { agents, backend } = make(
      firstTime((app, process) => {
        app.onRequest('initialize', () => {
          process.crash('');
          return never();
        });
      }),
      { clock, protocol: '1' },
    );
    await assert.rejects(backend.capabilities());
    clock.setBack(3_600_000);
    const again = backend.capabilities();
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(1_000);
    await again;
    assert.equal(agents.started.length, 2);
  });
});
