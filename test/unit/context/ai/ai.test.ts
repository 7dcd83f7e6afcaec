import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { ContextItemsChip } from '../../../../src/context/common/ai/contextItemsChip';
import type { ContextItem } from '../../../../src/context/common/items/contextItem';
import { ContextMentions } from '../../../../src/context/common/ai/contextMentions';
import { ContextReader } from '../../../../src/context/common/ai/contextReader';
import { runContextTool, languageModelContextTool } from '../../../../src/context/common/ai/contextTool';
import { searchItems } from '../../../../src/context/common/items/itemQueries';
import { MemoryMemento } from '../../../fake/memoryMemento';
import { documentOf, itemListOf, noLookups } from '../support/contextHarness';

function itemOf(title: string, line?: number, aiContent?: string): ContextItem {
  const range = { start: { line: line ?? 0, character: 2 }, end: { line: line ?? 0, character: 9 } };
  return {
    title,
    provider: { id: 'links.mjs', title: 'links' },
    ...(line === undefined ? {} : { range }),
    ...(aiContent === undefined ? {} : { aiContent }),
  };
}

const issue: ContextItem = { ...itemOf('Issue 12', 4, 'It is broken.'), url: 'https://example.com/12' };
const owner = itemOf('Owned by Alice', undefined, 'Alice owns it.');
const silent: ContextItem = { ...itemOf('Silent', 9), hover: { text: 'for people' } };
const secret = itemOf('Issue of a secret', 1, 'hidden');

/** A window that looks at foo.ts, has had bar.ts open, and a file that agents may not see. */
function windowOf(items: ContextItem[] = [owner, issue, silent]) {
  const state = { items, path: '/repo/src/foo.ts', asked: 0 };
  const answer = () => ({
    uri: 'file:///repo/src/foo.ts',
    version: 1,
    items: itemListOf(state.items),
    isComplete: true,
    pendingProviders: [],
    providerNotes: [],
  });
  const file = { path: state.path, name: 'foo.ts', document: documentOf('') };
  const reader = new ContextReader({
    client: {
      requestItems: () => {
        state.asked++;
        return Promise.resolve(answer());
      },
      knownItems: () => answer(),
      searchKnownItems: (query) => [
        ...searchItems(state.items, query).map((item) => ({ uri: 'file:///repo/src/foo.ts', item })),
        ...searchItems([secret], query).map((item) => ({ uri: 'file:///repo/.env', item })),
        ...searchItems([itemOf('Issue 13', 0, 'Other file')], query).map((item) => ({
          uri: 'file:///repo/bar.ts',
          item,
        })),
      ],
    },
    openFile: (path) =>
      path.endsWith('foo.ts') ? Promise.resolve(file) : Promise.reject(new Error(`${path} is not for agents`)),
    activeFile: () => Promise.resolve(file),
    readablePath: (uri) => Promise.resolve(uri.endsWith('.env') ? undefined : new URL(uri).pathname),
  });
  return { state, reader };
}

const signal = new AbortController().signal;

describe('the tool that reads context items', () => {
  const call = (input: unknown, items?: ContextItem[]): Promise<string> =>
    runContextTool({ reader: windowOf(items).reader, lookups: noLookups }, input, signal);

  it('returns the items of a file with place, title, provider, link and text for AI', async () => {
    assert.equal(
      await call({ file: 'src/foo.ts' }),
      [
        '/repo/src/foo.ts — Owned by Alice (links)\nAlice owns it.',
        '/repo/src/foo.ts:5 — Issue 12 (links)\nhttps://example.com/12\nIt is broken.',
        '/repo/src/foo.ts:10 — Silent (links)\nfor people',
      ].join('\n\n'),
    );
    assert.equal(await call({}), await call({ file: 'src/foo.ts' }));
  });

  it('filters by lines and by words', async () => {
    assert.match(await call({ firstLine: 5 }), /^\S+:5 — Issue 12[^]*broken\.$/);
    assert.match(await call({ firstLine: 4, lastLine: 10 }), /Issue 12[^]*Silent/);
    assert.equal(await call({ firstLine: 6, lastLine: 9 }), 'There are no matching context items in /repo/src/foo.ts.');
    assert.doesNotMatch(await call({ file: 'foo.ts', query: 'alice' }), /Issue/);
  });

  it('searches all files that agents may read', async () => {
    const found = await call({ query: 'issue' });
    assert.match(found, /Issue 12[^]*bar\.ts:1 — Issue 13/);
    assert.doesNotMatch(found, /secret|hidden/);
    assert.match(await call({ query: 'nothing like it' }), /no context item/);
  });

  it('reports invalid input', async () => {
    await assert.rejects(call({ firstLine: 0 }), /The input is invalid[^]*firstLine/);
    await assert.rejects(call('foo.ts'), /The input is invalid/);
    await assert.rejects(call({ file: '.env' }), /not for agents/);
  });

  it('limits the length of the answer', async () => {
    const many = Array.from({ length: 500 }, (_, index) => itemOf(`Item ${index}`, index, 'x'.repeat(10_000)));
    const text = await call({}, many);
    assert.ok(text.length < 70_000, `${text.length}`);
    assert.match(text, /… and 49\d more items\. Limit the lines, or search for words\.$/);
  });

  it('is declared in package.json as it is', () => {
    const manifest = z
      .object({ contributes: z.object({ languageModelTools: z.array(z.record(z.string(), z.unknown())) }) })
      .parse(JSON.parse(readFileSync('package.json', 'utf8')));
    const [tool] = manifest.contributes.languageModelTools;
    assert.equal(tool?.['name'], languageModelContextTool.name);
    assert.equal(tool['modelDescription'], languageModelContextTool.description);
    assert.deepEqual(tool['inputSchema'], languageModelContextTool.inputSchema);
  });
});

