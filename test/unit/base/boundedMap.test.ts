import assert from 'node:assert/strict';
import { BoundedMap } from '../../../src/base/common/boundedMap';

describe('BoundedMap', () => {
  it('evicts the entry set longest ago and reports it', () => {
    const gone: string[] = [];
    const map = new BoundedMap<string, string>({ maxEntries: 2, onEvict: (value) => gone.push(value) });
    map.set('a', 'A').set('b', 'B').set('a', 'A2').set('c', 'C');
    assert.deepEqual(
      [...map],
      [
        ['a', 'A2'],
        ['c', 'C'],
      ],
    );
    assert.deepEqual(gone, ['B']);
  });

  it('does not count a read as a use', () => {
    const map = new BoundedMap<string, number>({ maxEntries: 2 });
    map.set('a', 1).set('b', 2);
    map.get('a');
    map.set('c', 3);
    assert.deepEqual([...map.keys()], ['b', 'c']);
  });

  it('stays below the maximum weight, but always keeps the newest entry', () => {
    const map = new BoundedMap<string, number>({ maxWeight: 10, weigh: (value) => value });
    map.set('a', 4).set('b', 6);
    assert.deepEqual([...map.keys()], ['a', 'b']);
    map.set('c', 1);
    assert.deepEqual([...map.keys()], ['b', 'c']);
    map.set('d', 100);
    assert.deepEqual([...map.keys()], ['d']);
  });

  it('subtracts the weight of replaced, deleted and cleared entries', () => {
    const map = new BoundedMap<string, number>({ maxWeight: 10, weigh: (value) => value });
    map.set('a', 9).set('a', 1).set('b', 9);
    assert.equal(map.size, 2);
    assert.equal(map.delete('b'), true);
    map.set('c', 9);
    assert.equal(map.size, 2);
    map.clear();
    map.set('d', 5).set('e', 5);
    assert.equal(map.size, 2);
  });
});
