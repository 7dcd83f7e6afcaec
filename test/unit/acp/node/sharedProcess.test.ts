import assert from 'node:assert/strict';
import fc from 'fast-check';
import { RequestError, type AgentApp } from '@agentclientprotocol/sdk';
import * as z from 'zod';
import type { AcpBackend } from '../../../../src/acp/node/session/acpBackend';
import { RestartPolicy } from '../../../../src/acp/node/process/restartPolicy';
import { OpenGenerations } from '../../../../src/session/common/generations/openGenerations';
import type { BackendSession } from '../../../../src/session/common/sessionBackend';
import type { SignInWait } from '../../../../src/acp/common/agentBackend';
import type { SessionEvent } from '../../../../src/session/common/sessionEvents';
import { cwd, Follower, open, useBackends } from '../../../fake/backendHarness';
import { FakeClock } from '../../../fake/fakeClock';
import { basics, capabilities, says, type Script } from '../../../fake/acp/scriptedAgent';
import { until } from '../../../support/eventually';
import { turns } from '../../../support/turns';

const graceMs = 10_000;

/** Lets all messages that are on their way arrive. */
const settle = (): Promise<void> => turns(25);

type Kind = 'answer' | 'slow' | 'hang';

interface RunningTurn {
  readonly sessionId: string;
  readonly name: string;
  readonly kind: Kind;
  readonly say: (words: string) => Promise<void>;
  readonly end: (stopReason: 'end_turn' | 'cancelled') => void;
}

/**
 * An agent whose prompts are `kind name`. `slow` ends when it is released or canceled, `hang` never ends, and speaks on.
 */
class SharedAgent {
  private readonly turns = new Set<RunningTurn>();
  /** Requests that fail until they are repaired. */
  private readonly broken = new Set<Breakable>();
  failedNewCount = 0;
  private sessions = 0;

  constructor(private readonly restores = true) {}

  readonly script: Script = (app) => {
    this.addSessions(app);
    app.onNotification('session/cancel', ({ params }) => {
      for (const turn of this.turns)
        if (turn.sessionId === params.sessionId && turn.kind === 'slow') turn.end('cancelled');
    });
    app.onRequest('session/prompt', async ({ params: { prompt, sessionId }, client }) => {
      const last = prompt.findLast((block) => block.type === 'text');
      const [kind, name = ''] = last?.type === 'text' ? last.text.split(' ') : [];
      assert.ok(kind === 'answer' || kind === 'slow' || kind === 'hang');
      // The process may be gone by then.
      const say = (words: string) => client.notify('session/update', says(sessionId, words)).catch(() => undefined);
      const { promise, resolve } = Promise.withResolvers<'end_turn' | 'cancelled'>();
      const turn: RunningTurn = { sessionId, name, kind, say, end: resolve };
      this.turns.add(turn);
      await say(`${name}-begin `);
      if (kind === 'answer') resolve('end_turn');
      const stopReason = await promise;
      this.turns.delete(turn);
      if (stopReason === 'end_turn') await say(`${name}-end`);
      return { stopReason };
    });
  };

  /** Slow turns end, or those of one name. Hanging ones only say more. */
  async release(name?: string): Promise<void> {
    for (const turn of [...this.turns].filter((each) => name === undefined || each.name === name)) {
      if (turn.kind === 'slow') turn.end('end_turn');
      else await turn.say(`${turn.name}-late `);
    }
    await settle();
  }

  toggle(request: Breakable): void {
    if (!this.broken.delete(request)) this.broken.add(request);
  }

  repair(): void {
    this.broken.clear();
  }

  /** A hanging turn ends after all. */
  async free(): Promise<void> {
    for (const turn of this.turns) if (turn.kind === 'hang') turn.end('cancelled');
    await settle();
  }

  private addSessions(app: AgentApp): void {
    app.onRequest('session/new', () => {
      if (this.broken.has('session/new')) this.failedNewCount++;
      this.failIfBroken('session/new');
      return { sessionId: `s${++this.sessions}`, modes };
    });
    app.onRequest('session/set_mode', () => ({}));
    app.onRequest('session/resume', () => {
      this.failIfBroken('session/resume');
      return { modes };
    });
    app.onRequest('session/load', () => ({ modes }));
    const agentCapabilities = this.restores ? capabilities : { sessionCapabilities: { close: {} } };
    basics(app, { agentCapabilities });
  }

