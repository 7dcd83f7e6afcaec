import assert from 'node:assert/strict';
import { formatFileNames, splitIntoBatches, truncateList } from '../../../src/base/common/lists';

describe('listNames', () => {
  for (const [names, expected] of [
    [['a'], '“a”'],
    [['a', 'b'], '“a” and “b”'],
    [['a', 'b', 'c'], '“a”, “b” and “c”'],
    [['a', 'b', 'c', 'd'], '“a”, “b”, “c” and 1 more file'],
    [['a', 'b', 'c', 'd', 'e'], '“a”, “b”, “c” and 2 more files'],
  ] as const)
    it(`has ${names.length}`, () => assert.equal(formatFileNames(names), expected));
});

describe('truncateList', () => {
  it('leaves a short list as it is', () => assert.deepEqual(truncateList(['a', 'b'], 2), ['a', 'b']));
  it('reports how many are left out', () =>
    assert.deepEqual(truncateList(['a', 'b', 'c', 'd'], 2), ['a', 'b', '… and 2 more']));
});

describe('inBatches', () => {
  const split = (sizes: readonly number[]): number[][] =>
    [...splitIntoBatches(sizes, (size) => size, { maxItems: 3, maxBytes: 10 })].map((batch) => [...batch]);

  it('has no batch for no items', () => assert.deepEqual(split([]), []));
  it('ends a batch with its last item', () => assert.deepEqual(split([1, 1, 1, 1]), [[1, 1, 1], [1]]));
  it('ends a batch with the item that reaches its bytes', () =>
    assert.deepEqual(split([9, 2, 20, 1, 9, 1]), [[9, 2], [20], [1, 9], [1]]));
});
