import assert from 'node:assert/strict';
import { ThreadSubscriptions } from '../../../../src/threads/node/threadSubscriptions';
import { FakeClock } from '../../../fake/fakeClock';

describe('who follows a thread', () => {
  let clock: FakeClock;
  let costMs: number;
  let told: number;
  let subscriptions: ThreadSubscriptions;

  beforeEach(() => {
    clock = new FakeClock();
    costMs = 0;
    told = 0;
    subscriptions = new ThreadSubscriptions(
      clock,
      () => costMs,
      () => undefined,
    );
    subscriptions.add('T-a', () => told++);
  });

  it('is told of that thread, and of changes that may be of any', () => {
    subscriptions.notify(new Set(['T-b']));
    assert.equal(told, 0);
    subscriptions.notify(new Set(['T-a', 'T-b']));
    subscriptions.notify(undefined);
    assert.equal(told, 2);
  });

  it('is told in time when the clock was set back', () => {
    costMs = 100;
    subscriptions.notify(new Set(['T-a']));
    clock.setBack(3_600_000);
    subscriptions.notify(new Set(['T-a']));
    clock.advance(20_000);
    assert.equal(told, 2);
  });

  it('is told less often the longer the thread takes to be read, and never misses the last change', () => {
    costMs = 100;
    for (let change = 0; change < 100; change++) {
      subscriptions.notify(new Set(['T-a']));
      clock.advance(100);
    }
    assert.ok(told <= 8, `told ${told} times in 10 s`);
    const before = told;
    subscriptions.notify(new Set(['T-a']));
    clock.advance(2_000);
    assert.equal(told, before + 1);
  });

  it('is told nothing after the end', () => {
    const other = subscriptions.add('T-a', () => assert.fail('told'));
    other.dispose();
    costMs = 100;
    subscriptions.notify(new Set(['T-a']));
    subscriptions.notify(new Set(['T-a']));
    subscriptions.dispose();
    clock.advance(10_000);
    assert.equal(told, 1);
    assert.equal(clock.pending, 0);
  });

  it('does not suffer from another that fails', () => {
    const errors: unknown[] = [];
    const guarded = new ThreadSubscriptions(
      clock,
      () => 0,
      (error) => errors.push(error),
    );
    guarded.add('T-a', () => {
      throw new Error('no');
    });
    guarded.add('T-a', () => told++);
    guarded.notify(undefined);
    assert.equal(told, 1);
    assert.equal(errors.length, 1);
  });
});
