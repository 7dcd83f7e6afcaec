import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { CostThrottle } from '../../../../src/threads/common/costThrottle';
import { FakeClock } from '../../../fake/fakeClock';

describe('the pace of reading again', () => {
  function paced(costMs: number): { clock: FakeClock; throttle: CostThrottle; runs: number[] } {
    const clock = new FakeClock();
    const runs: number[] = [];
    const work = (): Promise<number> => {
      runs.push(clock.now());
      return Promise.resolve(costMs);
    };
    return {
      clock,
      runs,
      throttle: new CostThrottle(clock, { minMs: 100, share: 0.1 }, work, (error) => assert.fail(String(error))),
    };
  }

  async function touchFor(ms: number, clock: FakeClock, throttle: CostThrottle): Promise<void> {
    for (let passed = 0; passed < ms; passed += 100) {
      throttle.schedule();
      clock.advance(100);
      await setImmediate();
    }
  }

  it('uses at most its share of a processor', async () => {
    const { clock, throttle, runs } = paced(100);
    await touchFor(10_000, clock, throttle);
    assert.ok(runs.length >= 9 && runs.length <= 11, String(runs.length));
  });

  it('reads what is cheap at every change', async () => {
    const { clock, throttle, runs } = paced(1);
    await touchFor(1_000, clock, throttle);
    assert.equal(runs.length, 10);
  });

  it('keeps its pace when the clock was set back', async () => {
    const { clock, throttle, runs } = paced(100);
    await touchFor(5_000, clock, throttle);
    clock.setBack(3_600_000);
    await touchFor(5_000, clock, throttle);
    assert.ok(runs.length >= 9 && runs.length <= 11, String(runs.length));
  });

  it('runs once more for the last change, and then rests', async () => {
    const { clock, throttle, runs } = paced(100);
    await touchFor(300, clock, throttle);
    clock.advance(10_000);
    await setImmediate();
    assert.equal(runs.length, 2);
    assert.equal(clock.pending, 0);
  });

  it('continues after a failure, but not after dispose', async () => {
    const clock = new FakeClock();
    const errors: unknown[] = [];
    const throttle = new CostThrottle(
      clock,
      { minMs: 10, share: 1 },
      () => Promise.reject(new Error('lost')),
      (error) => errors.push(error),
    );
    await touchFor(200, clock, throttle);
    assert.equal(errors.length, 2);
    throttle.schedule();
    throttle.dispose();
    throttle.schedule();
    assert.equal(clock.pending, 0);
  });
});
