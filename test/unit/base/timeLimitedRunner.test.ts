import assert from 'node:assert/strict';
import { createTimeLimitedRunner } from '../../../src/base/node/timeLimitedRunner';

describe('a runner with a time limit', () => {
  const endless = (): number => {
    for (;;);
  };

  it('returns the result of the work, and undefined if it takes too long', () => {
    const run = createTimeLimitedRunner(1000);
    assert.deepEqual([run(() => 7), run(endless), run(() => 'again')], [7, undefined, 'again']);
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
