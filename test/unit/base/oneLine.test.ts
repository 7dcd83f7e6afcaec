import assert from 'node:assert/strict';
import { oneLine } from '../../../src/base/common/oneLine';

describe('oneLine', () => {
  it('makes one space of each run of white space, and takes it from the ends', () =>
    assert.equal(oneLine(' \n a\t\r\n b\u00a0 c\n'), 'a b c'));
  it('leaves nothing of a text that is only white space', () => assert.equal(oneLine(' \n '), ''));
});
