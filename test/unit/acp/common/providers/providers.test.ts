import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  addressProblem,
  choiceProblem,
  serializeChoices,
  headersKeptForAddress,
  parseChoices,
  providerHeaderProblem,
  secretsOfChoices,
  type ProviderChoice,
  type ProviderChoices,
} from '../../../../../src/acp/common/providers/providerChoice';
import { actionsOf, providerRows } from '../../../../../src/acp/common/providers/providerRows';
import { LlmProviderList } from '../../../../../src/acp/common/providers/providerSchema';
import { ProviderStore } from '../../../../../src/acp/common/providers/providerStore';
import { nullLogger } from '../../../../../src/base/common/log';
import { FakeSecrets } from '../../../../fake/fakeSecrets';
import { MemoryMemento } from '../../../../fake/memoryMemento';

const gateway: ProviderChoice = {
  kind: 'address',
  apiType: 'openai',
  baseUrl: 'https://gateway.example.com/v1',
  headers: [{ name: 'Authorization', value: 'Bearer sk-gateway-123' }],
};

describe('the list of LLM providers', () => {
  it('keeps unknown protocols, skips invalid items, and takes null for disabled', () => {
    const answer = {
      providers: [
        {
          providerId: 'main',
          supported: ['openai', 7, '_own'],
          required: true,
          current: { apiType: 'x', baseUrl: 'y' },
        },
        { providerId: 'off', supported: null, required: false, current: null },
        { providerId: 'off', supported: ['openai'], required: true },
        { supported: [], required: true },
        { providerId: 'no flag', supported: [] },
      ],
    };
    assert.deepEqual(LlmProviderList.parse(answer), [
      { id: 'main', supported: ['openai', '_own'], isRequired: true, current: { apiType: 'x', baseUrl: 'y' } },
      { id: 'off', supported: [], isRequired: false },
    ]);
    assert.equal(LlmProviderList.safeParse({}).success, false);
  });
});

