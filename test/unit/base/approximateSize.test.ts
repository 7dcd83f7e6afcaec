import assert from 'node:assert/strict';
import { approximateSize } from '../../../src/base/common/approximateSize';

describe('approximateSize', () => {
  it('counts the strings of a value, at any depth, and a constant for each value', () => {
    assert.equal(approximateSize('four'), 12);
    for (const small of [null, undefined, 7, true]) assert.equal(approximateSize(small), 8);
    assert.equal(approximateSize([]), 16);
    assert.equal(approximateSize({ name: ['four', null], other: 1 }), 16 + 16 + 12 + 8 + 8);
  });
});
