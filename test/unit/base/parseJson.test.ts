import assert from 'node:assert/strict';
import { parseJson } from '../../../src/base/common/parseJson';

describe('parseJson', () => {
  it('reads any value of JSON', () => assert.deepEqual(parseJson('{"a":[1,null]}'), { a: [1, null] }));
  it('is undefined for invalid JSON', () => {
    assert.equal(parseJson('{'), undefined);
    assert.equal(parseJson(''), undefined);
  });
});
