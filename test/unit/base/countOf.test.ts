import assert from 'node:assert/strict';
import { countOf } from '../../../src/base/common/countOf';

describe('countOf', () => {
  it('uses the singular for one and the plural for other counts', () =>
    assert.deepEqual(
      [0, 1, 2].map((count) => countOf(count, 'file')),
      ['0 files', '1 file', '2 files'],
    ));
  it('uses the given plural', () => assert.equal(countOf(2, 'entry', 'entries'), '2 entries'));
});
