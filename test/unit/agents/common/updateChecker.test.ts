import assert from 'node:assert/strict';
import { AgentManager } from '../../../../src/agents/common/agentManager';
import { InstallConsents } from '../../../../src/agents/common/terms/installConsents';
import { AgentUpdateChecker, updateOfferText } from '../../../../src/agents/common/updateChecker';
import { nullLogger } from '../../../../src/base/common/log';
import { FakeAgentBackends, FakeInstaller, FakeRegistry, registryAgent } from '../../../fake/acp/fakeAgents';
import { FakeClock } from '../../../fake/fakeClock';
import { eventually } from '../../../support/eventually';
import { MemoryMemento } from '../../../fake/memoryMemento';

const hourMs = 60 * 60_000;

describe('updates of agents', () => {
  let clock: FakeClock;
  let registry: FakeRegistry;
  let installer: FakeInstaller;
  let backends: FakeAgentBackends;
  let manager: AgentManager;
  let isAutomatic: boolean;
  let offered: (readonly string[])[];
  let memento: MemoryMemento;
  let checker: AgentUpdateChecker;

  beforeEach(async () => {
    clock = new FakeClock();
    clock.setForward(1_000 * hourMs);
    registry = new FakeRegistry({ agents: [registryAgent('one')], origin: 'registry', checkedAt: clock.now() }, () =>
      clock.now(),
    );
    installer = new FakeInstaller();
    backends = new FakeAgentBackends();
    isAutomatic = false;
    offered = [];
    memento = new MemoryMemento();
    const yes = (): Promise<boolean> => Promise.resolve(true);
    manager = new AgentManager({
      registry,
      installer,
      backends,
      questions: {
        ...{ confirmInstall: yes, confirmRemove: yes, confirmRemoveAccount: yes },
        askAccount: () => Promise.resolve(undefined),
      },
      consents: new InstallConsents(memento),
      deleteKeys: () => Promise.resolve(),
      ownIds: () => new Set(),
      isTrusted: () => true,
      platform: 'linux-x86_64',
      log: nullLogger,
    });
    manager.start();
    await manager.install(registryAgent('one'));
    installer.calls.length = 0;
    checker = new AgentUpdateChecker({
      manager,
      backends,
      isAutomatic: () => isAutomatic,
      offer: (names, reason) => offered.push([...names, reason]),
      memento,
      clock,
      log: nullLogger,
    });
  });
  afterEach(() => checker.dispose());

  const publish = (version: string): void => {
    registry.next = { agents: [registryAgent('one', version)], origin: 'registry', checkedAt: clock.now() };
  };

  it('are looked for at most daily', async () => {
    await checker.checkAndOfferOrInstall();
    assert.equal(registry.refreshes, 0);
    clock.advance(25 * hourMs);
    publish('1.0.0');
    await checker.checkAndOfferOrInstall();
    await checker.checkAndOfferOrInstall();
    assert.equal(registry.refreshes, 1);
    assert.deepEqual(offered, []);
  });

  it('are looked for again where the clock was set back', async () => {
    clock.setBack(500 * hourMs);
    await checker.checkAndOfferOrInstall();
    assert.equal(registry.refreshes, 1);
  });

  it('are offered at most daily, and never installed by themselves', async () => {
    clock.advance(25 * hourMs);
    publish('1.1.0');
    await checker.checkAndOfferOrInstall();
    await checker.checkAndOfferOrInstall();
    assert.deepEqual(offered, [['one', 'available']]);
    clock.advance(25 * hourMs);
    publish('1.1.0');
    await checker.checkAndOfferOrInstall();
    assert.equal(offered.length, 2);
    assert.deepEqual(installer.calls, []);
  });

  it('are installed where the user wants that, but not while the agent works', async () => {
    isAutomatic = true;
    backends.become({ id: 'one', title: 'One', source: 'installed', description: '', state: { kind: 'ready' } });
    backends.working.add('one');
    clock.advance(25 * hourMs);
    publish('1.1.0');
    checker.start();
    await checker.checkAndOfferOrInstall();
    assert.deepEqual(installer.calls, []);
    backends.endTurn('one');
    await checker.checkAndOfferOrInstall();
    assert.equal(installer.agents[0]?.version, '1.1.0');
    assert.deepEqual(offered, []);
  });

  it('that would run something else are not installed by themselves, and the user is told', async () => {
    isAutomatic = true;
    clock.advance(25 * hourMs);
    const agents = [registryAgent('one', '1.1.0', { name: '@other/one' })];
    registry.next = { agents, origin: 'registry', checkedAt: clock.now() };
    await checker.checkAndOfferOrInstall();
    await checker.checkAndOfferOrInstall();
    assert.equal(installer.agents[0]?.version, '1.0.0');
    assert.deepEqual(offered, [['one', 'needConsent']]);
    assert.equal(
      updateOfferText(['One'], 'needConsent'),
      'An update of One is not installed, because what would run is no longer what you allowed.',
    );
  });

  it('that fail are not tried again after each turn', async () => {
    isAutomatic = true;
    installer.during = () => Promise.reject(new Error('The disk is full.'));
    clock.advance(25 * hourMs);
    publish('1.1.0');
    checker.start();
    await checker.checkAndOfferOrInstall();
    backends.endTurn('one');
    await checker.checkAndOfferOrInstall();
    assert.deepEqual(installer.calls, ['plan one 1.1.0', 'install one 1.1.0']);
  });

  it('are looked for each hour while the window is open', async () => {
    checker.start();
    await checker.checkAndOfferOrInstall();
    publish('1.1.0');
    clock.advance(24 * hourMs - 1);
    await checker.checkAndOfferOrInstall();
    assert.equal(registry.refreshes, 0);
    clock.advance(hourMs);
    await eventually('a check', () => assert.equal(registry.refreshes, 1));
    await checker.checkAndOfferOrInstall();
    assert.deepEqual(offered, [['one', 'available']]);
  });
});
