import assert from 'node:assert/strict';
import { systemClock } from '../../../../src/base/node/systemClock';

describe('the clock of the process', () => {
  it('does not call back at once when a delay is longer than Node.js knows', async () => {
    let isCalled = false;
    const timer = systemClock.setTimer(2 ** 31, () => (isCalled = true));
    // A delay that overflows would be of 1 ms, so it would be over before this one.
    await new Promise<void>((resolve) => systemClock.setTimer(10, resolve));
    timer.dispose();
    assert.equal(isCalled, false);
  });

  it('has a monotonic time that is independent of the time of day', () => {
    const { now } = Date;
    const before = systemClock.monotonicNow();
    try {
      Date.now = () => 0;
      assert.ok(systemClock.monotonicNow() >= before);
    } finally {
      Date.now = now;
    }
  });
});
