import assert from 'node:assert/strict';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BackendSession } from '../../../../../src/session/common/sessionBackend';
import { Follower, open, useBackends } from '../../../../fake/backendHarness';
import { FakeClock } from '../../../../fake/fakeClock';
import { FakeEditor } from '../../../../fake/fakeEditor';
import { standingOf } from '../../../../fake/fakePermissions';
import { basics } from '../../../../fake/acp/scriptedAgent';
import { onV2Prompt, v2BackendOf, v2Basics, type V2Teller } from '../../../../fake/acp/scriptedV2Agent';
import { turns } from '../../../../support/turns';
import { until } from '../../../../support/eventually';

const cancelable = { capabilities: { cancel: {} } };

/** An agent of version 2 with one running prompt, whose updates the test tells. */
class Agent {
  readonly asked: unknown[] = [];
  readonly clock = new FakeClock();
  private readonly prompted = Promise.withResolvers<V2Teller>();
  readonly backend;
  private readonly agents;
  session!: BackendSession;
  follower!: Follower;
  private teller!: V2Teller;

  /** `answer` answers a request to stop something. */
  constructor(private readonly answer: (agent: Agent, params: object) => object | Promise<object> = () => ({})) {
    ({ agents: this.agents, backend: this.backend } = v2BackendOf(
      (app) => {
        v2Basics(app);
        const handle = async (method: string, params: object): Promise<object> => {
          this.asked.push([method, params]);
          return await this.answer(this, params);
        };
        app.onRequest('tool_call/cancel', ({ params }) => handle('tool_call/cancel', params));
        app.onRequest('terminal/cancel', ({ params }) => handle('terminal/cancel', params));
        app.onNotification('session/cancel', ({ params }) => void this.asked.push(['session/cancel', params]));
        onV2Prompt(app, (teller) => {
          this.prompted.resolve(teller);
          return Promise.resolve();
        });
      },
      { clock: this.clock },
    ));
  }

  async start(): Promise<this> {
    ({ session: this.session, follower: this.follower } = await open(this.backend));
    await this.session.sendPrompt({ text: 'go' });
    this.teller = await this.prompted.promise;
    return this;
  }

  get process() {
    return this.agents.last;
  }

  tell(update: object, sessionId = this.teller.sessionId): Promise<void> {
    return this.teller.client.notify<object, string>('session/update', { sessionId, update });
  }

  call(toolCallId: string, more: object = {}, sessionId?: string): Promise<void> {
    return this.tell({ sessionUpdate: 'tool_call_update', toolCallId, ...more }, sessionId);
  }

  request(method: string, params: object): Promise<unknown> {
    return this.teller.client.request<unknown, object, string>(method, params);
  }

  idle(): Promise<void> {
    return this.teller.idle('end_turn');
  }

  stop(callId: string): Promise<void> {
    return this.session.stopCall?.(callId) ?? assert.fail();
  }

  /** Waits until it can be told by the events of a call whether it can be stopped. */
  async says(callId: string, canStop: boolean): Promise<void> {
    const last = (): boolean | undefined =>
      this.follower.events
        .flatMap(({ data }) =>
          'call_id' in data && data.call_id === callId && 'can_stop' in data ? [data.can_stop] : [],
        )
        .filter((said) => typeof said === 'boolean')
        .at(-1);
    await until(`${callId} ${canStop ? 'can' : 'cannot'} be stopped`, () => {
      // Output of terminals is collected for a moment.
      this.clock.advance(100);
      return last() === canStop;
    });
  }
}

const stopped = async (agent: Agent, { toolCallId }: { toolCallId?: string }): Promise<object> => {
  await agent.call(toolCallId ?? '', { status: 'cancelled', capabilities: null });
  return {};
};

