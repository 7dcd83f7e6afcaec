import assert from 'node:assert/strict';
import { truncateList } from '../../../src/base/common/truncateList';

describe('truncateList', () => {
  it('leaves a short list as it is', () => assert.deepEqual(truncateList(['a', 'b'], 2), ['a', 'b']));
  it('says how many are left out', () =>
    assert.deepEqual(truncateList(['a', 'b', 'c', 'd'], 2), ['a', 'b', '… and 2 more']));
});
