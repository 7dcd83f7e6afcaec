import assert from 'node:assert/strict';
import type { ProvidedItem } from '../../../../src/context/common/items/contextItem';
import { dialectOfFunctions } from '../../../../src/context/common/providers/dialectFunctions';
import { readCapabilities } from '../../../../src/context/common/providers/dialects';
import { readItems } from '../../../../src/context/common/items/itemReader';
import { itemLimits } from '../../../../src/context/common/limits';
import { validatePackedItems } from '../../../../src/context/common/items/packedItems';
import { packedItemsSchema } from '../../../../src/context/common/items/packedItemsSchema';
import { ProviderError } from '../../../../src/context/common/providers/providerError';
import { packedOf, unpacked } from '../support/contextHarness';

const range = { start: { line: 1, character: 2 }, end: { line: 1, character: 5 } };
const has =
  (...names: string[]) =>
  (name: string): boolean =>
    names.includes(name);

function read(result: unknown, uri?: string): { items: ProvidedItem[]; notes: readonly string[] } {
  const packed = readItems(result, uri);
  validatePackedItems(packed);
  return { items: unpacked(packed), notes: packed.notes };
}

describe('dialects', () => {
  it('are detected by the functions of a module', () => {
    assert.equal(dialectOfFunctions(has('capabilities', 'items')), 'A');
    assert.equal(dialectOfFunctions(has('capabilities', 'items', 'annotations')), 'B');
    assert.equal(dialectOfFunctions(has('meta', 'annotations', 'items')), 'C');
    assert.equal(dialectOfFunctions(has('capabilities', 'mentions', 'items')), 'B', 'A has no mentions');
    assert.equal(dialectOfFunctions(has('items')), undefined);
  });

  it('agree on what capabilities say', () => {
    const selector = [{ path: '**/*.ts' }];
    assert.deepEqual(readCapabilities('A', { selector }), { selectors: selector });
    assert.deepEqual(readCapabilities('A', {}), {});
    assert.deepEqual(readCapabilities('B', { selector, meta: { name: 'B' } }), { name: 'B', selectors: selector });
    assert.deepEqual(readCapabilities('C', { name: 'C', annotations: { selectors: selector } }), {
      name: 'C',
      selectors: selector,
    });
  });

  it('take null in a selector for no condition', () => {
    assert.deepEqual(readCapabilities('A', { selector: [{ path: null, contentContains: null }] }), { selectors: [{}] });
  });

  it('read an absent scope of C as its two forms mean it', () => {
    assert.deepEqual(readCapabilities('C', { name: 'n', features: {} }), { name: 'n' });
    assert.deepEqual(readCapabilities('C', { name: 'n', annotations: {} }), { name: 'n' });
    assert.deepEqual(readCapabilities('C', { name: 'n', mentions: {} }), { name: 'n', selectors: [] });
    assert.deepEqual(readCapabilities('C', { name: 'n', selector: [{ path: 'a' }] }), {
      name: 'n',
      selectors: [{ path: 'a' }],
    });
  });

  for (const result of [null, 'text', { selector: null }, { selector: '**' }, { selector: [1] }]) {
    it(`refuse capabilities that are ${JSON.stringify(result)}`, () => {
      assert.throws(() => readCapabilities('A', result), ProviderError);
    });
  }

  it('agree on what items say', () => {
    const item = { title: 't', url: 'https://a', ui: { hover: { markdown: 'm', text: 'x' } }, ai: { content: 'c' } };
    const expected = { title: 't', url: 'https://a', hover: { markdown: 'm', text: 'x' }, aiContent: 'c', range };
    assert.deepEqual(read([{ ...item, range }]), { items: [expected], notes: [] });
    assert.deepEqual(read([{ uri: 'file:///a', range, item }]), { items: [expected], notes: [] });
  });

  it('take null for absent, as JSON writers mean it', () => {
    assert.deepEqual(read([{ title: 't', url: null, ui: null, ai: { content: null }, range: null }]).items, [
      { title: 't' },
    ]);
  });

  for (const result of [null, 'items', {}, { items: [] }, 7]) {
    it(`refuse items that are ${JSON.stringify(result)}`, () => {
      assert.throws(() => read(result), /array of items/);
    });
  }

  it('skip invalid items with a note, and keep the others', () => {
    const { start } = range;
    const { items, notes } = read([null, 1, {}, { title: 7 }, { title: 'no end', range: { start } }, { title: 'ok' }]);
    assert.deepEqual(items, [{ title: 'ok' }]);
    assert.match(notes.join(), /^5 items were skipped/);
  });

  for (const item of [
    { title: null },
    { title: 't', url: 7 },
    { title: 't', ui: 'text' },
    { title: 't', ui: { hover: 'text' } },
    { title: 't', ui: { hover: { markdown: 1 } } },
    { title: 't', ui: { hover: { text: [] } } },
    { title: 't', ai: 'text' },
    { title: 't', ai: { content: {} } },
    { title: 't', range: 1 },
    { title: 't', range: { start: null, end: { line: 0, character: 0 } } },
    { title: 't', range: { start: { line: 0, character: NaN }, end: { line: 0, character: 0 } } },
    { title: 't', range: { start: { line: 0, character: 0 }, end: { line: Infinity, character: 0 } } },
    { title: 't', range: { start: { line: '0', character: 0 }, end: { line: 0, character: 0 } } },
    { item: null, title: 't' },
  ]) {
    it(`leave out ${JSON.stringify(item)}, and nothing of its neighbours`, () => {
      const before = { title: 'before', range };
      const behind = { title: 'behind', hover: { text: 'x' } };
      const { items } = read([before, item, { title: 'behind', ui: { hover: { text: 'x' } } }]);
      assert.deepEqual(items, [before, behind]);
    });
  }

  it('keep 10,000 of 100,000 items, with a note', () => {
    const { items, notes } = read(Array.from({ length: 100_000 }, (_, index) => ({ title: `${index}` })));
    assert.equal(items.length, 10_000);
    assert.match(notes.join(), /^90000 items were skipped/);
  });

  it('cut long texts with a note', () => {
    const { items, notes } = read([{ title: 'x'.repeat(5_000), ai: { content: 'y'.repeat(1_000_000) } }]);
    assert.equal(items[0]?.title.length, itemLimits.title);
    assert.equal(items[0].aiContent?.length, itemLimits.aiContent);
    assert.match(notes.join(), /2 texts were truncated/);
  });

  it('stop when all texts together are too long', () => {
    const long = { title: 't', ai: { content: 'y'.repeat(200_000) } };
    const { items } = read(Array.from({ length: 100 }, () => long));
    assert.ok(items.length < 15);
  });

  it('leave out annotations of other documents, with a note', () => {
    const annotations = ['file:///a%20b.ts', 'file:///a b.ts', 'file:///other.ts', undefined].map((uri) => ({
      ...(uri === undefined ? {} : { uri }),
      item: { title: uri ?? 'none' },
    }));
    const { items, notes } = read(annotations, 'file:///a%20b.ts');
    assert.deepEqual(
      items.map(({ title }) => title),
      ['file:///a%20b.ts', 'file:///a b.ts', 'none'],
    );
    assert.deepEqual(notes, ['1 item was skipped: the URI is of another file.']);
    assert.equal(read(annotations).items.length, 4, 'of items that are about no document');
  });

  it('keep the preference for the link', () => {
    const presentationHints = ['prefer-link-over-detail'];
    const item = { title: 't', url: 'https://a' };
    const said = read([
      { item, presentationHints },
      { ...item, ui: { presentationHints } },
      { item, presentationHints: ['other'] },
      { item: { title: 'no link' }, presentationHints },
      { item },
    ]);
    assert.deepEqual(
      said.items.map(({ prefersLink }) => prefersLink ?? false),
      [true, true, false, false, false],
    );
  });

  it('remove links that run something', () => {
    const { items, notes } = read([
      { title: 'a', url: 'command:workbench.action.quit' },
      { title: 'b', url: 'javascript:alert(1)' },
      { title: 'c', url: 'HTTPS://example.com' },
    ]);
    assert.deepEqual(
      items.map(({ url }) => url),
      [undefined, undefined, 'HTTPS://example.com'],
    );
    assert.match(notes.join(), /2 links/);
  });
});

