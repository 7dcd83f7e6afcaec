import assert from 'node:assert/strict';
import * as path from 'node:path';
import { pathToFileURL } from 'node:url';
import * as z from 'zod';
import { FakeClock } from '../../../fake/fakeClock';
import type { ContextClient } from '../../../../src/context/common/contextClient';
import { ContextMentions } from '../../../../src/context/common/ai/contextMentions';
import type { ContextLookups } from '../../../../src/context/common/ai/contextLookups';
import { documentOf, factoryOf, lookupsOf, realClient, titles } from '../support/contextHarness';
import { buildContextWorker } from '../support/contextWorker';
import { serveProvider } from '../support/providerServer';

const fixtures = path.join(process.cwd(), 'test/fixtures/context/providers');
const moduleShape = z.object({ default: z.looseObject({}) });
const settings = {
  pages: [
    { title: 'How to deploy', text: 'Push the button.' },
    { title: 'How to revert', text: 'Push it again.' },
  ],
};
const noFile = { itemsOf: () => Promise.resolve(undefined), searchKnownItems: () => Promise.resolve([]) };
const signal = new AbortController().signal;

/** As real providers of each time were that know nothing of a document. */
describe('a provider that only finds mentions', () => {
  let worker: Awaited<ReturnType<typeof buildContextWorker>>;
  const ends: (() => void)[] = [];
  before(async () => {
    worker = await buildContextWorker();
  });
  after(() => worker.remove());
  afterEach(() => {
    for (const end of ends.splice(0).toReversed()) end();
  });

  function use(key: string): { client: ContextClient; mentions: ContextMentions; lookups: ContextLookups } {
    const client = realClient(factoryOf(worker.file), { [key]: settings });
    const lookups = lookupsOf(client, new FakeClock(), { codebase: 'example.com/a/b' });
    ends.push(
      () => client.dispose(),
      () => lookups.dispose(),
    );
    return { client, mentions: new ContextMentions(noFile, lookups), lookups };
  }

  /** What the chat finds and sends, once everybody has answered. */
  async function find(mentions: ContextMentions, query: string): Promise<[titles: string[], sent: string[]]> {
    await mentions.search(query, signal);
    while (mentions.isSearching(query)) await mentions.waitForMoreResults(query, signal);
    const rows = await mentions.search(query, signal);
    const sent = await Promise.all(rows.map((row) => mentions.resolve({ id: row.id }, signal)));
    return [rows.map(({ title }) => title), sent.flat().map(({ text }) => text)];
  }

  for (const form of ['B', 'B2', 'C1', 'C2']) {
    const file = path.join(fixtures, `pages${form}.mjs`);
    const name = form === 'B' ? 'pagesB' : 'Pages';

    it(`is found by its words and sent with its items, in the form ${form}`, async () => {
      const { client, mentions, lookups } = use(pathToFileURL(file).href);
      assert.deepEqual(await find(mentions, 'REVERT'), [
        ['How to revert'],
        [`How to revert (${name})\nhttps://example.com/How%20to%20revert\nPush it again.`],
      ]);
      assert.equal((await find(mentions, ''))[0].length, 2);
      assert.deepEqual(titles((await client.requestItems(documentOf('text'))).items), []);
      assert.deepEqual(client.providerStates[0]?.abilities, { annotations: false, mentions: true, items: true });
      const { items } = await lookups.itemsForQuery('deploy', 30_000, signal);
      assert.deepEqual(titles(items), ['How to deploy'], 'for a model');
    });
  }

  for (const form of ['B2', 'C1', 'C2']) {
    it(`is found over HTTP, in the form ${form}`, async () => {
      const file = path.join(fixtures, `pages${form}.mjs`);
      const { default: provider } = moduleShape.parse(await import(pathToFileURL(file).href));
      const server = await serveProvider(provider);
      ends.push(() => server.close());
      const { client, mentions } = use(server.url);
      assert.deepEqual(await find(mentions, 'revert'), [
        ['How to revert'],
        ['How to revert (Pages)\nhttps://example.com/How%20to%20revert\nPush it again.'],
      ]);
      assert.equal(client.providerStates[0]?.status, 'ready');
      const asked = server.requests.find(({ method }) => method === 'mentions');
      assert.deepEqual(asked?.params, { query: 'revert', codebase: 'example.com/a/b' });
    });
  }

  it('is not asked for what it turns out not to have', async () => {
    const server = await serveProvider({ meta: () => ({ name: 'Marks', annotations: {} }), annotations: () => [] });
    ends.push(() => server.close());
    const { client, mentions } = use(server.url);
    assert.deepEqual(await find(mentions, 'a'), [[], []]);
    assert.deepEqual(await find(mentions, 'b'), [[], []]);
    assert.equal(server.requests.filter(({ method }) => method === 'mentions').length, 1);
    assert.deepEqual(
      [client.providerStates[0]?.status, client.providerStates[0]?.abilities?.mentions],
      ['ready', false],
    );
  });
});