describe('the address of an LLM provider', () => {
  it('is encrypted, except on this machine, and has no credentials', () => {
    for (const allowed of [
      'https://gateway.example.com',
      'http://127.0.0.1:8080/v1',
      'http://[::1]/',
      'http://localhost',
    ])
      assert.equal(addressProblem(allowed), undefined, allowed);
    for (const [refused, why] of [
      ['http://gateway.example.com', /Use https:/],
      ['http://127.0.0.1.example.com', /Use https:/],
      ['wss://gateway.example.com', /begins with https:/],
      ['file:///etc/passwd', /begins with https:/],
      ['gateway', /begins with https:/],
      ['https://me:secret@gateway.example.com', /Remove the user name/],
      ['https://gateway.example.com/#key', /after #/],
      ['https://gateway.example.com/v1?key=secret', /after \?.* in a header/],
      ['http://127.0.0.1:8080/v1?a=b', /after \?/],
    ] as const)
      assert.match(addressProblem(refused) ?? '', why, refused);
  });

  it('has headers that HTTP allows, each once', () => {
    assert.equal(providerHeaderProblem({ name: 'X-Team', value: 'a ${secret:no name}' }), undefined);
    for (const header of [
      { name: 'a b', value: 'c' },
      { name: 'Host', value: 'evil.example.com' },
      { name: 'X', value: 'a\r\nY: b' },
      { name: 'X', value: '' },
    ])
      assert.match(providerHeaderProblem(header) ?? '', /\.$/);
    const twice = { ...gateway, headers: [...gateway.headers, { name: 'authorization', value: 'other' }] };
    assert.match(choiceProblem(twice) ?? '', /once/);
  });

  it('of another origin does not get the headers of the earlier one', () => {
    assert.deepEqual(headersKeptForAddress(gateway, 'https://gateway.example.com/v2'), gateway.headers);
    for (const other of ['https://evil.example.com/v1', 'https://gateway.example.com:8443', 'http://127.0.0.1/'])
      assert.deepEqual(headersKeptForAddress(gateway, other), []);
  });
});

describe('what is stored for LLM providers', () => {
  const text = fc.string({ minLength: 1 });
  const choice: fc.Arbitrary<ProviderChoice> = fc.oneof(
    fc.constant<ProviderChoice>({ kind: 'disabled' }),
    fc.record(
      {
        kind: fc.constant('address' as const),
        apiType: text,
        baseUrl: fc.webUrl().map((url) => url.replace(/^http:/, 'https:')),
        headers: fc.uniqueArray(
          fc.record(
            { name: fc.stringMatching(/^X-[\w-]{1,9}$/), value: fc.stringMatching(/^[\x20-\x7e]{1,30}$/) },
            { noNullPrototype: true },
          ),
          { selector: ({ name }) => name.toLowerCase(), maxLength: 20 },
        ),
      },
      { noNullPrototype: true },
    ),
  );

  it('is read as it was written, whatever the ids are', () => {
    const ids = fc.oneof(text, fc.constantFrom('__proto__', 'constructor'));
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(ids, choice), { selector: ([id]) => id, maxLength: 50 }), (entries) => {
        const stored = serializeChoices(new Map(entries));
        if (entries.length === 0) assert.equal(stored, undefined);
        else assert.deepEqual([...parseChoices(stored ?? '')], entries);
      }),
    );
  });

  it('is not ignored when it is damaged', async () => {
    const secrets = new FakeSecrets();
    const store = new ProviderStore({ secrets, memento: new MemoryMemento(), log: nullLogger });
    const insecure = JSON.stringify([{ id: 'main', ...gateway, baseUrl: 'http://gateway.example.com' }]);
    for (const damaged of ['', '{', '{}', '[1]', '[{"id":"a","kind":"other"}]', insecure]) {
      await secrets.store('backline.llmProviders own', damaged);
      await assert.rejects(store.choicesOf('own'), /can’t be read/, damaged);
    }
    await store.deleteAll('own');
    assert.equal((await store.choicesOf('own')).size, 0);
  });

  it('is an error if it cannot be read, and only for agents that have something', async () => {
    const secrets = new FakeSecrets();
    const store = new ProviderStore({ secrets, memento: new MemoryMemento(), log: nullLogger });
    await store.set('own', 'main', gateway);
    secrets.isLocked = true;
    await assert.rejects(store.choicesOf('own'), /The LLM providers of this agent could not be read/);
    assert.equal((await store.choicesOf('other')).size, 0);
  });

  it('is an error if the secret storage has lost it, until it is set again or removed', async () => {
    const secrets = new FakeSecrets();
    const store = new ProviderStore({ secrets, memento: new MemoryMemento(), log: nullLogger });
    await store.set('own', 'main', gateway);
    secrets.values.clear();
    await assert.rejects(store.choicesOf('own'), /are missing in VS Code’s secret storage/);
    await store.set('own', 'main', gateway);
    assert.equal((await store.choicesOf('own')).size, 1);
    secrets.values.clear();
    await store.deleteAll('own');
    assert.equal((await store.choicesOf('own')).size, 0);
  });

  it('is not expected if it could not be stored, and still expected if it could not be removed', async () => {
    const secrets = new FakeSecrets();
    const get = secrets.get.bind(secrets);
    const store = new ProviderStore({ secrets, memento: new MemoryMemento(), log: nullLogger });
    // Only reading works.
    secrets.get = (name) => Promise.resolve(secrets.values.get(name));
    secrets.isLocked = true;
    await assert.rejects(store.set('own', 'main', gateway), /locked/);
    secrets.get = get;
    assert.deepEqual(store.agentIds, []);
    assert.equal((await store.choicesOf('own')).size, 0);
    secrets.isLocked = false;
    await store.set('own', 'main', gateway);
    secrets.isLocked = true;
    await assert.rejects(store.deleteAll('own'), /locked/);
    await assert.rejects(store.choicesOf('own'), /could not be read/);
  });

  it('is not missed by another window that hears of its removal', async () => {
    const memento = new MemoryMemento();
    const update = memento.update.bind(memento);
    memento.update = async (name, value) => {
      await new Promise((resolve) => setImmediate(resolve));
      await update(name, value);
    };
    const deps = { secrets: new FakeSecrets(), memento, log: nullLogger };
    const [store, other] = [new ProviderStore(deps), new ProviderStore(deps)];
    await store.set('own', 'main', gateway);
    const read: Promise<ProviderChoices>[] = [];
    other.start();
    other.onDidChange((id) => read.push(other.choicesOf(id)));
    await store.set('own', 'main', undefined);
    assert.deepEqual(await Promise.all(read), [new Map()]);
    other.dispose();
  });

  it('belongs to one agent, goes with it to another name, and is gone with it', async () => {
    const secrets = new FakeSecrets();
    const memento = new MemoryMemento();
    const store = new ProviderStore({ secrets, memento, log: nullLogger });
    await store.set('own', 'main', gateway);
    await store.set('own', 'other', { kind: 'disabled' });
    await assert.rejects(store.set('own', 'main', { ...gateway, baseUrl: 'http://a.example.com' }), /Use https:/);
    await store.copy('own', 'renamed');
    await store.deleteAll('own');
    await store.copy('own', 'nothing');
    assert.deepEqual(store.agentIds, ['renamed']);
    assert.deepEqual((await store.choicesOf('renamed')).get('main'), gateway);
    assert.ok(!JSON.stringify([...memento.values]).includes('gateway'));
    await store.set('renamed', 'main', undefined);
    await store.set('renamed', 'other', undefined);
    assert.deepEqual([secrets.values.size, store.agentIds], [0, []]);
  });

  it('has secrets that are redacted, whole and without the scheme', () => {
    assert.deepEqual(secretsOfChoices(new Map([['main', gateway]])), ['Bearer sk-gateway-123', 'sk-gateway-123']);
  });

  it('has other headers whose words are not secrets, unless they look random', () => {
    const secretsOf = (name: string, value: string): readonly string[] =>
      secretsOfChoices(new Map([['main', { ...gateway, headers: [{ name, value }] }]]));
    for (const [name, value] of [
      ['x-portkey-provider', 'anthropic'],
      ['X-Team', 'engineering'],
      ['X-Model', 'claude-sonnet-4-20250514'],
      ['X-Region', 'projects/example-project/locations/us-central1'],
      ['X-Author', 'Somebody Else'],
      ['X-Digits', '1'.repeat(16_000)],
    ] as const)
      assert.deepEqual(secretsOf(name, value), [], name);
    const token = 'aB3dE6gH9jK2mN5pQ8sT';
    const uuid = '123e4567-e89b-12d3-a456-426614174000';
    for (const [name, value, secrets] of [
      ['cf-aig-authorization', 'Bearer my-gateway-key', ['Bearer my-gateway-key', 'my-gateway-key']],
      ['Helicone-Auth', 'Negotiate my-gateway-key', ['Negotiate my-gateway-key', 'my-gateway-key']],
      ['x-api-key', 'one long phrase', ['one long phrase']],
      ['Cookie', `theme=solarized; session=${token}`, [`theme=solarized; session=${token}`, token]],
      ['Ocp-Apim-Subscription-Key', `sk-own-${token}`, [`sk-own-${token}`]],
      ['X-Config', JSON.stringify({ provider: 'anthropic', value: uuid }), [uuid]],
    ] as const)
      assert.deepEqual(secretsOf(name, value), secrets, name);
  });
});

