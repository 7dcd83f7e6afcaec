import assert from 'node:assert/strict';
import fc from 'fast-check';
import { claimOf, OriginStore, type OriginClaims } from '../../../../../src/acp/common/catalogue/agentOrigins';
import { earlierIdentityOf, identityOfProgram } from '../../../../../src/acp/common/catalogue/installedAgents';
import { OriginGuard, recordHolders, type StoredForAgent } from '../../../../../src/acp/common/catalogue/originGuard';
import { MemoryMemento } from '../../../../fake/memoryMemento';

const none: OriginClaims = { holderOf: () => undefined };
const npx = (id: string, source: string) => ({ id, terms: { kind: 'npx', source } as const });

describe('the id of an agent', () => {
  it('is never the same for programs from different places', async () => {
    const ids = fc.constantFrom('claude', 'amp', 'mcp', 'one', 'two', 'opencode', 'goose', 'demo-agent');
    const sources = fc.constantFrom('@agentclientprotocol/claude-agent-acp', 'opencode-ai', '@eve/one', 'one', 'two');
    const step = fc.record({ id: ids, source: sources, account: fc.constantFrom(undefined, 'Work') });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const store = new OriginStore(new MemoryMemento());
        const sourceById = new Map<string, string>();
        for (const { account, id, source } of steps) {
          const identity = identityOfProgram({ ...npx(id, source), account }, store);
          assert.ok(!['amp', 'mcp', '*', 'demo-agent'].includes(identity.id));
          assert.equal(sourceById.get(identity.id) ?? source, source);
          sourceById.set(identity.id, source);
          await recordHolders([{ title: '', source: 'installed', identity, ...identity }], store, () => false);
        }
      }),
    );
  });

  it('of a known agent belongs to its own package, under any name of a registry', () => {
    const real = npx('anything', '@agentclientprotocol/claude-agent-acp');
    assert.deepEqual(identityOfProgram(real, none), { id: 'claude', origin: 'known:claude', claim: 'own' });
    assert.deepEqual(identityOfProgram(npx('claude', '@eve/claude'), none).id, 'claude@npx:@eve/claude');
  });

  it('in the settings is the user’s, and uncertain where another program held it', async () => {
    const store = new OriginStore(new MemoryMemento());
    assert.equal(claimOf('Mine', 'settings', store), 'own');
    assert.equal(claimOf('claude', 'settings', store), 'uncertain');
    await store.claim([{ id: 'one', origin: 'npx:one' }]);
    assert.equal(claimOf('one', 'settings', store), 'uncertain');
    await store.claim([{ id: 'claude', origin: 'settings' }]);
    assert.equal(claimOf('claude', 'settings', store), 'own');
    assert.equal(claimOf('claude', 'known:claude', store), 'uncertain');
    assert.equal(claimOf('claude', 'npx:@eve/claude', store), 'foreign');
  });

  describe('that an earlier version has stored', () => {
    const takeOver = async (stored: readonly string[], ...agents: { id: string; origin: string }[]) => {
      const store = new OriginStore(new MemoryMemento());
      assert.equal(store.isNew, true);
      await store.takeOver(agents, stored);
      assert.equal(store.isNew, false);
      return store;
    };

    it('stays with the agent that uses it today', async () => {
      const one = npx('one', 'one');
      const goose = { id: 'goose', command: '/store/goose', terms: { kind: 'binary' } } as const;
      const mine = { id: 'Mine', origin: 'settings' };
      const store = await takeOver(['one', 'goose', 'Mine'], mine, earlierIdentityOf(one), earlierIdentityOf(goose));
      assert.deepEqual(identityOfProgram(one, store), { id: 'one', origin: 'npx:one', claim: 'own' });
      assert.deepEqual(identityOfProgram(goose, store), { id: 'goose', origin: 'installed:goose', claim: 'own' });
      assert.equal(claimOf('Mine', 'settings', store), 'own');
      assert.equal(identityOfProgram(npx('one', '@eve/one'), store).claim, 'foreign');
    });

    it('is uncertain if its agent is gone, or if a program has the id of another one', async () => {
      const store = await takeOver(
        ['gone', 'claude', 'theirs@folder~0a0a', 'amp'],
        earlierIdentityOf(npx('claude', '@corp/claude')),
        earlierIdentityOf(npx('amp', '@corp/amp')),
      );
      assert.deepEqual(identityOfProgram(npx('claude', '@corp/claude'), store).claim, 'uncertain');
      assert.deepEqual(identityOfProgram(npx('gone', 'gone'), store), {
        id: 'gone',
        origin: 'npx:gone',
        claim: 'uncertain',
      });
      assert.equal(claimOf('gone', 'settings', store), 'uncertain');
      assert.equal(claimOf('codex', 'known:codex', store), 'own');
      assert.deepEqual(
        ['theirs@folder~0a0a', 'amp'].map((id) => store.holderOf(id)),
        [undefined, undefined],
      );
    });
  });
});

