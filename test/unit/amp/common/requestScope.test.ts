import assert from 'node:assert/strict';
import { RequestScope } from '../../../../src/amp/common/requestScope';
import { TimeoutError } from '../../../../src/base/common/errors';
import { FakeClock } from '../../../fake/fakeClock';

describe('RequestScope', () => {
  let clock: FakeClock;
  let arrivedAt: number;
  const never = (): Promise<never> => new Promise(() => undefined);

  beforeEach(() => {
    clock = new FakeClock();
    arrivedAt = clock.monotonicNow();
  });
  afterEach(() => assert.equal(clock.pending, 0));

  it('returns the result of the work, and fires only at its end', async () => {
    const scope = new RequestScope(clock, arrivedAt, 100);
    assert.equal(await scope.run(() => Promise.resolve('done')), 'done');
    assert.equal(scope.signal.aborted, false);
    scope.end(new Error('answered'));
    assert.equal(scope.signal.aborted, true);
  });

  it('has a signal that has fired, for those who ask for it after the end', () => {
    const scope = new RequestScope(clock, arrivedAt, 100);
    scope.end(new Error('gone'));
    scope.end(new Error('gone again'));
    assert.equal(scope.signal.aborted, true);
    assert.match(String(scope.signal.reason), /gone$/u);
  });

  it('ends at the deadline, which counts from the arrival', async () => {
    clock.advance(60);
    const scope = new RequestScope(clock, arrivedAt, 100);
    const run = assert.rejects(scope.run(never), TimeoutError);
    clock.advance(39);
    assert.equal(scope.signal.aborted, false);
    clock.advance(1);
    assert.equal(scope.signal.aborted, true);
    await run;
  });

  for (const [what, change] of [
    ['back', () => clock.setBack(3_000)],
    ['forward', () => clock.setForward(3_000)],
  ] as const) {
    it(`keeps its deadline when the clock is set ${what} after the arrival`, async () => {
      clock.advance(99);
      change();
      const scope = new RequestScope(clock, arrivedAt, 100);
      const run = assert.rejects(scope.run(never), TimeoutError);
      assert.equal(scope.signal.aborted, false);
      clock.advance(1);
      assert.equal(scope.signal.aborted, true);
      await run;
    });
  }

  it('does not start late or ended work', async () => {
    clock.advance(100);
    const fail = (): Promise<never> => assert.fail('It was started.');
    await assert.rejects(new RequestScope(clock, arrivedAt, 100).run(fail), TimeoutError);
    const ended = new RequestScope(clock, clock.monotonicNow(), 100);
    ended.end(new Error('gone'));
    await assert.rejects(ended.run(fail), /gone/u);
  });

  it('rejects with the reason of its end, even if the work ignores the signal', async () => {
    const scope = new RequestScope(clock, arrivedAt, 100);
    const run = scope.run(
      () => new Promise((resolve) => scope.signal.addEventListener('abort', () => resolve('too late'))),
    );
    scope.end(new Error('gone'));
    await assert.rejects(run, /gone/u);
  });
});