describe('the rows of LLM providers', () => {
  const offered = LlmProviderList.parse({
    providers: [
      {
        providerId: 'main\u202e',
        supported: ['_own\u200b'],
        required: true,
        current: { apiType: '_own\u200b', baseUrl: 'https://me:pw@llm.example.com/v1?key=secret' },
      },
      { providerId: 'small', supported: ['openai'], required: false, current: { apiType: 'openai', baseUrl: 'x' } },
      { providerId: 'off', supported: ['openai'], required: false },
    ],
  });

  it('say where requests go, without what may be secret or hidden', () => {
    const rows = providerRows(offered, new Map([['small', gateway]]));
    assert.deepEqual(
      rows.map(({ description, detail, name }) => [name, description, detail]),
      [
        ['main[U+202E]', '_own[U+200B], https://llm.example.com/v1', 'The agent’s own setting. Required by the agent'],
        ['small', 'OpenAI, x', 'Set by you, with 1 header'],
        ['off', 'disabled', 'The agent’s own setting'],
      ],
    );
  });

  it('offer only what is possible', () => {
    const rows = providerRows(
      offered,
      new Map<string, ProviderChoice>([
        ['small', gateway],
        ['gone', { kind: 'disabled' }],
      ]),
    );
    assert.deepEqual(rows.map(actionsOf), [
      ['setAddress'],
      ['setAddress', 'disable', 'reset'],
      ['setAddress'],
      ['reset'],
    ]);
    assert.match(rows[3]?.detail ?? '', /Not offered by the agent now/);
  });
});