describe('what is stored for an id', () => {
  const nothing: StoredForAgent = { keys: [], hasProviders: false, ruleCount: 0, hasPolicy: false };
  let store: OriginStore;
  let stored: StoredForAgent;
  let answer: 'use' | 'delete' | undefined;
  let calls: string[];
  let guard: OriginGuard;
  beforeEach(() => {
    store = new OriginStore(new MemoryMemento());
    stored = nothing;
    answer = undefined;
    calls = [];
    guard = new OriginGuard({
      store,
      storedFor: () => Promise.resolve(stored),
      deleteStored: (id) => {
        calls.push(`delete ${id}`);
        return Promise.resolve();
      },
      forgetSignIn: (id) => {
        calls.push(`forget ${id}`);
        return Promise.resolve();
      },
      ask: ({ detail, message }) => {
        calls.push(`${message}\n${detail}`);
        return Promise.resolve(answer);
      },
    });
  });
  const settingsEntry = (id: string) => {
    const origin = 'settings';
    return { id, title: id, source: 'configured', identity: { origin, claim: claimOf(id, origin, store) } };
  };
  const installedEntry = (id: string, source: string) => {
    const identity = identityOfProgram(npx(id, source), store);
    return { title: id, source: 'installed', identity, id: identity.id };
  };

  it('is used without a question by the program that holds it, or if there is nothing', async () => {
    await guard.settle(settingsEntry('Mine'));
    await guard.settle(settingsEntry('claude'));
    await guard.settle(installedEntry('one', 'one'));
    assert.deepEqual(calls, ['forget claude', 'forget one']);
    stored = { ...nothing, keys: ['A_KEY'], hasPolicy: true };
    for (const id of ['Mine', 'claude']) await guard.settle(settingsEntry(id));
    await guard.settle(installedEntry('one', 'one'));
    assert.equal(calls.length, 2);
  });

  it('is asked about once, and the agent does not start without an answer', async () => {
    await store.claim([{ id: 'one', origin: 'npx:one' }]);
    stored = { keys: ['A_KEY', 'B_KEY'], hasProviders: true, ruleCount: 1, hasPolicy: true };
    await assert.rejects(guard.settle(settingsEntry('one')), { name: 'BackendError', code: 'notReady' });
    const [question = ''] = calls;
    for (const part of ['what is stored for its name?', '“one”', 'A_KEY, B_KEY', 'LLM providers', '1 permission rule'])
      assert.ok(question.includes(part), part);
    assert.ok(!question.includes('backline.permissions'));
    answer = 'use';
    await guard.settle(settingsEntry('one'));
    await guard.settle(settingsEntry('one'));
    assert.deepEqual(calls.slice(2), ['forget one']);
    assert.equal(claimOf('one', 'npx:one', store), 'foreign');
  });

  it('is deleted if the user wants that', async () => {
    stored = { ...nothing, keys: ['A_KEY'] };
    answer = 'delete';
    await guard.settle(settingsEntry('claude'));
    assert.deepEqual(calls.slice(1), ['delete claude', 'forget claude']);
    assert.equal(store.holderOf('claude'), 'settings');
  });

  it('is asked about where a policy names a program that is installed later', async () => {
    const one = installedEntry('one', 'one');
    const hasPolicy = (): boolean => true;
    await recordHolders([one, settingsEntry('Mine')], store, hasPolicy);
    assert.deepEqual(
      ['one', 'Mine'].map((id) => store.holderOf(id)),
      [undefined, 'settings'],
    );
    stored = { ...nothing, hasPolicy: true };
    await assert.rejects(guard.settle(one));
    assert.match(calls[0] ?? '', /permissions in the setting backline\.permissions/);
    answer = 'use';
    await guard.settle(one);
    assert.equal(store.holderOf('one'), 'npx:one');
  });
});