  private failIfBroken(request: Breakable): void {
    if (this.broken.has(request)) throw new RequestError(-32603, 'Internal error');
  }
}

type Breakable = 'session/new' | 'session/resume';

const modes = {
  currentModeId: 'ask',
  availableModes: [
    { id: 'ask', name: 'Ask' },
    { id: 'code', name: 'Code' },
  ],
};

describe('conversations that share one agent process', () => {
  const make = useBackends();
  const restartPolicy = new RestartPolicy(
    () => 0,
    () => 0,
    { delay: { firstMs: 0, maxMs: 0 }, maxCrashes: Number.POSITIVE_INFINITY, windowMs: 1 },
  );

  async function share(restores = true) {
    const clock = new FakeClock();
    const agent = new SharedAgent(restores);
    const { agents, backend } = make(agent.script, { clock, restartPolicy });
    const one = await open(backend);
    const two = await open(backend);
    return { agent, agents, backend, clock, one, two };
  }

  async function stopHanging(clock: FakeClock, session: BackendSession): Promise<void> {
    const stopping = session.cancel();
    await settle();
    clock.advance(graceMs);
    await settle();
    await stopping;
  }

  it('a turn that does not stop is left alone while another one runs, and ended when that is done', async () => {
    const { agent, agents, clock, one, two } = await share();
    await one.session.sendPrompt({ text: 'slow a' });
    await two.session.sendPrompt({ text: 'hang b' });
    await settle();
    await stopHanging(clock, two.session);
    assert.equal((await two.follower.next('prompt:complete')).stop_reason, 'interrupted');
    assert.match((await two.follower.next('notice')).message, /needed for other work/);
    assert.equal(agents.last.isGone, false);
    await agent.release();
    const end = await one.follower.next('prompt:complete');
    assert.deepEqual([end.stop_reason, textOf(one.follower.events)], ['end_turn', 'a-begin a-end']);
    await settle();
    assert.equal(agents.started[0]?.isGone, true);
    // Both go on, with all that the agent knows of them.
    for (const { follower, session } of [one, two]) {
      await session.sendPrompt({ text: 'answer c' });
      assert.equal((await follower.next('prompt:complete', 2)).stop_reason, 'end_turn');
    }
    assert.equal(agents.started.length, 2);
    assert.equal(textOf(two.follower.events), 'b-begin c-begin c-end');
  });

  it('meanwhile its conversation goes on in a new session, which the old one cannot disturb', async () => {
    const { agent, agents, clock, one, two } = await share();
    await one.session.sendPrompt({ text: 'slow a' });
    await two.session.sendPrompt({ text: 'hang b' });
    await settle();
    await stopHanging(clock, two.session);
    const reminder = () => [{ type: 'text' as const, title: 'Earlier', text: 'what was said' }];
    await two.session.sendPrompt({ text: 'slow c', reminder });
    await settle();
    await agent.release('b');
    await agent.release('c');
    assert.equal((await two.follower.next('prompt:complete', 2)).stop_reason, 'end_turn');
    assert.equal(textOf(two.follower.events), 'b-begin c-begin c-end');
    const notices = two.follower.all('notice').map(({ message }) => message);
    assert.match(notices[1] ?? '', /continues in a new session because the stopped turn has not ended/);
    assert.match(notices[2] ?? '', /summary of the conversation was sent/);
    // The late answer of the old session says nothing about the new one.
    await agent.free();
    await two.session.sendPrompt({ text: 'answer d', reminder });
    await two.follower.next('prompt:complete', 3);
    assert.equal(two.follower.all('notice').length, 3);
    await agent.release();
    assert.equal((await one.follower.next('prompt:complete')).stop_reason, 'end_turn');
    assert.equal(agents.started.length, 1);
  });

  it('two turns that end late give back only the session that is still used', async () => {
    const { agent, agents, clock, one, two } = await share();
    await one.session.sendPrompt({ text: 'slow a' });
    for (const name of ['b', 'c']) {
      await two.session.sendPrompt({ text: `hang ${name}` });
      await settle();
      await stopHanging(clock, two.session);
    }
    await agent.free();
    await two.session.sendPrompt({ text: 'answer d' });
    await two.follower.next('prompt:complete', 3);
    assert.equal(textOf(two.follower.events), 'b-begin c-begin d-begin d-end');
    assert.equal(agents.started.length, 1);
  });

  it('a turn that ends late gives its session back, and nothing is restarted', async () => {
    const { agent, agents, clock, one, two } = await share();
    await one.session.sendPrompt({ text: 'slow a' });
    await two.session.sendPrompt({ text: 'hang b' });
    await settle();
    await stopHanging(clock, two.session);
    await agent.free();
    await two.session.sendPrompt({ text: 'answer c' });
    await two.follower.next('prompt:complete', 2);
    await agent.release();
    await one.follower.next('prompt:complete');
    await settle();
    assert.deepEqual([agents.started.length, agents.last.isGone], [1, false]);
    assert.equal(two.follower.all('notice').length, 1);
  });

  it('an agent that cannot restore sessions is not ended as long as it remembers another conversation', async () => {
    const { agents, clock, one, two } = await share(false);
    await one.session.sendPrompt({ text: 'answer a' });
    await one.follower.next('prompt:complete');
    await two.session.sendPrompt({ text: 'hang b' });
    await settle();
    await stopHanging(clock, two.session);
    assert.match((await two.follower.next('notice')).message, /Restart Agent/);
    assert.equal(agents.last.isGone, false);
    await one.session.close();
    await until('its end', () => agents.last.isGone);
    // Then nobody needs the next process.
    await two.session.sendPrompt({ text: 'hang c' });
    await settle();
    await stopHanging(clock, two.session);
    await until('its end', () => agents.last.isGone);
    assert.equal(agents.started.length, 2);
  });

  it('a session that is being created is not lost when another one is stopped', async () => {
    const clock = new FakeClock();
    const created = Promise.withResolvers<{ sessionId: string }>();
    let count = 0;
    const { agents, backend } = make(
      (app) => {
        app.onRequest('session/new', () => (++count === 1 ? { sessionId: 's1' } : created.promise));
        app.onRequest('session/prompt', () => new Promise<never>(() => undefined));
        basics(app);
      },
      { clock },
    );
    const { session } = await open(backend);
    await session.sendPrompt({ text: 'go' });
    await settle();
    const second = backend.createSession({ cwd });
    await settle();
    await stopHanging(clock, session);
    created.resolve({ sessionId: 's2' });
    assert.equal((await second).id, 's2');
    assert.equal(agents.started.length, 1);
    // Then nobody needs the process any more.
    await until('the end of the process', () => agents.last.isGone);
  });

  for (const [method, work] of Object.entries({
    'session/new': (backend: AcpBackend) => backend.createSession({ cwd }),
    'session/fork': (backend: AcpBackend) => backend.forkSession('s1', { cwd }),
    'session/load': (backend: AcpBackend) => backend.loadSession('s9', { cwd }),
  })) {
    it(`a ${method} is not lost while the user is asked about it`, async () => {
      const clock = new FakeClock();
      const question = Promise.withResolvers<undefined>();
      let questions = 0;
      let count = 0;
      const { agents, backend } = make(
        (app) => {
          app.onRequest('session/new', () => ({ sessionId: `s${++count}` }));
          app.onRequest('session/fork', z.looseObject({}), () => ({ sessionId: `s${++count}` }));
          app.onRequest('session/load', () => ({}));
          app.onRequest('session/resume', () => ({}));
          app.onRequest('session/prompt', () => new Promise<never>(() => undefined));
          const sessionCapabilities = { ...capabilities.sessionCapabilities, fork: {} };
          basics(app, { agentCapabilities: { ...capabilities, sessionCapabilities } });
        },
        {
          clock,
          mcpServers: async () => {
            if (++questions > 1) await question.promise;
            return [];
          },
        },
      );
      const { session } = await open(backend);
      await session.sendPrompt({ text: 'go' });
      await settle();
      const opened = work(backend);
      await until('the question', () => questions === 2);
      await stopHanging(clock, session);
      assert.equal(agents.last.isGone, false);
      question.resolve(undefined);
      await opened;
      assert.equal(agents.started.length, 1);
      await until('the end of the process', () => agents.last.isGone);
    });
  }

  type Asked = 'session/list' | 'session/set_mode' | 'session/delete' | 'session/close' | 'logout';
  const pendingWork: Readonly<Record<Asked, (backend: AcpBackend, session: BackendSession) => Promise<unknown>>> = {
    'session/list': (backend) => backend.listSessions(),
    'session/set_mode': (_, session) => session.setConfig('mode', 'code'),
    'session/delete': (backend) => backend.deleteSession('s9'),
    'session/close': (_, session) => session.close(),
    logout: (backend) => backend.signOut(),
  };

  for (const [method, work] of Object.entries(pendingWork)) {
    it(`a pending ${method} is not lost when the turn of another conversation is stopped`, async () => {
      const clock = new FakeClock();
      const { promise: held, resolve: release } = Promise.withResolvers<undefined>();
      let isAsked = false;
      const answer = async <T>(asked: Asked, result: T): Promise<T> => {
        if (asked !== method) return result;
        isAsked = true;
        await held;
        return result;
      };
      let count = 0;
      const { agents, backend } = make(
        (app) => {
          app.onRequest('session/new', () => ({ sessionId: `s${++count}`, modes }));
          app.onRequest('session/prompt', () => new Promise<never>(() => undefined));
          app.onRequest('session/list', ({ params: { cursor } }) =>
            answer('session/list', { sessions: [], ...(cursor === undefined ? { nextCursor: 'second' } : {}) }),
          );
          app.onRequest('session/set_mode', () => answer('session/set_mode', {}));
          app.onRequest('session/delete', () => answer('session/delete', {}));
          app.onRequest('session/close', () => answer('session/close', {}));
          app.onRequest('logout', () => answer('logout', {}));
          basics(app, { agentCapabilities: { ...capabilities, auth: { logout: {} } } });
        },
        { clock },
      );
      const one = await open(backend);
      const two = await open(backend);
      await two.session.sendPrompt({ text: 'go' });
      await settle();
      const stopping = two.session.cancel();
      await settle();
      clock.advance(graceMs - 1);
      const done = work(backend, one.session);
      await until('the request', () => isAsked);
      clock.advance(1);
      await stopping;
      await settle();
      assert.equal(agents.last.isGone, false);
      release(undefined);
      await done;
      assert.equal(agents.started.length, 1);
      await until('the end of the process', () => agents.last.isGone);
    });
  }

  for (const method of ['session/list', 'session/set_mode'] as const) {
    it(`a ${method} that hangs as the turn does keeps no frozen process`, async () => {
      const clock = new FakeClock();
      let isAsked = false;
      const hang = (): Promise<never> => {
        isAsked = true;
        return new Promise(() => undefined);
      };
      const { agents, backend } = make(
        (app) => {
          app.onRequest('session/new', () => ({ sessionId: 's1', modes }));
          app.onRequest('session/prompt', hang);
          app.onRequest('session/list', hang);
          app.onRequest('session/set_mode', hang);
          basics(app, { agentCapabilities: capabilities });
        },
        { clock },
      );
      const { follower, session } = await open(backend);
      await session.sendPrompt({ text: 'go' });
      await until('the prompt', () => isAsked);
      isAsked = false;
      const stopping = session.cancel();
      // Of the session itself, what has just been asked is no reason to wait either.
      const restMs = method === 'session/set_mode' ? 1 : graceMs;
      clock.advance(graceMs - restMs);
      const asked = assert.rejects(pendingWork[method](backend, session));
      await until('the request', () => isAsked);
      clock.advance(restMs);
      await stopping;
      await asked;
      await until('the end of the process', () => agents.last.isGone);
      assert.match((await follower.next('notice')).message, /was ended/);
    });
  }

  it('a sign-in that restarts the agent waits for the turns of other conversations, and names them', async () => {
    const { agent, agents, backend, one, two } = await share();
    await one.session.sendPrompt({ text: 'slow a' });
    await two.session.sendPrompt({ text: 'slow b' });
    await settle();
    const waits: SignInWait[] = [];
    const signingIn = backend.authenticate('key:SOME_KEY', undefined, (wait) => waits.push(wait));
    await settle();
    assert.equal(agents.last.isGone, false);
    const waiting = 'Your sign-in to Demo waits for its ';
    const then = '. After that, Demo restarts to use it.';
    const advice = ' Wait, or choose Restart Now to stop the answers and sign in at once.';
    const shown = () => ('message' in backend.state ? backend.state.message : backend.state.kind);
    const both = `${waiting}answers to “slow a”, “slow b”${then}`;
    assert.deepEqual([shown(), waits[0]?.message], [both, both + advice]);
    await agent.release('b');
    assert.equal(shown(), `${waiting}answer to “slow a”${then}`);
    await agent.release();
    assert.equal((await one.follower.next('prompt:complete')).stop_reason, 'end_turn');
    await signingIn;
    assert.deepEqual(
      agents.started.map(({ isGone }) => isGone),
      [true, false],
    );
    assert.equal(backend.state.kind, 'ready');
    waits[0]?.restartNow();
    await settle();
    assert.deepEqual([waits.length, agents.started.length], [1, 2]);
  });

  it('a sign-in does not wait any longer than the user wants', async () => {
    const { agents, backend, one } = await share();
    await one.session.sendPrompt({ text: 'hang a' });
    await settle();
    await backend.authenticate('key:SOME_KEY', undefined, ({ restartNow }) => restartNow());
    assert.match(JSON.stringify(await one.follower.next('error')), /restarted to complete the sign-in/);
    assert.deepEqual(
      agents.started.map(({ isGone }) => isGone),
      [true, false],
    );
  });

  it('a sign-in that is canceled while it waits restarts nothing', async () => {
    const { agent, agents, backend, one } = await share();
    await one.session.sendPrompt({ text: 'slow a' });
    await settle();
    const controller = new AbortController();
    const signingIn = backend.authenticate('key:SOME_KEY', controller.signal, () => controller.abort());
    await assert.rejects(signingIn, { code: 'cancelled' });
    await agent.release();
    assert.equal((await one.follower.next('prompt:complete')).stop_reason, 'end_turn');
    await settle();
    assert.deepEqual([agents.started.length, backend.state.kind], [1, 'ready']);
  });

  it('any order of prompts, stops, hangs, crashes, restarts, settings, options and failing sessions ends every turn and mixes none', async () => {
    const conversation = fc.nat(2);
    const step = fc.oneof(
      {
        weight: 5,
        arbitrary: fc.record({
          do: fc.constant('prompt' as const),
          of: conversation,
          kind: fc.constantFrom<Kind>('answer', 'slow', 'hang'),
        }),
      },
      { weight: 4, arbitrary: fc.record({ do: fc.constant('stop' as const), of: conversation }) },
      // A turn that is stopped and does not end, which single steps rarely make.
      { weight: 2, arbitrary: fc.record({ do: fc.constant('strand' as const), of: conversation }) },
      {
        weight: 2,
        arbitrary: fc.record({
          do: fc.constantFrom('release' as const, 'free' as const, 'crash' as const, 'restart' as const),
        }),
      },
      // Now, or before all that was begun has arrived: during a start, a restore or a stop.
      { weight: 3, arbitrary: fc.record({ do: fc.constant('settings' as const), isSettled: fc.boolean() }) },
      {
        weight: 1,
        arbitrary: fc.record({ do: fc.constant('promptAndSettings' as const), of: conversation, ticks: fc.nat(12) }),
      },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('option' as const), of: conversation }) },
      {
        weight: 2,
        arbitrary: fc.record({
          do: fc.constant('toggle' as const),
          request: fc.constantFrom<Breakable>('session/new', 'session/resume'),
        }),
      },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const schedule = await Schedule.start(make, restartPolicy);
        for (const each of steps) {
          switch (each.do) {
            case 'prompt':
              await schedule.prompt(each.of, each.kind);
              break;
            case 'stop':
              await schedule.stop(each.of);
              break;
            case 'strand':
              await schedule.prompt(each.of, 'hang');
              await schedule.stop(each.of);
              break;
            case 'toggle':
              schedule.toggle(each.request);
              break;
            case 'settings':
              await schedule.changeSettings(each.isSettled);
              break;
            case 'promptAndSettings':
              await schedule.promptAndChangeSettings(each.of, each.ticks);
              break;
            case 'option':
              await schedule.setOption(each.of);
              break;
            case 'release':
            case 'free':
            case 'crash':
            case 'restart':
              await schedule[each.do]();
          }
        }
        await schedule.finish();
      }),
      { numRuns: 250 },
    );
  });
});

