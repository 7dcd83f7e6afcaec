import assert from 'node:assert/strict';
import { countWithNoun } from '../../../../src/base/common/text/countWithNoun';

describe('countOf', () => {
  it('uses the singular for one and the plural for other counts', () =>
    assert.deepEqual(
      [0, 1, 2].map((count) => countWithNoun(count, 'file')),
      ['0 files', '1 file', '2 files'],
    ));
  it('uses the given plural', () => assert.equal(countWithNoun(2, 'entry', 'entries'), '2 entries'));
});
