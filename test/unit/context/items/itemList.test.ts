import assert from 'node:assert/strict';
import { ItemList } from '../../../../src/context/common/items/itemList';
import { packedOf, providedItem, titles } from '../support/contextHarness';

describe('items that do not all have room', () => {
  const list = new ItemList([
    {
      provider: { id: 'a', title: 'a' },
      packed: packedOf(...['a1', 'a2', 'a3'].map((title) => providedItem(title, 1))),
    },
    { provider: { id: 'b', title: 'b' }, packed: packedOf(providedItem('b1'), providedItem('b2', 1)) },
  ]);

  it('are those of each provider in turn', () => {
    assert.deepEqual(titles(list.takeEvenlyFromGroups(3, () => true)), ['a1', 'b1', 'a2']);
    assert.deepEqual(titles(list.takeEvenlyFromGroups(9, () => true)), ['a1', 'b1', 'a2', 'b2', 'a3']);
    assert.deepEqual(titles(ItemList.empty.takeEvenlyFromGroups(9, () => true)), []);
  });

  it('leave their place to others if they are not wanted', () => {
    assert.deepEqual(titles(list.takeEvenlyFromGroups(3, ({ range }) => range !== undefined)), ['a1', 'a2', 'b2']);
  });
});