interface ExpectedTurn {
  readonly name: string;
  readonly kind: Kind;
  /** Whether it was stopped, or its process ended. Otherwise it has to end by itself, with all its words. */
  isDisturbed: boolean;
}

interface Conversation {
  backend: AcpBackend;
  session: BackendSession;
  /** One for each session. */
  readonly followers: Follower[];
  readonly turns: ExpectedTurn[];
}

/** Plays a schedule and knows which turns must not notice anything of it. */
class Schedule {
  private settings = 0;
  private readonly conversations: Conversation[] = [];
  private readonly started = new Map<AcpBackend, ReturnType<ReturnType<typeof useBackends>>['agents']>();
  private readonly generations = new OpenGenerations<AcpBackend>({
    isWorking: () => this.conversations.some(({ session }) => session.turn !== 'none'),
    onDidPostpone: () => undefined,
  });

  private constructor(
    private readonly agent: SharedAgent,
    private readonly create: () => ReturnType<ReturnType<typeof useBackends>>,
    private readonly clock: FakeClock,
  ) {}

  static async start(make: ReturnType<typeof useBackends>, restartPolicy: RestartPolicy): Promise<Schedule> {
    const clock = new FakeClock();
    const agent = new SharedAgent();
    const schedule = new Schedule(agent, () => make(agent.script, { clock, restartPolicy }), clock);
    for (let count = 0; count < 3; count++) {
      const backend = schedule.backend();
      const { follower, session } = await open(backend);
      schedule.conversations.push({ backend, session, followers: [follower], turns: [] });
    }
    return schedule;
  }

