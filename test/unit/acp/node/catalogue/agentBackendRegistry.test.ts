import assert from 'node:assert/strict';
import { nullLogger } from '../../../../../src/base/common/log';
import { Emitter } from '../../../../../src/base/common/event';
import { BackendError, type BackendState, type SessionBackend } from '../../../../../src/session/common/sessionBackend';
import type { ProcessEntry } from '../../../../../src/acp/node/catalogue/agentCatalogue';
import { AgentBackendRegistry } from '../../../../../src/acp/node/catalogue/agentBackendRegistry';
import { answeringConsent, type AnsweringConsent } from '../../../../fake/answeringConsent';
import { turns } from '../../../../support/turns';

const isBackendError = (code: string) => (error: unknown) => error instanceof BackendError && error.code === code;

class FakeBackend implements SessionBackend {
  readonly id: string;
  readonly title: string;
  state: BackendState = { kind: 'stopped' };
  stops = 0;
  /** Settles when nothing of it works any more. */
  retiring: Promise<void> = Promise.resolve();
  isOutdated = false;
  /** Settles when it is gone. */
  stopping: Promise<void> = Promise.resolve();
  disposed = false;
  private readonly states = new Emitter<BackendState>((error) => {
    throw error;
  });
  readonly onDidChangeState = this.states.event;

  constructor({ id, title }: ProcessEntry) {
    this.id = id;
    this.title = title;
  }

  become(state: BackendState): void {
    this.state = state;
    this.states.fire(state);
  }

  capabilities = () => Promise.reject(new Error('not asked for'));
  createSession = () => Promise.reject(new Error('not asked for'));
  listSessions = () => Promise.resolve([]);
  loadSession = () => Promise.reject(new Error('not asked for'));
  deleteSession = () => Promise.resolve();
  retire(): Promise<void> {
    this.isOutdated = true;
    return this.retiring;
  }
  stop(): Promise<void> {
    this.stops++;
    return this.stopping;
  }
  dispose(): void {
    this.disposed = true;
  }
}

