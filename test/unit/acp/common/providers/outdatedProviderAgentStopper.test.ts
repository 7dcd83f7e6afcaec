import assert from 'node:assert/strict';
import type { ProviderChoice } from '../../../../../src/acp/common/providers/providerChoice';
import { ProviderStore } from '../../../../../src/acp/common/providers/providerStore';
import { OutdatedProviderAgentStopper } from '../../../../../src/acp/common/providers/outdatedProviderAgentStopper';
import { nullLogger } from '../../../../../src/base/common/log';
import type { BackendState } from '../../../../../src/session/common/sessionBackend';
import { FakeSecrets } from '../../../../fake/fakeSecrets';
import { MemoryMemento } from '../../../../fake/memoryMemento';

const addressOf = (host: string): ProviderChoice => ({
  kind: 'address',
  apiType: 'openai',
  baseUrl: `https://${host}.example.com/v1`,
  headers: [],
});

describe('the use of LLM providers, changed in another window', () => {
  let secrets: FakeSecrets;
  let other: ProviderStore;
  let use: OutdatedProviderAgentStopper;
  let state: BackendState;
  /** Of processes that complete their turns after a change of the agent's settings. */
  let earlier: BackendState[];
  let isWorking: boolean;
  let stops: number;
  let postponed: string[];
  let handled: Promise<void>[];

  beforeEach(async () => {
    secrets = new FakeSecrets();
    const deps = { secrets, memento: new MemoryMemento(), log: nullLogger };
    other = new ProviderStore(deps);
    const store = new ProviderStore(deps);
    state = { kind: 'ready' };
    isWorking = false;
    stops = 0;
    postponed = [];
    handled = [];
    earlier = [];
    use = new OutdatedProviderAgentStopper({
      store,
      agents: {
        statesOf: (id) => (id === 'own' ? [...earlier, state] : []),
        stop: (id) => {
          assert.equal(id, 'own');
          stops++;
          state = { kind: 'stopped' };
          earlier = [];
          use.forgetStoppedAgents();
          return Promise.resolve();
        },
      },
      isWorking: () => isWorking,
      onDidPostpone: (id) => postponed.push(id),
      log: nullLogger,
    });
    store.start();
    store.onDidChange((id) => handled.push(use.handleChange(id)));
    await other.set('own', 'main', addressOf('old'));
    await use.choicesForStart('own');
    await settled();
  });

  async function settled(): Promise<void> {
    await Promise.all(handled.splice(0));
  }

  async function changeElsewhere(choice: ProviderChoice | undefined = addressOf('new')): Promise<void> {
    await other.set('own', 'main', choice);
    await settled();
  }

  const starting: BackendState = { kind: 'starting', message: 'Starting…' };
  const authRequired: BackendState = { kind: 'authRequired', message: 'Sign in', methods: [] };
  for (const running of [{ kind: 'ready' }, starting, authRequired] satisfies BackendState[]) {
    it(`stops an agent with the old ones in the state ${running.kind}`, async () => {
      state = running;
      await changeElsewhere();
      assert.equal(stops, 1);
    });
  }

  it('stops no agent that has ended, or that has the new ones already', async () => {
    state = { kind: 'failed', message: 'Broken' };
    use.forgetStoppedAgents();
    await changeElsewhere();
    state = { kind: 'ready' };
    await use.choicesForStart('own');
    await changeElsewhere();
    await other.set('foreign', 'main', addressOf('new'));
    await settled();
    assert.equal(stops, 0);
  });

  it('gives an agent that starts what was stored while it was read', async () => {
    state = starting;
    const get = secrets.get.bind(secrets);
    let change: (() => Promise<unknown>) | undefined = () => other.set('own', 'main', addressOf('new'));
    secrets.get = async (name) => {
      const old = await get(name);
      const changing = change;
      change = undefined;
      await changing?.();
      return old;
    };
    const choices = await use.choicesForStart('own');
    await settled();
    assert.deepEqual(choices.get('main'), addressOf('new'));
    assert.equal(stops, 0);
  });

  it('stops an agent that works when its turn has ended, and tells that once', async () => {
    isWorking = true;
    await changeElsewhere();
    await changeElsewhere(addressOf('newer'));
    await use.handleEndOfTurn();
    assert.deepEqual([stops, postponed], [0, ['own']]);
    isWorking = false;
    const ended = use.handleEndOfTurn();
    assert.equal(stops, 1, 'before a queued prompt can be sent');
    await ended;
    await use.handleEndOfTurn();
    assert.equal(stops, 1);
  });

  it('stops no agent whose turn has ended if the old ones are back', async () => {
    isWorking = true;
    await changeElsewhere();
    await changeElsewhere(addressOf('old'));
    isWorking = false;
    await use.handleEndOfTurn();
    assert.equal(stops, 0);
  });

  it('stops an agent with the old ones that completes its turn after a change of its settings', async () => {
    isWorking = true;
    earlier = [{ kind: 'ready' }];
    state = { kind: 'stopped' };
    use.forgetStoppedAgents();
    await changeElsewhere();
    assert.deepEqual(postponed, ['own'], 'also if the process with the new settings does not run');
    state = starting;
    await use.choicesForStart('own');
    state = { kind: 'ready' };
    isWorking = false;
    await use.handleEndOfTurn();
    assert.equal(stops, 1, 'the process with the new settings does not hide the earlier one');
    state = starting;
    await use.choicesForStart('own');
    state = { kind: 'ready' };
    await use.handleChange('own');
    assert.equal(stops, 1, 'all run with the new ones');
  });

  it('stops an agent if they cannot be read', async () => {
    secrets.values.set('backline.llmProviders own', '{');
    await use.handleChange('own');
    assert.equal(stops, 1);
  });

  it('stops an agent after its restart in this window if another one has stored something else meanwhile', async () => {
    const restart = async (choice: ProviderChoice): Promise<void> => {
      await other.set('own', 'main', choice);
      await use.choicesForStart('own');
    };
    await use.whileRestarting('own', () => restart(addressOf('mine')));
    await settled();
    assert.equal(stops, 0);
    const failed = use.whileRestarting('own', async () => {
      await restart(addressOf('new'));
      await changeElsewhere(addressOf('newer'));
      assert.equal(stops, 0);
      throw new Error('refused');
    });
    await assert.rejects(failed, /refused/);
    assert.equal(stops, 1);
  });
});