  async prompt(of: number, kind: Kind): Promise<void> {
    await this.send(of, kind);
    await settle();
  }

  async promptAndChangeSettings(of: number, ticks: number): Promise<void> {
    await this.send(of, 'slow');
    await turns(ticks);
    await this.changeSettings(true);
  }

  /** What runs must not notice it. */
  async changeSettings(isSettled: boolean): Promise<void> {
    this.generations.use(String(++this.settings));
    if (isSettled) await settle();
  }

  toggle(request: Breakable): void {
    this.agent.toggle(request);
  }

  async stop(of: number): Promise<void> {
    const { session, turns } = this.conversation(of);
    const last = turns.at(-1);
    if (session.turn === 'none' || !last) return;
    last.isDisturbed = true;
    const stopping = session.cancel();
    await settle();
    if (last.kind === 'hang') this.clock.advance(graceMs);
    await settle();
    await stopping;
  }

  async setOption(of: number): Promise<void> {
    const { session } = await this.connected(of);
    await Promise.all([session.setConfig('mode', 'code').catch(() => undefined), settle()]);
  }

  release(): Promise<void> {
    return this.agent.release();
  }

  free(): Promise<void> {
    return this.agent.free();
  }

  async crash(): Promise<void> {
    const { current } = this.generations;
    if (!current) return;
    this.disturb((backend) => backend === current);
    this.started.get(current)?.last.crash('gone');
    await settle();
    this.clock.advance(1_000);
    await settle();
  }

