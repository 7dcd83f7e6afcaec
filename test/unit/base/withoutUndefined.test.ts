import assert from 'node:assert/strict';
import { withoutUndefined } from '../../../src/base/common/withoutUndefined';

describe('withoutUndefined', () => {
  it('removes members that are undefined, and no others', () => {
    assert.deepEqual(withoutUndefined({ a: undefined, b: null, c: false, d: 0, e: '' }), {
      b: null,
      c: false,
      d: 0,
      e: '',
    });
  });
});
