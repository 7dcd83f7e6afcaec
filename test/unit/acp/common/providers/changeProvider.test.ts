import assert from 'node:assert/strict';
import { changeProviderAndRestart } from '../../../../../src/acp/common/providers/changeProviderAndRestart';
import type { ProviderChoice } from '../../../../../src/acp/common/providers/providerChoice';
import { ProviderStore } from '../../../../../src/acp/common/providers/providerStore';
import { nullLogger } from '../../../../../src/base/common/log';
import { FakeSecrets } from '../../../../fake/fakeSecrets';
import { MemoryMemento } from '../../../../fake/memoryMemento';

const addressOf = (host: string): ProviderChoice => ({
  kind: 'address',
  apiType: 'openai',
  baseUrl: `https://${host}.example.com/v1`,
  headers: [{ name: 'X-Team', value: 'engineering' }],
});

describe('a change of an LLM provider', () => {
  let store: ProviderStore;
  let calls: string[];

  beforeEach(async () => {
    store = new ProviderStore({ secrets: new FakeSecrets(), memento: new MemoryMemento(), log: nullLogger });
    calls = [];
    await store.set('own', 'main', addressOf('old'));
  });

  async function change(
    choice: ProviderChoice | undefined,
    { isOpen = true, restart = () => Promise.resolve() }: { isOpen?: boolean; restart?: () => Promise<void> } = {},
  ): Promise<void> {
    await changeProviderAndRestart(
      {
        store,
        open: () => (isOpen ? Promise.resolve() : Promise.reject(new Error('There is no such program'))),
        isOpen: () => isOpen,
        stop: (id) => Promise.resolve(void calls.push(`stop ${id}`)),
        restart: async (id) => {
          calls.push(`restart ${id}`);
          await restart();
        },
      },
      { agentId: 'own', providerId: 'main', choice },
    );
  }

  const stored = async (): Promise<ProviderChoice | undefined> => (await store.choicesOf('own')).get('main');
  const refuse = (): Promise<void> => Promise.reject(new Error('No such gateway.'));

  it('restarts the agent', async () => {
    await change(addressOf('new'));
    assert.deepEqual([await stored(), calls], [addressOf('new'), ['restart own']]);
  });

  it('can be taken back for an agent that cannot be opened', async () => {
    await assert.rejects(change(addressOf('new'), { isOpen: false }), /no such program/);
    assert.deepEqual(await stored(), addressOf('old'));
    await change(undefined, { isOpen: false });
    assert.deepEqual([await stored(), calls], [undefined, []]);
  });

  it('to the agent’s own setting is kept if the agent does not start', async () => {
    await assert.rejects(change(undefined, { restart: refuse }), /^Error: No such gateway\.$/);
    assert.equal(await stored(), undefined);
  });

  it('that is refused is replaced by what was stored when it was made', async () => {
    await assert.rejects(change(addressOf('new'), { restart: refuse }), /No such gateway. Your change was not kept/);
    assert.deepEqual([await stored(), calls], [addressOf('old'), ['restart own', 'stop own']]);
    await store.set('own', 'main', undefined);
    await assert.rejects(change(addressOf('new'), { restart: refuse }));
    assert.equal(await stored(), undefined);
  });

  it('that is refused does not replace what another window has stored meanwhile', async () => {
    const restart = async (): Promise<void> => {
      await store.set('own', 'main', { kind: 'disabled' });
      await refuse();
    };
    await assert.rejects(change(addressOf('new'), { restart }), /not kept/);
    assert.deepEqual(await stored(), { kind: 'disabled' });
  });
});
