import assert from 'node:assert/strict';
import { AgentManager } from '../../../../src/agents/common/agentManager';
import { InstallConsents } from '../../../../src/agents/common/terms/installConsents';
import { InstallError } from '../../../../src/agents/common/install/installError';
import type { InstallJob } from '../../../../src/agents/common/install/installJobs';
import { nullLogger } from '../../../../src/base/common/log';
import { FakeAgentBackends, FakeInstaller, FakeRegistry, registryAgent } from '../../../fake/acp/fakeAgents';
import { MemoryMemento } from '../../../fake/memoryMemento';
import { until } from '../../../support/eventually';

describe('the manager of agents', () => {
  const one = registryAgent('one');
  let installer: FakeInstaller;
  let backends: FakeAgentBackends;
  let registry: FakeRegistry;
  let isTrusted: boolean;
  let isConfirmed: boolean;
  let questions: string[];
  let deletedKeys: string[];
  let manager: AgentManager;

  beforeEach(() => {
    installer = new FakeInstaller();
    backends = new FakeAgentBackends();
    registry = new FakeRegistry({ agents: [one], origin: 'registry', checkedAt: 0 });
    isTrusted = true;
    isConfirmed = true;
    questions = [];
    deletedKeys = [];
    manager = new AgentManager({
      registry,
      installer,
      backends,
      questions: {
        confirmInstall: (plan, _agent, changes) => {
          const changed = changes?.map(({ after, before, label }) => `; ${label}: ${before} → ${after}`) ?? [];
          questions.push(`install ${plan.id} ${plan.version}${changed.join('')}`);
          return Promise.resolve(isConfirmed);
        },
        confirmRemove: (agent, isWorking) => {
          questions.push(`remove ${agent.id}${isWorking ? ' at work' : ''}`);
          return Promise.resolve(isConfirmed);
        },
        askAccount: (agent) => {
          questions.push(`account of ${agent.id}`);
          return Promise.resolve(isConfirmed ? 'Work' : undefined);
        },
        confirmRemoveAccount: (agent, account) => {
          questions.push(`remove account ${account} of ${agent.id}`);
          return Promise.resolve(isConfirmed);
        },
      },
      consents: new InstallConsents(new MemoryMemento()),
      deleteKeys: (id) => {
        deletedKeys.push(id);
        return Promise.resolve();
      },
      ownIds: () => new Set(),
      isTrusted: () => isTrusted,
      platform: 'linux-x86_64',
      log: nullLogger,
    });
    manager.start();
  });
  afterEach(() => manager.dispose());

  const job = async (id = 'one'): Promise<InstallJob | undefined> => (await manager.situation()).jobs.get(id);
  const running = (id: string) =>
    ({ id, title: id, source: 'installed', description: '', state: { kind: 'ready' } }) as const;

  it('asks before the first installation, and not before an update from the same place', async () => {
    await manager.install(one);
    await manager.install(registryAgent('one', '1.1.0'));
    assert.deepEqual(questions, ['install one 1.0.0']);
    assert.deepEqual(installer.calls, ['plan one 1.0.0', 'install one 1.0.0', 'plan one 1.1.0', 'install one 1.1.0']);
    assert.equal(await job(), undefined);
  });

  it('asks before an update that would run something else, and installs exactly what was allowed', async () => {
    await manager.install(one);
    await manager.install(registryAgent('one', '1.1.0', { name: '@other/one' }));
    await manager.install(registryAgent('one', '1.2.0', { name: '@other/one', args: ['--acp', 'a b'] }));
    const env = { NODE_OPTIONS: '--import=data:text/javascript,0' };
    isConfirmed = false;
    await manager.install(registryAgent('one', '1.3.0', { name: '@other/one', args: ['--acp', 'a b'], env }));
    assert.deepEqual(questions, [
      'install one 1.0.0',
      'install one 1.1.0; Source: one → @other/one',
      'install one 1.2.0; Arguments: none → --acp "a b"',
      'install one 1.3.0; Environment: none → NODE_OPTIONS=--import=data:text/javascript,0',
    ]);
    assert.equal(installer.agents[0]?.version, '1.2.0');
  });

  it('skips a quiet update that would run something else, and reports that', async () => {
    await manager.install(one);
    const update = registryAgent('one', '1.1.0', { env: { NODE_OPTIONS: '--import=data:text/javascript,0' } });
    assert.deepEqual(await manager.installQuietly(update), { needsConsent: true });
    assert.deepEqual(await manager.installQuietly(registryAgent('one', '1.2.0')), { needsConsent: false });
    assert.equal(installer.agents[0]?.version, '1.2.0');
    assert.equal(questions.length, 1);
  });

  it('installs nothing that the user did not confirm, and asks again the next time', async () => {
    isConfirmed = false;
    await manager.install(one);
    await manager.install(one);
    assert.equal(questions.length, 2);
    assert.deepEqual(installer.calls, ['plan one 1.0.0', 'plan one 1.0.0']);
    assert.equal(await job(), undefined);
  });

  it('shows each step while it installs', async () => {
    const stages: unknown[] = [];
    installer.during = async (_signal, report) => {
      report({ stage: 'Unpacking…', fraction: 0.5 });
      stages.push(await job());
    };
    await manager.install(one);
    assert.deepEqual(stages, [{ kind: 'installing', stage: 'Unpacking…', fraction: 0.5 }]);
  });

  it('keeps what went wrong, with what to do about it', async () => {
    installer.during = () => Promise.reject(new InstallError('diskFull', 'The disk is full.', 'Free some space.'));
    await manager.install(one);
    assert.deepEqual(await job(), { kind: 'failed', message: 'The disk is full.', advice: 'Free some space.' });
    installer.during = () => Promise.reject(new Error('Something else.'));
    await manager.install(one);
    assert.deepEqual(await job(), { kind: 'failed', message: 'Something else.' });
  });

  it('does not ask where the plan has a problem', async () => {
    installer.problem = { problem: 'It needs Node.js 24.', advice: 'Install Node.js 24.' };
    await manager.install(one);
    assert.deepEqual(questions, []);
    assert.deepEqual(await job(), { kind: 'failed', message: 'It needs Node.js 24.', advice: 'Install Node.js 24.' });
  });

  it('cancels an installation, which is no failure', async () => {
    installer.during = (signal) => {
      manager.cancel('one');
      assert.equal(signal.aborted, true);
      return Promise.reject(new Error('aborted'));
    };
    await manager.install(one);
    assert.equal(await job(), undefined);
    assert.deepEqual(installer.agents, []);
  });

  it('installs one agent once at a time', async () => {
    await Promise.all([manager.install(one), manager.install(one)]);
    assert.deepEqual(installer.calls, ['plan one 1.0.0', 'install one 1.0.0']);
  });

  it('installs nothing in an untrusted workspace', async () => {
    isTrusted = false;
    await manager.install(one);
    assert.deepEqual(installer.calls, []);
    const failed = await job();
    assert.match(failed?.kind === 'failed' ? failed.message : '', /untrusted workspace/);
  });

  it('installs quietly only what the user has agreed to', async () => {
    await manager.installQuietly(one);
    assert.deepEqual([questions, installer.agents], [[], []]);
    await manager.install(one);
    await manager.installQuietly(registryAgent('one', '2.0.0'));
    assert.equal(installer.agents[0]?.version, '2.0.0');
    assert.equal(questions.length, 1);
  });

  it('knows which agents run an older version, until they are restarted', async () => {
    await manager.install(one);
    assert.equal((await manager.situation()).outdated.size, 0);
    backends.become(running('one'));
    await manager.install(registryAgent('one', '2.0.0'));
    assert.deepEqual([...(await manager.situation()).outdated], ['one']);
    backends.become({ ...running('one'), state: { kind: 'stopped' } });
    backends.become(running('one'));
    assert.equal((await manager.situation()).outdated.size, 0);
    assert.equal(installer.calls.at(-1), 'remove unused');
  });

  it('removes an agent with its processes, keys and consent, and reports how much was freed', async () => {
    await manager.install(one);
    backends.working.add('one');
    assert.equal(await manager.remove('one'), 'Removed one: 312 MB freed.');
    assert.deepEqual(questions, ['install one 1.0.0', 'remove one at work']);
    assert.deepEqual([backends.stopped, deletedKeys, installer.agents], [['one'], ['one'], []]);
    await manager.install(one);
    assert.equal(questions.length, 3);
  });

  it('removes nothing that the user did not confirm', async () => {
    await manager.install(one);
    isConfirmed = false;
    assert.equal(await manager.remove('one'), undefined);
    assert.deepEqual([backends.stopped, installer.agents.length], [[], 1]);
  });

  it('adds further accounts of an agent, which keep with it when it is updated and removed', async () => {
    await manager.install(one);
    assert.equal(await manager.addAccount('one'), 'one~Work');
    const accounts = (): unknown => installer.agents.map((agent) => agent.accounts)[0];
    assert.deepEqual(accounts(), ['Work']);
    isConfirmed = false;
    assert.equal(await manager.addAccount('one'), undefined);
    await manager.removeAccount('one', 'Work');
    assert.deepEqual([accounts(), deletedKeys], [['Work'], []]);
    isConfirmed = true;
    await manager.removeAccount('one', 'Work');
    assert.deepEqual([accounts(), backends.stopped, deletedKeys], [[], ['one~Work'], ['one~Work']]);
    await manager.addAccount('one');
    await manager.remove('one');
    assert.deepEqual(deletedKeys, ['one~Work', 'one', 'one~Work']);
    assert.deepEqual(backends.stopped, ['one~Work', 'one', 'one~Work']);
    assert.equal(await manager.addAccount('one'), undefined);
  });

  it('shows that a change waits for another window, and cancels it', async () => {
    await manager.install(one);
    await manager.addAccount('one');
    const waiting = 'Waiting for another window that is installing an agent';
    installer.during = async (signal, onProgress) => {
      onProgress({ stage: waiting });
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      throw new InstallError('cancelled', 'The installation was canceled.');
    };
    const changes = [
      () => manager.remove('one'),
      () => manager.addAccount('one'),
      () => manager.removeAccount('one', 'Work'),
    ];
    for (const change of changes) {
      const changing = change();
      await until('the wait', async () => (await job())?.kind === 'installing');
      assert.deepEqual(await job(), { kind: 'installing', stage: waiting });
      manager.cancel('one');
      assert.equal(await changing, undefined);
      assert.equal(await job(), undefined);
    }
    assert.deepEqual([installer.agents[0]?.accounts, deletedKeys], [['Work'], []]);
  });

  it('installs an update after a change that is running', async () => {
    await manager.install(one);
    installer.during = () => new Promise((resolve) => setImmediate(resolve));
    const adding = manager.addAccount('one');
    await until('the change', () => installer.calls.length > 0);
    await Promise.all([adding, manager.install(registryAgent('one', '1.1.0'))]);
    assert.equal(installer.agents[0]?.version, '1.1.0');
  });

  it('starts no change after it was stopped', async () => {
    await manager.install(one);
    await manager.stop();
    assert.equal(await manager.addAccount('one'), undefined);
    assert.equal(installer.agents[0]?.accounts, undefined);
  });

  it('runs the changes of an agent one after another', async () => {
    await manager.install(one);
    let running = 0;
    installer.during = async () => {
      assert.equal(++running, 1);
      await new Promise(setImmediate);
      running--;
    };
    await Promise.all([manager.addAccount('one'), manager.removeAccount('one', 'Home'), manager.addAccount('one')]);
    assert.deepEqual(installer.agents[0]?.accounts, ['Work']);
  });

  it('checks until the list is loaded for all who have asked, since the address may have changed between them', async () => {
    const [first, second] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    const loads = [first.promise, second.promise];
    registry.refresh = () => loads.shift() ?? assert.fail('A third load was not asked for.');
    const isChecking = async (): Promise<boolean> => (await manager.situation()).isChecking;
    let changes = 0;
    manager.onDidChange(() => changes++);
    let isSecondDone = false;
    const firstAsked = manager.refreshRegistry();
    const secondAsked = manager.refreshRegistry().then(() => (isSecondDone = true));
    assert.equal(await isChecking(), true);
    first.resolve(undefined);
    await firstAsked;
    assert.deepEqual([await isChecking(), isSecondDone], [true, false]);
    second.resolve(undefined);
    await secondAsked;
    assert.equal(await isChecking(), false);
    assert.equal(changes, 4);
  });

  it('ends what runs when the window closes', async () => {
    installer.during = (signal) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
    const installing = manager.install(one);
    await manager.situation();
    await manager.stop();
    await installing;
    assert.deepEqual(installer.agents, []);
  });
});
