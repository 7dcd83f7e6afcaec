import assert from 'node:assert/strict';
import { oneLine } from '../../../../src/base/common/text/oneLine';

describe('oneLine', () => {
  it('replaces each run of white space with one space and trims the ends', () =>
    assert.equal(oneLine(' \n a\t\r\n b\u00a0 c\n'), 'a b c'));
  it('returns an empty text for white space only', () => assert.equal(oneLine(' \n '), ''));
});
