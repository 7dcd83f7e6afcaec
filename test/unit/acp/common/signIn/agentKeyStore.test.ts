import assert from 'node:assert/strict';
import { AgentKeyStore } from '../../../../../src/acp/common/signIn/agentKeyStore';
import { SignInMemory } from '../../../../../src/acp/common/signIn/signInMemory';
import { nullLogger } from '../../../../../src/base/common/log';
import { FakeSecrets } from '../../../../fake/fakeSecrets';
import { MemoryMemento } from '../../../../fake/memoryMemento';

const key = 'sk-test-1234567890';

describe('the stored keys of agents', () => {
  let secrets: FakeSecrets;
  let memento: MemoryMemento;
  let store: AgentKeyStore;

  beforeEach(() => {
    secrets = new FakeSecrets();
    memento = new MemoryMemento();
    store = new AgentKeyStore({ secrets, memento, log: nullLogger });
    store.start();
  });
  afterEach(() => store.dispose());

  it('belong to one agent, so that another entry of the same agent has its own', async () => {
    await store.set('codex', 'CODEX_API_KEY', ` ${key} `);
    await store.set('codex at work', 'CODEX_API_KEY', `${key}-work`);
    assert.deepEqual(await store.keysOf('codex'), { CODEX_API_KEY: key });
    assert.deepEqual(await store.keysOf('codex at work'), { CODEX_API_KEY: `${key}-work` });
    assert.deepEqual(await store.keysOf('claude'), {});
    assert.ok(!JSON.stringify([...memento.values]).includes(key), 'only the secret storage has keys');
  });

  it('are removed one by one or all at once, and nothing is left', async () => {
    await Promise.all(['A_KEY', 'B_KEY', 'C_KEY'].map((variable) => store.set('own', variable, key)));
    await store.delete('own', 'B_KEY');
    assert.deepEqual(await store.variablesOf('own'), ['A_KEY', 'C_KEY']);
    await store.deleteAll('own');
    assert.deepEqual([secrets.values.size, store.agentIds], [0, []]);
  });

  it('are refused in a sentence', async () => {
    await assert.rejects(store.set('own', 'PATH', key), /^Error: No key can be stored for the variable "PATH"\.$/);
    await assert.rejects(store.set('own', 'A_KEY', 'short'), /at least 8 characters\.$/);
    for (let nth = 0; nth < 20; nth++) await store.set('own', `KEY_${nth}`, key);
    await assert.rejects(store.set('own', 'KEY_20', key), /At most 20 keys/);
  });

  it('tell every window of their change', async () => {
    const changed: string[] = [];
    const other = new AgentKeyStore({ secrets, memento, log: nullLogger });
    other.start();
    other.onDidChange((id) => changed.push(id));
    await store.set('codex at work', 'CODEX_API_KEY', key);
    await secrets.store('backline.amplifier.apiKey', key);
    assert.deepEqual(changed, ['codex at work']);
    other.dispose();
  });

  it('stop an agent that has keys which cannot be read, and no other', async () => {
    await store.set('own', 'A_KEY', key);
    secrets.isLocked = true;
    await assert.rejects(store.keysOf('own'), /could not be read from VS Code’s secret storage/);
    assert.deepEqual(await store.keysOf('other'), {});
  });

  it('survive a damaged secret', async () => {
    for (const damaged of ['{', '[1]', '{"A_KEY":1}', '{"PATH":"/evil"}']) {
      await secrets.store('backline.agentKeys own', damaged);
      assert.deepEqual(await store.keysOf('own'), {}, damaged);
    }
  });
});

describe('the agents that need a sign-in', () => {
  it('are known in a new window, until they work or are removed', async () => {
    const memento = new MemoryMemento();
    const memory = new SignInMemory(memento);
    await memory.update('a', { kind: 'authRequired', message: '', methods: [] });
    await memory.update('b', { kind: 'authRequired', message: '', methods: [] });
    await memory.update('a', { kind: 'stopped' });
    await memory.update('a', { kind: 'failed', message: '' });
    assert.ok(new SignInMemory(memento).needsSignIn('a'));
    await memory.update('a', { kind: 'ready' });
    await memory.forget('b');
    assert.deepEqual([memory.needsSignIn('a'), memory.needsSignIn('b')], [false, false]);
  });
});
