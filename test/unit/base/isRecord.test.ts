import assert from 'node:assert/strict';
import { isRecord } from '../../../src/base/common/isRecord';

describe('isRecord', () => {
  it('is true for objects, and not for arrays, null and other values', () => {
    assert.ok(isRecord({}) && isRecord(new Error('an object')));
    for (const value of [[], null, undefined, 'text', 7, () => ({})]) assert.ok(!isRecord(value));
  });
});
