import assert from 'node:assert/strict';
import { FailureRateMonitor } from '../../../../src/amp/common/failureRateMonitor';
import { FakeClock } from '../../../fake/fakeClock';

describe('FailureRateMonitor', () => {
  let clock: FakeClock;
  let changes: number;
  let health: FailureRateMonitor;
  const record = (failed: number, served: number): void => {
    for (let i = 0; i < served; i++) health.record(false);
    for (let i = 0; i < failed; i++) health.record(true);
  };

  beforeEach(() => {
    [clock, changes] = [new FakeClock(), 0];
    health = new FailureRateMonitor(clock, () => changes++);
  });
  afterEach(() => {
    health.dispose();
    assert.equal(clock.pending, 0);
  });

  it('reports nothing for few failures or a small share', () => {
    record(2, 0);
    assert.equal(health.failureCountsIfFailing, undefined);
    record(8, 100);
    assert.deepEqual([health.failureCountsIfFailing, changes], [undefined, 0]);
  });

  it('reports immediately that a quarter of the answers failed', () => {
    record(3, 9);
    assert.deepEqual(health.failureCountsIfFailing, { failedCount: 3, totalCount: 12 });
    assert.equal(changes, 1);
  });

  it('recovers after a minute without further requests', () => {
    record(20, 0);
    clock.advance(50_000);
    assert.deepEqual(health.failureCountsIfFailing, { failedCount: 20, totalCount: 20 });
    clock.advance(20_000);
    assert.deepEqual([health.failureCountsIfFailing, clock.pending], [undefined, 0]);
  });

  it('recovers when requests succeed again', () => {
    record(5, 0);
    record(0, 50);
    clock.advance(5_000);
    assert.equal(health.failureCountsIfFailing, undefined);
  });

  it('keeps its minute when the clock is set', () => {
    record(5, 0);
    clock.setBack(500_000);
    clock.advance(50_000);
    assert.deepEqual(health.failureCountsIfFailing, { failedCount: 5, totalCount: 5 });
    clock.setForward(1_000_000);
    assert.deepEqual(health.failureCountsIfFailing, { failedCount: 5, totalCount: 5 });
    clock.advance(10_000);
    assert.equal(health.failureCountsIfFailing, undefined);
  });

  it('does nothing after dispose', () => {
    health.dispose();
    record(50, 0);
    assert.deepEqual([health.failureCountsIfFailing, changes], [undefined, 0]);
  });
});
