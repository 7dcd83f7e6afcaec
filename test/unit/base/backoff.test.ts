import assert from 'node:assert/strict';
import { backoffMs, addJitter } from '../../../src/base/common/backoff';

describe('backoffMs', () => {
  it('doubles with each failure, up to the longest wait', () => {
    const waits = [1, 2, 3, 4, 2_000].map((failures) => backoffMs({ firstMs: 500, maxMs: 3_000 }, failures));
    assert.deepEqual(waits, [500, 1_000, 2_000, 3_000, 3_000]);
  });
});

describe('addJitter', () => {
  it('returns whole milliseconds between half of the delay and the delay', () => {
    assert.deepEqual(
      [0, 0.5, 0.999].map((random) => addJitter(1_001, () => random)),
      [501, 751, 1_000],
    );
  });
});