describe('packed items', () => {
  const items = [
    { title: '', range },
    { title: 'é 😀', hover: { text: 'only text' } },
    { title: 't', url: 'https://a', hover: { markdown: 'm', text: 'x' }, aiContent: 'c' },
    { title: 'odd', range: { start: { line: -1, character: 0.5 }, end: { line: 1e308, character: 0 } } },
  ];

  it('come out as they went in', () => {
    assert.deepEqual(unpacked(packedOf(...items)), items);
  });

  it('are rejected if their parts are inconsistent', () => {
    const packed = packedOf(...items);
    const { ranges, texts, text } = packed;
    const many = 20_000;
    const damage = [
      { ranges: ranges.slice(1) },
      { texts: texts.slice(1) },
      { texts: texts.slice(7) },
      { text: `${text}x` },
      { text: text.slice(1) },
      { texts: texts.map((value) => (value === 1 ? -5 : value)) },
      { texts: texts.with(0, 1) },
      { texts: texts.with(6, 2) },
      { ranges: new Float64Array(many * 4), texts: new Int32Array(many * 7), text: '' },
    ];
    validatePackedItems(packed);
    for (const parts of damage) assert.throws(() => validatePackedItems({ ...packed, ...parts }), ProviderError);
  });

  it('are refused when whoever made them could still change them', () => {
    const packed = packedOf({ title: 't' });
    const texts = new Int32Array(new SharedArrayBuffer(28));
    assert.equal(packedItemsSchema.safeParse(packed).success, true);
    assert.equal(packedItemsSchema.safeParse({ ...packed, texts }).success, false);
  });

  it('lose links that run something on the way', () => {
    const packed = packedOf({ title: 't', url: 'mailto:x' });
    assert.deepEqual(unpacked({ ...packed, text: 'tcommand:' }), [{ title: 't' }]);
  });
});