describe('context items as mentions', () => {
  it('offer all of the file, then each of it, then those of other files', async () => {
    const { reader } = windowOf();
    const rows = await new ContextMentions(reader, noLookups).search('', signal);
    assert.deepEqual(
      rows.map(({ title, line }) => [title, line]),
      [
        ['2 context items of foo.ts', undefined],
        ['Owned by Alice', undefined],
        ['Issue 12', 5],
        ['Silent', 10],
        ['Issue 13', 1],
      ],
    );
    assert.ok(rows.every(({ tokens = 0 }) => tokens > 5 && tokens < 100));
  });

  it('are found by their words', async () => {
    const rows = await new ContextMentions(windowOf().reader, noLookups).search('issue', signal);
    assert.deepEqual(
      rows.map(({ title }) => title),
      ['Issue 12', 'Issue 13'],
    );
  });

  it('are sent in their current form and place', async () => {
    const { reader, state } = windowOf();
    const mentions = new ContextMentions(reader, noLookups);
    const row = (await mentions.search('Issue 12', signal))[0];
    assert.ok(row);
    state.items = [itemOf('Issue 12', 100, 'another'), itemOf('Issue 12', 7, 'It is fixed.')];
    assert.deepEqual(await mentions.resolve({ id: row.id }, signal), [
      {
        type: 'text',
        uri: 'file:///repo/src/foo.ts#L8',
        title: 'Issue 12',
        text: '/repo/src/foo.ts:8 — Issue 12 (links)\nIt is fixed.',
      },
    ]);
    state.items = [];
    assert.deepEqual(await mentions.resolve({ id: row.id }, signal), []);
    assert.deepEqual(await mentions.resolve({ id: 'context:nonsense' }, signal), []);
  });

  it('are sent together when the whole file is mentioned', async () => {
    const mentions = new ContextMentions(windowOf().reader, noLookups);
    const [all] = await mentions.search('', signal);
    const sent = await mentions.resolve({ id: all?.id ?? '' }, signal);
    assert.deepEqual(
      sent.map(({ title }) => title),
      ['Owned by Alice', 'Issue 12'],
    );
  });
});

describe('context items that go along by themselves', () => {
  const chipOf = (reader: ContextReader): ContextItemsChip =>
    new ContextItemsChip(reader, new MemoryMemento(), (error) => assert.fail(String(error)));

  it('count what is for AI, ask nobody for the label, and are off until the user wants them', async () => {
    const { reader, state } = windowOf();
    const chip = chipOf(reader);
    const [view] = await chip.chips();
    assert.equal(view?.label, '2 context items of foo.ts');
    assert.equal(view.isOn, false);
    assert.ok(view.tokens > 10);
    assert.deepEqual(await chip.mentions(), []);
    assert.equal(state.asked, 0);
  });

  it('are sent once they are on', async () => {
    const chip = chipOf(windowOf().reader);
    let changes = 0;
    chip.onDidChange(() => changes++);
    chip.setOn('diagnostics', true);
    assert.equal((await chip.chips())[0]?.isOn, false);
    chip.setOn('contextItems', true);
    assert.equal(changes, 1);
    assert.deepEqual(
      (await chip.mentions()).map(({ kind, title }) => [kind, title]),
      [['context', '2 context items of foo.ts']],
    );
  });

  it('are not shown for a file without any', async () => {
    assert.deepEqual(await chipOf(windowOf([silent]).reader).chips(), []);
  });
});