describe('stopping one thing', () => {
  const agents: Agent[] = [];
  const start = (...params: ConstructorParameters<typeof Agent>): Promise<Agent> => {
    const agent = new Agent(...params);
    agents.push(agent);
    return agent.start();
  };
  afterEach(() => {
    for (const { backend } of agents.splice(0)) backend.dispose();
  });

  it('asks the agent for a call that it can stop, only while it can, and the turn goes on', async () => {
    const agent = await start(stopped);
    await agent.call('a', { title: 'npm test', status: 'in_progress' });
    await agent.call('b', { title: 'npm start', status: 'in_progress', ...cancelable });
    await agent.says('b', true);
    await assert.rejects(agent.stop('a'), { code: 'invalidRequest', message: /can no longer be stopped/ });
    await Promise.all([agent.stop('b'), agent.stop('b')]);
    assert.deepEqual(agent.asked, [['tool_call/cancel', { sessionId: 's1', toolCallId: 'b' }]]);
    assert.equal(agent.follower.all('tool:error').at(-1)?.call_id, 'b');
    assert.equal(agent.session.turn, 'own');
    await assert.rejects(agent.stop('b'), { code: 'invalidRequest' });
    await agent.call('a', { ...cancelable });
    await agent.says('a', true);
    await agent.call('a', { capabilities: null });
    await agent.says('a', false);
  });

  it('asks for the terminal of a call, if the agent can stop only that', async () => {
    const agent = await start(async (all, params) => {
      await all.tell({ sessionUpdate: 'terminal_update', ...params, exitStatus: { signal: 'SIGTERM' } });
      return {};
    });
    await agent.call('a', {
      title: 'npm start',
      status: 'in_progress',
      content: [{ type: 'terminal', terminalId: 't' }],
    });
    await agent.tell({ sessionUpdate: 'terminal_update', terminalId: 't', ...cancelable });
    await agent.says('a', true);
    const done = agent.stop('a');
    await until('the end', () => agent.asked.length > 0);
    await agent.says('a', false);
    await done;
    assert.deepEqual(agent.asked, [['terminal/cancel', { sessionId: 's1', terminalId: 't' }]]);
    assert.equal(agent.follower.all('tool:error').length, 0, 'the call goes on');
  });

  it('asks for a subagent, whose questions close, and for a call inside it', async () => {
    const agent = await start(async (all, { toolCallId, sessionId }: { toolCallId?: string; sessionId?: string }) => {
      await all.call(toolCallId ?? '', { status: 'cancelled' }, sessionId);
      return {};
    });
    await agent.tell({ sessionUpdate: 'subagent_update', sessionId: 'sub', title: 'Finder', ...cancelable });
    await agent.tell({ sessionUpdate: 'subagent_update', sessionId: 'inner', title: 'Inner' }, 'sub');
    await agent.call('x', { title: 'Read', status: 'in_progress', ...cancelable }, 'sub');
    await agent.says('subagent sub x', true);
    await agent.stop('subagent sub x');
    const options = [{ optionId: 'yes', name: 'Allow', kind: 'allow_once' as const }];
    const asks = (sessionId: string) =>
      agent.request('session/request_permission', { sessionId, title: 'May I?', options });
    const answers = Promise.all([asks('sub'), asks('inner')]);
    const other = asks('s1');
    await agent.follower.next('approval:required', 3);
    const done = agent.stop('subagent sub');
    assert.deepEqual(await answers, [{ outcome: { outcome: 'cancelled' } }, { outcome: { outcome: 'cancelled' } }]);
    await agent.tell({
      sessionUpdate: 'subagent_update',
      sessionId: 'sub',
      state: { state: 'idle', stopReason: 'cancelled' },
    });
    await done;
    assert.deepEqual(agent.asked, [
      ['tool_call/cancel', { sessionId: 'sub', toolCallId: 'x' }],
      ['session/cancel', { sessionId: 'sub' }],
    ]);
    assert.equal(agent.session.turn, 'own');
    const last = agent.follower.all('approval:required').at(-1);
    await agent.session.answerApproval(last?.approval_id ?? '', 'Allow');
    await other;
  });

  it('says in one sentence that the agent refuses, and the call is as before', async () => {
    const agent = await start(() => {
      throw Object.assign(new Error('not running in the background'), { code: -32602 });
    });
    await agent.call('a', { title: 'npm test', status: 'in_progress', ...cancelable });
    await agent.says('a', true);
    await assert.rejects(agent.stop('a'), { message: /^Demo did not stop this/ });
    assert.equal(agent.follower.all('tool:error').length, 0);
    await assert.rejects(agent.stop('a'), { message: /^Demo did not stop this/ });
    assert.equal(agent.asked.length, 2, 'one can try again');
  });

  for (const [name, answer] of [
    ['never answers', () => new Promise<object>(() => undefined)],
    ['answers, but goes on', () => ({})],
    ['stops another call', (agent: Agent) => agent.call('b', { status: 'cancelled' }).then(() => ({}))],
  ] as const) {
    it(`says after a time that an agent has not done it that ${name}`, async () => {
      const agent = await start(answer);
      for (const id of ['a', 'b']) await agent.call(id, { title: id, status: 'in_progress', ...cancelable });
      await agent.says('b', true);
      const failed = assert.rejects(agent.stop('a'), {
        message: 'Demo did not stop this in time. It may still be running.',
      });
      await until('the request', () => agent.asked.length === 1);
      await turns(20);
      agent.clock.advance(10_000);
      await failed;
      assert.deepEqual(
        agent.follower.all('tool:error').map(({ call_id }) => call_id),
        name === 'stops another call' ? ['b'] : [],
      );
      assert.equal(agent.session.turn, 'own');
    });
  }

  for (const [name, end] of [
    ['the turn', (agent: Agent) => agent.idle()],
    ['the session', (agent: Agent) => agent.session.close()],
    ['the agent', (agent: Agent) => agent.process.crash('')],
  ] as const)
    it(`is done when ${name} ends instead`, async () => {
      const agent = await start(() => new Promise<object>(() => undefined));
      await agent.call('a', { title: 'a', status: 'in_progress', ...cancelable });
      await agent.says('a', true);
      const done = agent.stop('a');
      await until('the request', () => agent.asked.length === 1);
      void end(agent);
      await done;
    });

  describe('that Backline runs', () => {
    const make = useBackends();
    let cwd = '';
    before(async () => {
      cwd = await realpath(await mkdtemp(join(tmpdir(), 'backline-stop-')));
    });
    after(() => rm(cwd, { recursive: true, force: true }));

    it('kills the command, and the agent learns that', async () => {
      let exit: unknown;
      const { backend } = make(
        (app, { end }) => {
          app.onRequest('session/prompt', async ({ params: { sessionId }, client }) => {
            const request = (method: string, params: object) =>
              client.request<object, object>(method, { sessionId, ...params });
            const { terminalId } = (await request('terminal/create', { command: 'sleep', args: ['600'] })) as {
              terminalId: string;
            };
            const content = [{ type: 'terminal', terminalId }];
            const update = {
              sessionUpdate: 'tool_call',
              toolCallId: 'c',
              title: 'sleep 600',
              kind: 'execute',
              status: 'in_progress',
              content,
            };
            await end.send({ jsonrpc: '2.0', method: 'session/update', params: { sessionId, update } });
            exit = await request('terminal/wait_for_exit', { terminalId });
            return { stopReason: 'end_turn' };
          });
          basics(app);
        },
        { editor: new FakeEditor({}, [cwd]), standing: standingOf([], () => ({ demo: { run: 'allow' } })) },
      );
      const session = await backend.createSession({ cwd });
      const follower = new Follower(session);
      await session.sendPrompt({ text: 'go' });
      const call = await follower.next('tool:pre');
      assert.equal(call.can_stop, true);
      await session.stopCall?.(call.call_id ?? '');
      await follower.next('prompt:complete');
      assert.deepEqual(exit, { exitCode: null, signal: 'SIGTERM' });
    });
  });
});
