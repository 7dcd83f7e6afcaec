import assert from 'node:assert/strict';
import { setTimerExcludingSleep } from '../../../src/base/common/async';
import { FakeClock } from '../../fake/fakeClock';

describe('a timer of the time awake', () => {
  let clock: FakeClock;
  let calls: number;
  const start = (delayMs: number) => setTimerExcludingSleep(clock, delayMs, () => calls++);
  beforeEach(() => {
    clock = new FakeClock();
    calls = 0;
  });

  for (const delayMs of [10, 30_000, 45_000, 600_000]) {
    it(`calls back once, after ${delayMs} ms`, () => {
      start(delayMs);
      clock.advance(delayMs - 1);
      assert.equal(calls, 0);
      clock.advance(1);
      assert.equal(calls, 1);
      clock.advance(delayMs * 2);
      assert.deepEqual([calls, clock.pending], [1, 0]);
    });
  }

  it('counts a sleep of any length as one step', () => {
    start(600_000);
    clock.advance(60_000);
    clock.sleep(8 * 3_600_000);
    assert.equal(calls, 0);
    clock.advance(500_000);
    assert.equal(calls, 0);
    clock.advance(40_000);
    assert.equal(calls, 1);
  });

  it('leaves no timer when it is disposed, also after some steps', () => {
    const timer = start(600_000);
    clock.advance(100_000);
    timer.dispose();
    assert.equal(clock.pending, 0);
  });
});
