import assert from 'node:assert/strict';
import { dialectOfFunctions, readCapabilities, readItems } from '../../../src/context/common/dialects';
import { itemLimits } from '../../../src/context/common/limits';
import { packItems, unpackItems } from '../../../src/context/common/packedItems';
import { ProviderError } from '../../../src/context/common/providerError';

const range = { start: { line: 1, character: 2 }, end: { line: 1, character: 5 } };
const has =
  (...names: string[]) =>
  (name: string): boolean =>
    names.includes(name);

describe('dialects', () => {
  it('are told apart by the functions of a module', () => {
    assert.equal(dialectOfFunctions(has('capabilities', 'items')), 'A');
    assert.equal(dialectOfFunctions(has('capabilities', 'items', 'annotations')), 'B');
    assert.equal(dialectOfFunctions(has('meta', 'annotations', 'items')), 'C');
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
    assert.deepEqual(readItems([{ ...item, range }]), { items: [expected], notes: [] });
    assert.deepEqual(readItems([{ uri: 'file:///a', range, item }]), { items: [expected], notes: [] });
  });

  it('take null for absent, as JSON writers mean it', () => {
    assert.deepEqual(readItems([{ title: 't', url: null, ui: null, ai: { content: null }, range: null }]).items, [
      { title: 't' },
    ]);
  });

  for (const result of [null, 'items', {}, { items: [] }, 7]) {
    it(`refuse items that are ${JSON.stringify(result)}`, () => {
      assert.throws(() => readItems(result), /list of items/);
    });
  }

  it('leave out with a note what is no item, and keep the others', () => {
    const { start } = range;
    const { items, notes } = readItems([
      null,
      1,
      {},
      { title: 7 },
      { title: 'no end', range: { start } },
      { title: 'ok' },
    ]);
    assert.deepEqual(items, [{ title: 'ok' }]);
    assert.match(notes.join(), /^5 items were left out/);
  });

  it('keep 10,000 of 100,000 items, with a note', () => {
    const { items, notes } = readItems(Array.from({ length: 100_000 }, (_, index) => ({ title: `${index}` })));
    assert.equal(items.length, 10_000);
    assert.match(notes.join(), /^90000 items were left out/);
  });

  it('cut long texts with a note', () => {
    const { items, notes } = readItems([{ title: 'x'.repeat(5_000), ai: { content: 'y'.repeat(1_000_000) } }]);
    assert.equal(items[0]?.title.length, itemLimits.title);
    assert.equal(items[0].aiContent?.length, itemLimits.aiContent);
    assert.match(notes.join(), /2 texts were cut/);
  });

  it('stop when all texts together are too long', () => {
    const long = { title: 't', ai: { content: 'y'.repeat(200_000) } };
    const { items } = readItems(Array.from({ length: 100 }, () => long));
    assert.ok(items.length < 15);
  });

  it('leave out links that run something', () => {
    const { items, notes } = readItems([
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
    { title: 't', url: 'https://a', hover: { markdown: 'm', text: '' }, aiContent: 'c' },
    { title: 'odd', range: { start: { line: -1, character: 0.5 }, end: { line: 1e308, character: 0 } } },
  ];

  it('come out as they went in', () => {
    assert.deepEqual(unpackItems(packItems({ items, notes: ['n'] })), { items, notes: ['n'] });
  });

  it('are refused when their parts do not fit together', () => {
    const { numbers, text } = packItems({ items, notes: [] });
    const damage = [
      { numbers: numbers.slice(1), text },
      { numbers, text: `${text}x` },
      { numbers, text: text.slice(1) },
      { numbers: numbers.map((value) => (value === 1 ? -5 : value)), text },
      { numbers: new Float64Array(9 * 20_000), text: '' },
    ];
    for (const parts of damage) assert.throws(() => unpackItems({ ...parts, notes: [] }), ProviderError);
  });

  it('lose links that run something on the way', () => {
    const packed = packItems({ items: [{ title: 't', url: 'command:x' }], notes: [] });
    assert.deepEqual(unpackItems(packed).items, [{ title: 't' }]);
  });
});