describe('the registry of agents', () => {
  let agents: ProcessEntry[];
  let made: FakeBackend[];
  let changes: number;
  let isTrusted: boolean;
  let working: Set<string>;
  /** Backends whose sessions have a server that is no longer allowed. */
  let denied: Set<SessionBackend>;
  let postponed: string[];
  let registry: AgentBackendRegistry;
  let consent: AnsweringConsent;
  /** Awaited before the catalogue of a load is there. */
  let beforeLoaded: () => Promise<void>;
  /** Awaited before a backend is created. */
  let beforeCreated: () => Promise<void>;

  const agent = (id: string, more: Partial<ProcessEntry> = {}): ProcessEntry => ({
    id,
    title: id.toUpperCase(),
    command: id,
    args: ['acp'],
    env: {},
    dialect: 'v1',
    mcpServers: {},
    missingFile: 'error',
    source: 'configured',
    ...more,
  });

  beforeEach(() => {
    agents = [agent('one'), agent('two')];
    made = [];
    changes = 0;
    isTrusted = true;
    working = new Set();
    denied = new Set();
    postponed = [];
    consent = answeringConsent('denied');
    beforeLoaded = () => Promise.resolve();
    beforeCreated = () => Promise.resolve();
    registry = new AgentBackendRegistry({
      loadCatalogue: async () => {
        const loaded = { agents, problems: [] };
        await beforeLoaded();
        return loaded;
      },
      createBackend: async (entry) => {
        assert.ok(entry.url === undefined);
        await beforeCreated();
        const backend = new FakeBackend(entry);
        made.push(backend);
        return backend;
      },
      isTrusted: () => isTrusted,
      hasDeniedServers: (backend) => denied.has(backend),
      agentConsent: { consent, places: () => ({ cwd: '/', folders: [] }) },
      needsSignIn: () => false,
      isWorking: (id) => working.has(id),
      onDidPostpone: ({ id }) => postponed.push(id),
      log: nullLogger,
    });
    registry.onDidChange(() => changes++);
  });

  afterEach(() => registry.dispose());

  it('lists what there is, each with how it is started, and looks again each time', async () => {
    const { title, description } = (await registry.list())[0] ?? {};
    assert.deepEqual([title, description], ['ONE', 'one acp']);
    agents = [agent('three', { problem: { message: 'Not found.' } })];
    assert.deepEqual(
      (await registry.list()).map(({ id, problem }) => [id, problem]),
      [['three', 'Not found.']],
    );
    assert.equal(changes, 2);
    assert.equal(made.length, 0);
  });

  it('keeps an installed agent as it runs when another version is installed, and starts that one next', async () => {
    const versionOf = (version: string): ProcessEntry =>
      agent('one', { source: 'installed', command: `/one/${version}` });
    agents = [versionOf('1')];
    const backend = await registry.open('one');
    agents = [versionOf('2')];
    await registry.refresh();
    assert.equal(await registry.open('one'), backend);
    assert.equal(made[0]?.stops, 0);
    assert.equal((await registry.newestEntry(versionOf('1'))).command, '/one/2');
    agents = [];
    await registry.refresh();
    assert.equal(made[0].stops, 1);
  });

  it('creates one backend per entry, also for concurrent calls', async () => {
    const [first, second] = await Promise.all([registry.open('one'), registry.open('one')]);
    assert.equal(first, second);
    assert.equal(await registry.open('one'), first);
    assert.notEqual(await registry.open('two'), first);
    assert.equal(made.length, 2);
  });

  it('keeps an agent that was opened while a refresh still loads the catalogue from before it was installed', async () => {
    const { promise: slow, resolve } = Promise.withResolvers<undefined>();
    agents = [];
    await registry.list();
    beforeLoaded = () => slow;
    const refresh = registry.refresh();
    beforeLoaded = () => Promise.resolve();
    agents = [agent('new', { source: 'installed' })];
    const backend = await registry.open('new');
    resolve(undefined);
    await refresh;
    assert.deepEqual(registry.backends, [backend]);
    assert.deepEqual(
      registry.catalogue?.agents.map(({ id }) => id),
      ['new'],
    );
    assert.equal(made[0]?.stops, 0);
  });

  it('stops an agent that was removed while it was being opened', async () => {
    const { promise: slow, resolve } = Promise.withResolvers<undefined>();
    await registry.list();
    const backend = await registry.open('one');
    beforeLoaded = () => slow;
    const opened = registry.open('one');
    await turns();
    beforeLoaded = () => Promise.resolve();
    agents = [];
    await registry.refresh();
    resolve(undefined);
    await assert.rejects(opened, isBackendError('notFound'));
    assert.equal(made.find((its) => its === backend)?.stops, 1);
  });

  it('does not keep an agent current that was lost or whose settings changed while its backend was created', async () => {
    for (const changed of [[agent('one', { args: ['--other'] })], []]) {
      agents = [agent('one')];
      await registry.list();
      const created = Promise.withResolvers<undefined>();
      beforeCreated = () => created.promise;
      const opened = registry.open('one').catch(() => undefined);
      await turns();
      agents = changed;
      await registry.refresh();
      created.resolve(undefined);
      await opened;
      await turns();
      assert.deepEqual([made.at(-1)?.isOutdated, made.at(-1)?.stops], [true, 1]);
      beforeCreated = () => Promise.resolve();
    }
  });

  it('knows the last of two settings that change right after each other', async () => {
    const loads: (() => void)[] = [];
    await registry.list();
    beforeLoaded = () => new Promise((resolve) => loads.push(resolve));
    const refreshes = [registry.refresh()];
    agents = [agent('three')];
    refreshes.push(registry.refresh());
    for (const load of loads.toReversed()) load();
    await Promise.all(refreshes);
    assert.deepEqual(
      registry.catalogue?.agents.map(({ id }) => id),
      ['three'],
    );
  });

  it('tells what new conversations are to begin with, and a change of that does not stop the agent', async () => {
    agents = [agent('one', { defaults: { mode: 'plan' } })];
    const first = await registry.open('one');
    agents = [agent('one', { defaults: { mode: 'ask' } })];
    await registry.refresh();
    assert.deepEqual((await registry.list())[0]?.defaults, { mode: 'ask' });
    assert.equal(await registry.open('one'), first);
    assert.equal(made[0]?.stops, 0);
  });

  it('stops an agent whose tools are turned off, also an installed one', async () => {
    for (const source of ['found', 'installed'] as const) {
      agents = [agent('one', { source })];
      const first = await registry.open('one');
      agents = [agent('one', { source, tools: true })];
      await registry.refresh();
      assert.equal(await registry.open('one'), first);
      agents = [agent('one', { source, tools: false })];
      await registry.refresh();
      assert.notEqual(await registry.open('one'), first);
    }
  });

  it('tells when a backend changes its state', async () => {
    await registry.open('one');
    const before = changes;
    made[0]?.become({ kind: 'ready' });
    assert.equal(changes, before + 1);
  });

  it('makes a backend only when it is settled whose program may use what is stored for its id', async () => {
    let isDecided = false;
    const settled: string[] = [];
    const deps = { loadCatalogue: () => Promise.resolve({ agents, problems: [] }), isTrusted: () => true };
    const careful = new AgentBackendRegistry({
      ...deps,
      createBackend: (entry) => {
        assert.ok(entry.url === undefined);
        settled.push(`made ${entry.id}`);
        return Promise.resolve(new FakeBackend(entry));
      },
      agentConsent: { consent: answeringConsent('allowed'), places: () => ({ cwd: '/', folders: [] }) },
      settleOrigin: ({ id }) => {
        settled.push(`asked about ${id}`);
        return isDecided ? Promise.resolve() : Promise.reject(new BackendError('notReady', 'Not decided.'));
      },
      needsSignIn: () => false,
      isWorking: () => false,
      onDidPostpone: () => undefined,
      log: nullLogger,
    });
    await assert.rejects(careful.open('one'), isBackendError('notReady'));
    isDecided = true;
    await careful.open('one');
    assert.deepEqual(settled, ['asked about one', 'asked about one', 'made one']);
    careful.dispose();
  });

  it('rejects unknown and unavailable agents with a reason', async () => {
    agents = [agent('broken', { problem: { message: 'Not found. Install it.' } })];
    await assert.rejects(registry.open('gone'), isBackendError('notFound'));
    await assert.rejects(registry.open('broken'), { code: 'notReady', message: 'Not found. Install it.' });
  });

  it('says of agents that cannot list their conversations that there is nothing to ask them for', async () => {
    agents = [agent('one', { knownAs: 'gemini' }), agent('two', { command: 'gemini' })];
    assert.deepEqual(
      (await registry.list()).map(({ isListingUnsupported: cannotList }) => cannotList),
      [true, undefined],
    );
  });

  it('counts what cannot be started as a problem only once somebody has tried to use it', async () => {
    agents = [agent('one'), agent('broken', { problem: { message: 'Not there.', details: 'PATH: /bin' } })];
    await registry.list();
    await registry.open('one');
    assert.equal(registry.requestedAgentProblems.length, 0);
    await assert.rejects(registry.open('broken'), { message: 'Not there.', details: 'PATH: /bin' });
    assert.match(registry.requestedAgentProblems.join(), /^[^,]+: Not there\.$/);
    agents = [agent('one'), agent('broken')];
    await registry.refresh();
    assert.equal(registry.requestedAgentProblems.length, 0, 'it has been installed');
  });

  it('opens nothing in an untrusted workspace, and stops what is open when trust is lost', async () => {
    await registry.open('one');
    isTrusted = false;
    await assert.rejects(registry.open('one'), isBackendError('untrusted'));
    assert.match((await registry.list())[0]?.problem ?? '', /Manage Workspace Trust/);
    await registry.refresh();
    assert.deepEqual([made[0]?.stops, made[0]?.disposed], [1, true]);
  });

  it('stops a backend whose settings have changed, and no other', async () => {
    await registry.open('one');
    await registry.open('two');
    agents = [agent('one', { args: ['--acp'] }), agent('two', { problem: { message: 'Gone for a moment.' } })];
    await registry.refresh();
    await turns();
    assert.deepEqual(
      made.map(({ stops, disposed }) => [stops, disposed]),
      [
        [1, true],
        [0, false],
      ],
    );
    await registry.open('one');
    assert.equal(made.length, 3);
  });

  it('kills in the end what is still being stopped', async () => {
    await registry.open('one');
    const [stubborn] = made;
    assert.ok(stubborn);
    stubborn.stopping = new Promise(() => undefined);
    agents = [];
    void registry.refresh();
    while (stubborn.stops === 0) await new Promise((resolve) => setImmediate(resolve));
    assert.equal(stubborn.disposed, false);
    registry.dispose();
    assert.equal(stubborn.disposed, true);
  });

  it('notices changed settings also when nobody has told it', async () => {
    const first = await registry.open('one');
    agents = [agent('one', { env: { A: '1' } })];
    assert.notEqual(await registry.open('one'), first);
    await turns();
    assert.equal(made[0]?.disposed, true);
  });

  it('lets turns go on with the settings that they began with, also through several changes, and tells that once', async () => {
    const completed = Promise.withResolvers<undefined>();
    const first = await registry.open('one');
    assert.equal(made[0], first);
    made[0].retiring = completed.promise;
    working.add('one');
    for (const value of ['1', '2', '1', '3']) {
      agents = [agent('one', { env: { A: value } })];
      await registry.refresh();
      await registry.open('one');
    }
    assert.deepEqual([postponed, first.isOutdated, made[0].stops], [['one'], true, 0]);
    await turns();
    assert.deepEqual(
      made.map(({ stops }) => stops),
      [0, 1, 1, 1, 0],
    );
    working.clear();
    completed.resolve(undefined);
    await turns();
    assert.deepEqual([made[0].stops, made[0].disposed], [1, true]);
    working.add('one');
    agents = [agent('one', { env: { A: '4' } })];
    await registry.refresh();
    assert.deepEqual(postponed, ['one', 'one'], 'this is another change');
  });

  it('retires a backend whose sessions have an MCP server that is no longer allowed, once', async () => {
    const first = await registry.open('one');
    const other = await registry.open('two');
    denied.add(first);
    working.add('one');
    await registry.refresh();
    assert.deepEqual([first.isOutdated, other.isOutdated, postponed], [true, false, ['one']]);
    const next = await registry.open('one');
    assert.notEqual(next, first);
    await registry.refresh();
    assert.equal(await registry.open('one'), next);
  });

  it('does not wait for turns when the user has uninstalled the agent, or restarts it', async () => {
    for (const end of [
      async () => {
        agents = [];
        await registry.refresh();
      },
      () => registry.stop('one'),
    ]) {
      agents = [agent('one', { source: 'installed' })];
      await registry.open('one');
      const old = made.at(-1);
      assert.ok(old);
      old.retiring = new Promise(() => undefined);
      agents = [agent('one', { source: 'installed', tools: false })];
      await registry.refresh();
      assert.equal(registry.backendOf('one'), old);
      assert.equal(old.stops, 0);
      old.state = { kind: 'ready' };
      await registry.open('one');
      assert.deepEqual(registry.statesOf('one'), [{ kind: 'ready' }, { kind: 'stopped' }]);
      await end();
      assert.ok(!registry.statesOf('one').includes(old.state));
      assert.deepEqual([old.stops, old.disposed], [1, true]);
    }
  });

  for (const [source, why] of [
    ['found', 'PATH has lost it, as during an update'],
    ['configured', 'the settings are half written'],
  ] as const) {
    it(`lets an agent complete its turns when ${why}`, async () => {
      agents = [agent('one', { source })];
      await registry.open('one');
      const [lost] = made;
      assert.ok(lost);
      lost.retiring = new Promise(() => undefined);
      agents = [];
      await registry.refresh();
      await turns();
      assert.equal(lost.stops, 0);
      await assert.rejects(registry.open('one'), isBackendError('notFound'));
    });
  }

  it('stops all, and in the end leaves nothing behind', async () => {
    await Promise.all([registry.open('one'), registry.open('two')]);
    await registry.stopAll();
    assert.deepEqual(
      made.map(({ stops }) => stops),
      [1, 1],
    );
    const late = registry.open('one');
    registry.dispose();
    await late.catch(() => undefined);
    assert.ok(made.every(({ disposed }) => disposed));
  });

  describe('of a workspace', () => {
    const brought = (args: readonly string[]) => {
      const setting = { command: 'evil', args: [...args], env: {}, dialect: 'v1' as const, mcpServers: {} };
      return agent('one@work', {
        command: 'evil',
        args,
        workspaceDefinition: { name: 'one', setting, file: '/work/settings.json' },
      });
    };

    it('asks before it opens one, remembers the answer for its content, and says in the list what is missing', async () => {
      agents = [agent('one'), brought(['a'])];
      assert.deepEqual(
        (await registry.list()).map(({ id, needsPermission }) => [id, needsPermission]),
        [
          ['one', undefined],
          ['one@work', true],
        ],
      );
      assert.equal(consent.asked.length, 0, 'a list asks nobody');
      consent.answer = 'ask';
      await assert.rejects(registry.open('one@work'), { code: 'notReady', message: /Needs your permission/ });
      consent.answer = 'allowed';
      await registry.open('one@work');
      assert.equal(consent.asked.length, 2);
      assert.equal((await registry.list())[1]?.problem, undefined);
      consent.answer = 'denied';
      agents = [agent('one'), brought(['b'])];
      await assert.rejects(registry.open('one@work'), { code: 'notReady', message: /You have not allowed/ });
      await assert.rejects(registry.open('one@work'), { code: 'notReady' });
      assert.equal(consent.asked.length, 3, 'a denial is remembered');
      assert.equal(made.length, 1);
      await registry.open('one');
      assert.equal(consent.asked.length, 3, 'nobody is asked for the user’s own');
    });

    it('stops waiting for an answer when no settings define the agent any more', async () => {
      const names = (): string[] => consent.seen.map(({ name }) => name);
      agents = [agent('one'), brought(['a'])];
      await registry.list();
      assert.deepEqual(names(), ['one']);
      agents = [agent('one')];
      await registry.refresh();
      assert.deepEqual(names(), []);
    });

    it('stops one when what was allowed is denied later', async () => {
      agents = [brought(['a'])];
      consent.answer = 'allowed';
      await registry.open('one@work');
      consent.registerAndDecide = () => 'denied';
      await registry.refresh();
      assert.equal(made[0]?.disposed, true);
    });
  });
});
