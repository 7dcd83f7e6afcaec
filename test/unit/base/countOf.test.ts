import assert from 'node:assert/strict';
import { countOf } from '../../../src/base/common/countOf';

describe('countOf', () => {
  it('has one word for one, and another for all other counts', () =>
    assert.deepEqual(
      [0, 1, 2].map((count) => countOf(count, 'file')),
      ['0 files', '1 file', '2 files'],
    ));
  it('takes the word for many as it is given', () => assert.equal(countOf(2, 'entry', 'entries'), '2 entries'));
});
