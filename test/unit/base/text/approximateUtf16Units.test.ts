import assert from 'node:assert/strict';
import { approximateUtf16Units } from '../../../../src/base/common/text/approximateUtf16Units';

describe('approximateUtf16Units', () => {
  it('counts the strings of a value, at any depth, and a constant for each value', () => {
    assert.equal(approximateUtf16Units('four'), 12);
    for (const small of [null, undefined, 7, true]) assert.equal(approximateUtf16Units(small), 8);
    assert.equal(approximateUtf16Units([]), 16);
    assert.equal(approximateUtf16Units({ name: ['four', null], other: 1 }), 16 + 16 + 12 + 8 + 8);
  });
});