  async restart(): Promise<void> {
    this.disturb(() => true);
    const stopped = this.generations.restart();
    await settle();
    this.clock.advance(1_000);
    await settle();
    await stopped;
  }

  async finish(): Promise<void> {
    await this.release();
    for (const index of this.conversations.keys()) await this.stop(index);
    this.agent.repair();
    for (const index of this.conversations.keys()) await this.prompt(index, 'answer');
    for (const { followers, session, turns } of this.conversations) {
      await settle();
      assert.equal(session.turn, 'none');
      const parts = followers.flatMap(({ events }) => turnsOf(events));
      assert.equal(parts.length, turns.length, 'each turn ended once');
      for (const [index, turn] of turns.entries()) {
        const { reason, text } = parts[index] ?? { reason: '', text: '' };
        const words = text.split(' ').filter((word) => word !== '');
        assert.ok(
          words.every((word) => word.startsWith(`${turn.name}-`)),
          `${turn.name} has other words: ${text}`,
        );
        if (turn.isDisturbed) continue;
        assert.deepEqual([reason, text], ['end_turn', `${turn.name}-begin ${turn.name}-end`]);
      }
    }
    // What is left unanswered in processes with earlier settings is given up.
    this.clock.advance(10 * graceMs);
    await settle();
    for (const [backend, { started }] of this.started) {
      const running = started.filter(({ isGone }) => !isGone).length;
      assert.ok(running <= (backend === this.generations.current ? 1 : 0), 'nothing with earlier settings runs on');
    }
    this.generations.dispose();
  }

