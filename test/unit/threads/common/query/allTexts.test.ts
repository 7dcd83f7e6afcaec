import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import * as path from 'node:path';
import { searchableTextsOfEntry } from '../../../../../src/threads/common/query/entryTexts';
import { foldForSearch } from '../../../../../src/texts/common/fold';
import { maxToolTextUnits, cutToSearchablePart } from '../../../../../src/texts/common/searchableText';
import { toSearchableThread, findTextHits } from '../../../../../src/threads/common/query/textHits';
import { parseQuery } from '../../../../../src/texts/common/textQuery';
import { wordsOf } from '../../../../../src/texts/common/words';
import { mapThreadJson } from '../../../../../src/threads/common/mapping/mapThreadJson';
import { answer, call, prompt, read, result, textsIn } from '../../support/mappedThreads';

const folder = path.join(process.cwd(), 'test/fixtures/threads');
const names = readdirSync(folder).filter((name) => name.endsWith('.thread.json'));
const from = { source: 'local', mtimeMs: 1_769_000_100_000, nowMs: 1_769_000_100_000 } as const;
const wordsIn = (texts: readonly string[]): ReadonlySet<string> =>
  new Set(texts.flatMap((text) => wordsOf(foldForSearch(text))));

const document = {
  id: 'T-1',
  env: {
    initial: {
      trees: [
        {
          uri: 'file:///home/kim/shop',
          repository: { type: 'git', url: 'https://example.com/kim/shop', ref: 'refs/heads/tax', sha: 'c0ffee123' },
        },
      ],
      platform: { os: 'linux', clientVersion: '0.0.9' },
    },
  },
  messages: [
    { ...prompt('Find the tax', 0), fileMentions: { files: [{ uri: 'file:///home/kim/shop/notes.md' }] } },
    {
      ...call('Bash', { cmd: 'grep -rn surcharge', why: 'because' }),
      content: [
        { type: 'thinking', thinking: 'Maybe a ledger' },
        ...call('Bash', { cmd: 'grep -rn surcharge', why: 'because' }).content,
      ],
    },
    result({ status: 'done', result: { output: 'cart.ts:12: levy', exitCode: 0 } }),
    call('Read', { path: 'file:///home/kim/shop/src/cart.ts' }, 3),
    result({ status: 'error', error: { message: 'Permission was denied' } }, 4, 'c3'),
    answer('It is in the cart', 5),
    {
      role: 'info',
      messageId: 6,
      content: [{ type: 'summary', summary: { type: 'message', summary: 'All of before' } }],
    },
    {
      role: 'critic',
      messageId: 7,
      content: [
        {
          type: 'text',
          text: `The totals are ${'x '.repeat(maxToolTextUnits)} off by a farthing ${'y '.repeat(maxToolTextUnits)}`,
        },
      ],
    },
    { role: 'system', messageId: 8, content: 'Be frugal' },
    { role: 'assistant', messageId: 9, content: [{ type: 'verdict', reasons: [{ text: 'It is lavish' }] }] },
  ],
};

/** A query, what it is found in, and the entry to go to. */
const finds: readonly (readonly [string, string, string | undefined])[] = [
  ['tax find', 'prompt', 'm0'],
  ['notes.md', 'path', 'm0'],
  ['ledger', 'thinking', 'm1.0'],
  ['"grep -rn surcharge"', 'command', 'm1.1'],
  ['because', 'call', 'm1.1'],
  ['levy', 'output', 'm1.1'],
  ['/home/kim/shop/src/cart.ts', 'path', 'm3.0'],
  ['"permission was denied"', 'output', 'm3.0'],
  ['"in the cart"', 'answer', 'm5.0'],
  ['"all of before"', 'note', 'm6.0'],
  ['farthing', 'note', 'm7'],
  ['frugal', 'note', 'm8'],
  ['lavish', 'note', 'm9.0'],
  ['c0ffee123', 'details', undefined],
  ['example.com/kim/shop', 'details', undefined],
  ['0.0.9', 'details', undefined],
];

describe('all text of a thread', () => {
  for (const [query, kind, entryId] of finds) {
    it(`is found, and reports what it is: ${query} is ${kind}`, () => {
      const texts = textsIn(document);
      const head = { ...read([]).head, id: 'T-1' };
      const [hit] = findTextHits({ head, texts }, parseQuery(query), 0);
      assert.deepEqual([hit?.kind, hit?.entryId], [kind, entryId]);
      const [inMemory] = findTextHits(toSearchableThread(mapThreadJson(document, from)), parseQuery(query), 0);
      assert.deepEqual([inMemory?.kind, inMemory?.entryId], [kind, entryId]);
    });
  }

  for (const name of names) {
    it(`is found in what is shown of ${name}, whether it is read from the document or its entries`, () => {
      const json: unknown = JSON.parse(readFileSync(path.join(folder, name), 'utf8'));
      const { entries, facts } = mapThreadJson(json, from);
      const shown = entries.flatMap((entry) =>
        searchableTextsOfEntry(entry).filter(
          ({ kind, text }) => isContent.has(kind) && !text.startsWith('The provider '),
        ),
      );
      const indexed = wordsIn(textsIn(json).map(({ text }) => text));
      const said = wordsIn([
        ...shown.map(({ text }) => text),
        ...facts.flatMap(({ label, value }) => (isOwn.has(label) ? [value] : [])),
      ]);
      const missing = [...said].filter((word) => !indexed.has(word));
      assert.deepEqual(missing, []);
    });
  }

  it('of a tool is found at its beginning and its end, however long it is', () => {
    const long = `first ${'x '.repeat(maxToolTextUnits)}last`;
    const part = cutToSearchablePart(long, 'output');
    assert.ok(part.startsWith('first') && part.endsWith('last'));
    assert.ok(part.length <= maxToolTextUnits + 1);
    assert.equal(cutToSearchablePart(long, 'prompt'), long);
  });

  it('does not have what is encoded', () => {
    const image = { isImage: true, imageInfo: { mimeType: 'image/png' }, content: 'aGVsbG8' };
    const messages = [prompt('Go', 0), call('Read', { path: '/a.png' }), result({ status: 'done', result: image })];
    assert.ok(textsIn({ messages }).every(({ text }) => !text.includes('aGVsbG8')));
  });
});

const isContent: ReadonlySet<string> = new Set(['prompt', 'answer', 'thinking', 'command', 'path']);
const isOwn: ReadonlySet<string> = new Set(['Repository', 'Branch', 'Commit', 'Folder', 'Client', 'Platform', 'Mode']);
