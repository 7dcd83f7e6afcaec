import assert from 'node:assert/strict';
import { RequestError } from '@agentclientprotocol/sdk/experimental/v2';
import type { AcpBackend } from '../../../../../src/acp/node/session/acpBackend';
import { cwd, open, useBackends } from '../../../../fake/backendHarness';
import { FakeClock } from '../../../../fake/fakeClock';
import { basics, never, says, type ScriptedAgent } from '../../../../fake/acp/scriptedAgent';
import { onV2Prompt, v2BackendOf, v2Basics, type V2Script, type V2Teller } from '../../../../fake/acp/scriptedV2Agent';

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('when an agent of ACP v2 misbehaves', () => {
  const backends: AcpBackend[] = [];
  const makeV1 = useBackends();

  afterEach(() => {
    for (const backend of backends.splice(0)) backend.dispose();
  });

  function make(script: V2Script, more: Parameters<typeof v2BackendOf>[1] = {}) {
    const made = v2BackendOf(script, more);
    backends.push(made.backend);
    return made;
  }

  /** The first start does `work` for its prompt; every later one is well and says "back". */
  const firstTime =
    (work: (teller: V2Teller, process: ScriptedAgent) => Promise<void>): V2Script =>
    (app, process, nth) => {
      app.onRequest('session/resume', () => ({}));
      v2Basics(app);
      onV2Prompt(app, async (teller) => {
        if (nth === 1) {
          await work(teller, process);
          return;
        }
        await teller.say('back');
        await teller.idle('end_turn');
      });
    };

  const steps: Record<string, (teller: V2Teller) => Promise<void>> = {
    'after it has accepted the prompt': () => Promise.resolve(),
    'in its text': (teller) => teller.say('half'),
    'in a thought': (teller) =>
      teller.tell({ sessionUpdate: 'agent_thought_chunk', messageId: 't', content: { type: 'text', text: 'hm' } }),
    'in a call with a terminal': async (teller) => {
      const content = [{ type: 'terminal' as const, terminalId: 't1' }];
      await teller.tell({ sessionUpdate: 'tool_call_update', toolCallId: 'c', kind: 'execute', content });
      await teller.tell({ sessionUpdate: 'terminal_output_chunk', terminalId: 't1', data: 'b3V0' });
    },
    'in a question': (teller) => {
      const options = [{ optionId: 'yes', name: 'Allow', kind: 'allow_once' as const }];
      const request = { sessionId: teller.sessionId, title: 'May I?', options };
      void teller.client.request('session/request_permission', request).catch(() => undefined);
      return turn().then(() => undefined);
    },
    'in a subagent': ({ client, sessionId }) => {
      const update = { sessionUpdate: 'subagent_update', sessionId: 'sub', title: 'Sub' };
      return client.notify<object, string>('session/update', { sessionId, update });
    },
    'in a plan': (teller) => {
      const plan = { type: 'items' as const, planId: 'p', entries: [] };
      return teller.tell({ sessionUpdate: 'plan_update', plan });
    },
    'while it waits for the user': (teller) => teller.state('requires_action'),
  };
  for (const [when, step] of Object.entries(steps)) {
    it(`by dying ${when}: the turn fails, and the next prompt continues in a new process`, async () => {
      const { agents, backend } = make(
        firstTime(async (teller, process) => {
          await step(teller);
          await turn();
          process.crash('last words');
        }),
      );
      const { session, follower } = await open(backend);
      await session.sendPrompt({ text: 'go' });
      assert.equal((await follower.next('error')).details, 'last words');
      assert.equal(session.turn, 'none');
      await session.sendPrompt({ text: 'again' });
      assert.equal((await follower.next('prompt:complete')).response, 'back');
      assert.equal(agents.started.length, 2);
    });
  }

  it('by answering the handshake with version 1 and speaking version 2: what it tells is counted, and the turn ends', async () => {
    const { backend } = makeV1((app, process) => {
      basics(app);
      app.onRequest('session/prompt', async ({ params: { sessionId }, client }) => {
        const tell = (update: object) =>
          process.end.send({ jsonrpc: '2.0', method: 'session/update', params: { sessionId, update } });
        await tell({ sessionUpdate: 'state_update', state: 'running' });
        await tell({ sessionUpdate: 'agent_message', messageId: 'a', content: [{ type: 'text', text: 'lost' }] });
        await client.notify('session/update', says(sessionId, 'kept'));
        await tell({ sessionUpdate: 'state_update', state: 'idle', stopReason: 'end_turn' });
        return { stopReason: 'end_turn' };
      });
    });
    const { session, follower } = await open(backend);
    await session.sendPrompt({ text: 'go' });
    assert.equal((await follower.next('prompt:complete')).response, 'kept');
  });

  it('by answering the handshake with version 2 and speaking version 1: the turn fails with a reason', async () => {
    const { backend } = make((app, process) => {
      v2Basics(app);
      process.end.onMessage(({ id, method }) => {
        if (method !== 'session/prompt') return;
        const update = { sessionUpdate: 'tool_call', toolCallId: 'c', title: 'Old', status: 'pending' };
        void process.end.send({ jsonrpc: '2.0', method: 'session/update', params: { sessionId: 's1', update } });
        void process.end.send({ jsonrpc: '2.0', id, result: { stopReason: 'end_turn' } });
      });
      app.onRequest('session/prompt', never);
    });
    const { session, follower } = await open(backend);
    await session.sendPrompt({ text: 'go' });
    assert.match((await follower.next('error')).error, /session\/prompt/);
    assert.match((await follower.next('notice')).message, /Backline can’t show an update of the type “tool_call”/);
    assert.equal(session.turn, 'none');
  });

  it('by dying before it answers the prompt', async () => {
    const { backend } = make((app, process) => {
      app.onRequest('session/prompt', () => {
        process.crash('gone');
        return never();
      });
      v2Basics(app);
    });
    const { session, follower } = await open(backend);
    await session.sendPrompt({ text: 'go' });
    await follower.next('error');
    assert.equal(session.turn, 'none');
  });

  it('by refusing the prompt', async () => {
    const { backend } = make((app) => {
      app.onRequest('session/prompt', () => {
        throw new RequestError(-32603, 'Not today');
      });
      v2Basics(app);
    });
    const { session, follower } = await open(backend);
    await session.sendPrompt({ text: 'go' });
    assert.match((await follower.next('error')).error, /Not today/);
    await session.sendPrompt({ text: 'again' });
    await follower.next('error', 2);
  });

  it('by accepting the prompt without an id of its message', async () => {
    const { backend } = make((app, process) => {
      v2Basics(app);
      process.end.onMessage(({ id, method }) => {
        if (method === 'session/prompt') void process.end.send({ jsonrpc: '2.0', id, result: {} });
      });
      app.onRequest('session/prompt', never);
    });
    const { session, follower } = await open(backend);
    await session.sendPrompt({ text: 'go' });
    assert.equal((await follower.next('error')).code, 'protocol');
  });

  it('by ending the turn twice', async () => {
    const { backend } = make((app) => {
      v2Basics(app);
      onV2Prompt(app, async (teller) => {
        await teller.say('done');
        await teller.idle('end_turn');
        await teller.idle('cancelled');
        await teller.idle(null);
      });
    });
    const { session, follower } = await open(backend);
    await session.sendPrompt({ text: 'one' });
    await follower.next('prompt:complete');
    await session.sendPrompt({ text: 'two' });
    await follower.next('prompt:complete', 2);
    assert.deepEqual(
      follower.all('prompt:complete').map(({ stop_reason }) => stop_reason),
      ['end_turn', 'end_turn'],
    );
  });

  it('by never ending it: stopping ends the agent after its time, and the next prompt restarts it', async () => {
    const clock = new FakeClock();
    const { agents, backend } = make(
      firstTime((teller) => teller.say('on and on')),
      { clock },
    );
    const { session, follower } = await open(backend);
    await session.sendPrompt({ text: 'go' });
    await follower.next('content_block:delta');
    const cancelled = session.cancel();
    await turn();
    clock.advance(10_000);
    await cancelled;
    assert.equal((await follower.next('prompt:complete')).stop_reason, 'interrupted');
    assert.equal(agents.started[0]?.isGone, true);
    await session.sendPrompt({ text: 'again' });
    assert.equal((await follower.next('prompt:complete', 2)).response, 'back');
  });

  it('by doing nothing at all after it has accepted: stopping ends the turn at once', async () => {
    const { agents, backend } = make((app) => {
      v2Basics(app);
      app.onRequest('session/prompt', () => ({ messageId: 'u1' }));
    });
    const { session, follower } = await open(backend);
    await session.sendPrompt({ text: 'go' });
    await turn();
    await session.cancel();
    assert.equal((await follower.next('prompt:complete')).stop_reason, 'cancelled');
    assert.equal(agents.last.isGone, false);
  });

  it('by telling of other sessions, of calls and terminals that never began, and of nothing', async () => {
    const { backend } = make((app) => {
      v2Basics(app);
      onV2Prompt(app, async (teller) => {
        const { client, sessionId } = teller;
        const send = (update: object, id = sessionId) =>
          client.notify<unknown, string>('session/update', { sessionId: id, update });
        await send({ sessionUpdate: 'state_update', state: 'idle', stopReason: 'end_turn' }, 'another');
        await send({ sessionUpdate: 'terminal_output_chunk', terminalId: 'lost', data: 'AA==' });
        await send({ sessionUpdate: 'terminal_update', terminalId: 'lost', exitStatus: {} });
        await send({ sessionUpdate: 'tool_call_update', toolCallId: 'late', status: 'completed' });
        await send({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'without an id' } });
        await send({ sessionUpdate: 'state_update' });
        await send({ sessionUpdate: 'plan_update', plan: null });
        await client.notify<unknown, string>('session/update', { update: null });
        await client.notify<unknown, string>('_mine/hello', {});
        await teller.say('still here');
        await teller.idle('end_turn');
      });
    });
    const { session, follower } = await open(backend);
    await session.sendPrompt({ text: 'go' });
    assert.equal((await follower.next('prompt:complete')).response, 'still here');
    assert.deepEqual(
      follower.all('tool:post').map(({ call_id }) => call_id),
      ['late'],
    );
  });

  it('by telling the same again: nothing is shown twice', async () => {
    const { backend } = make((app) => {
      v2Basics(app);
      onV2Prompt(app, async (teller, prompt) => {
        const message = { sessionUpdate: 'agent_message' as const, messageId: 'm', content: prompt };
        const call = { sessionUpdate: 'tool_call_update' as const, toolCallId: 'c', status: 'completed' as const };
        for (const update of [message, message, call, call, message]) await teller.tell(update);
        await teller.idle('end_turn');
      });
    });
    const { session, follower } = await open(backend);
    await session.sendPrompt({ text: 'once' });
    const { response } = await follower.next('prompt:complete');
    assert.deepEqual([response, follower.all('tool:post').length], ['once', 1]);
  });

  it('by going on with work after its session was closed', async () => {
    const { promise: working, resolve: work } = Promise.withResolvers<V2Teller>();
    const { backend } = make((app) => {
      v2Basics(app);
      onV2Prompt(app, (teller) => {
        work(teller);
        return Promise.resolve();
      });
    });
    const { session, follower } = await open(backend);
    await session.sendPrompt({ text: 'go' });
    const teller = await working;
    const closing = session.close();
    await teller.idle('cancelled');
    await closing;
    await teller.say('ghost');
    await follower.ended;
    assert.equal(follower.all('content_block:delta').length, 0);
  });

  it('by offering no sessions: it says so when one is wanted', async () => {
    const { backend } = make((app) => {
      v2Basics(app, { capabilities: {} });
      app.onRequest('session/resume', () => ({}));
    });
    assert.equal((await backend.capabilities()).canLoad, false);
    await assert.rejects(backend.loadSession('old', { cwd }), { code: 'unsupported' });
  });

  it('by not sending the state when a session is resumed', async () => {
    const { backend } = make((app) => {
      app.onRequest('session/resume', () => ({}));
      v2Basics(app);
      onV2Prompt(app, (teller) => teller.idle('end_turn'));
    });
    const session = await backend.loadSession('old', { cwd });
    assert.equal(session.turn, 'none');
    await session.sendPrompt({ text: 'go' });
    await session.close();
  });
});
