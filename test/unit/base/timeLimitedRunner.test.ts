import assert from 'node:assert/strict';
import { createTimeLimitedRunner } from '../../../src/base/node/timeLimitedRunner';

describe('a runner with a time limit', () => {
  const endless = (): number => {
    for (;;);
  };

  it('returns the result of the work, and undefined if it takes too long', () => {
    const run = createTimeLimitedRunner(100);
    assert.deepEqual([run(() => 7), run(endless), run(() => 'again')], [7, undefined, 'again']);
  });

  it('runs work again that the machine has stopped, a few times', () => {
    const run = createTimeLimitedRunner(200);
    let runs = 0;
    /** Takes time, but no processor. */
    const sleep = (): unknown => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20_000);
    assert.equal(
      run(() => (++runs === 1 ? sleep() : 'done')),
      'done',
    );
    runs = 0;
    assert.equal(
      run(() => (runs++, sleep())),
      undefined,
    );
    assert.equal(runs, 3);
  });

  it('throws what the work throws', () => {
    const run = createTimeLimitedRunner();
    for (const thrown of [new Error('broken'), Object.assign(new Error('other'), { code: 'E' })]) {
      const fail = (): never => {
        throw thrown;
      };
      assert.throws(
        () => run(fail),
        (error) => error === thrown,
      );
    }
  });
});