  /** Sends a prompt as the chat does. */
  private async send(of: number, kind: Kind): Promise<void> {
    if (this.conversation(of).session.turn !== 'none') return;
    const { session, turns } = await this.connected(of);
    const turn = { name: `c${of}t${turns.length}`, kind, isDisturbed: kind === 'hang' };
    turns.push(turn);
    const { failedNewCount } = this.agent;
    await session.sendPrompt({ text: `${kind} ${turn.name}` });
    void settle().then(() => {
      if (this.agent.failedNewCount > failedNewCount) turn.isDisturbed = true;
    });
  }

  /** Moves the conversation to the backend with the current settings, unless it has a turn. */
  private async connected(of: number): Promise<Conversation> {
    const conversation = this.conversation(of);
    while (conversation.backend.isOutdated && conversation.session.turn === 'none') {
      const { id } = conversation.session;
      conversation.session.dispose();
      conversation.backend = this.backend();
      const load = conversation.backend.loadSession(id, { cwd });
      conversation.session = await load;
      conversation.followers.push(new Follower(conversation.session));
    }
    return conversation;
  }

  private backend(): AcpBackend {
    const { current } = this.generations;
    if (current) return current;
    const { agents, backend } = this.create();
    this.started.set(backend, agents);
    this.generations.add(backend, String(this.settings), { dispose: () => undefined });
    return backend;
  }

  private disturb(isOf: (backend: AcpBackend) => boolean): void {
    for (const { backend, session, turns } of this.conversations) {
      const last = turns.at(-1);
      if (session.turn !== 'none' && last && isOf(backend)) last.isDisturbed = true;
    }
  }

  private conversation(of: number): Conversation {
    const found = this.conversations[of];
    assert.ok(found);
    return found;
  }
}

function textOf(events: readonly SessionEvent[]): string {
  return events.map((each) => (each.event === 'content_block:delta' ? each.data.delta : '')).join('');
}

/** The end and the text of each turn. Words outside of a turn are counted as a turn of their own. */
function turnsOf(events: readonly SessionEvent[]): { readonly reason: string; readonly text: string }[] {
  const turns: { reason: string; text: string }[] = [];
  let text = '';
  for (const each of events) {
    if (each.event === 'content_block:delta') text += each.data.delta;
    if (each.event !== 'prompt:complete' && each.event !== 'error') continue;
    turns.push({ reason: each.event === 'error' ? 'error' : (each.data.stop_reason ?? ''), text });
    text = '';
  }
  if (text !== '') turns.push({ reason: 'no end', text });
  return turns;
}
