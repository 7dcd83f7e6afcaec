import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { lighterHalf } from '../../../src/context/common/workers/lighterHalf';
import { WorkMeter } from '../../../src/context/node/worker/workMeter';

describe('the lighter half of the work of a worker', () => {
  const half = (...times: readonly number[]): number[] | undefined => lighterHalf(new Map(times.entries()));

  it('is what the provider with the most work would wait for', () => {
    assert.deepEqual(half(1, 3, 1), [0, 2]);
    assert.deepEqual(half(5, 1, 1, 1), [1, 2, 3]);
  });

  it('does not exist if a second worker would hardly save time', () => {
    assert.deepEqual(
      [half(), half(9), half(9, 0.2), half(0.1, 0.1, 0.1)],
      [undefined, undefined, undefined, undefined],
    );
  });

  it('is never the heavier one, and leaves at most a third more than half of the work to the other unless one provider has it', () => {
    const times = fc.array(fc.double({ min: 0, max: 100, noNaN: true }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(times, (all) => {
        const lighter = half(...all);
        if (!lighter) return;
        const sum = (each: readonly number[]): number => each.reduce((total, ms) => total + ms, 0);
        const moved = sum(lighter.map((index) => all[index] ?? 0));
        const left = sum(all) - moved;
        assert.ok(moved <= left + 1e-6);
        assert.ok(left <= Math.max(...all, (sum(all) * 2) / 3) + 1e-6);
      }),
    );
  });
});

describe('the meter of the work of a worker', () => {
  /** Each question takes these times. @returns what the meter says after each */
  function measure(...questions: readonly (readonly number[])[]): (number[] | undefined)[] {
    const meter = new WorkMeter();
    return questions.map((times) => {
      times.forEach((ms, provider) => meter.add(provider, ms));
      return meter.endQuestion();
    });
  }
  const repeat = (count: number, ...times: readonly number[]): (readonly number[])[] =>
    Array.from({ length: count }, () => times);

  it('wants two workers after ten questions in a row', () => {
    assert.deepEqual(measure(...repeat(10, 1, 1)), [...repeat(9).map(() => undefined), [1]]);
    assert.ok(measure(...repeat(9, 1, 1), [0, 1], ...repeat(9, 1, 1)).every((each) => each === undefined));
  });

  it('compares the least time of each provider, since any of them may have waited once for the garbage collector', () => {
    assert.ok(measure(...repeat(9, 1, 1), [1, 0.3]).at(-1));
    assert.equal(measure(...repeat(9, 1, 0.1, 0.2), [1, 0.2, 0.1]).at(-1), undefined);
  });

  it('adds the times of a provider that runs several times for a question', () => {
    const meter = new WorkMeter();
    for (let question = 1; question <= 10; question++) {
      meter.add(1, 1);
      meter.add(2, 0.2);
      meter.add(2, 0.2);
      assert.deepEqual(meter.endQuestion(), question < 10 ? undefined : [2]);
    }
  });

  it('reports again after ten more questions', () => {
    const said = measure(...repeat(30, 1, 1)).flatMap((each, index) => (each ? [index] : []));
    assert.deepEqual(said, [9, 19, 29]);
  });
});
