import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { findProvidersToMove } from '../../../src/context/common/workers/findProvidersToMove';
import { WorkMeter } from '../../../src/context/node/worker/workMeter';

describe('the lighter half of the work of a worker', () => {
  const half = (...times: readonly number[]): number[] | undefined => findProvidersToMove(new Map(times.entries()));

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
  let nowMs: number;
  let meter: WorkMeter;
  beforeEach(() => {
    nowMs = 0;
    meter = new WorkMeter(() => nowMs);
  });

  const run = (provider: number, ms: number): void => meter.measure(provider, () => void (nowMs += ms));

  /** For each question, how long each provider runs. Undefined: it does not run. @returns what the meter says after each */
  function measure(...questions: readonly (readonly (number | undefined)[])[]): (number[] | undefined)[] {
    return questions.map((times) => {
      times.forEach((ms, provider) => {
        if (ms !== undefined) run(provider, ms);
      });
      return meter.endQuestion();
    });
  }
  const repeat = (count: number, ...times: readonly (number | undefined)[]): (readonly (number | undefined)[])[] =>
    Array.from({ length: count }, () => times);

  it('wants two workers after ten questions in a row', () => {
    assert.deepEqual(measure(...repeat(10, 1, 1)), [...repeat(9).map(() => undefined), [1]]);
  });

  it('begins anew after a question for which one worker is as good', () => {
    assert.ok(measure(...repeat(9, 1, 1), [0, 1], ...repeat(9, 1, 1)).every((each) => each === undefined));
    assert.ok(measure([1, 1])[0]);
  });

  it('compares the least time of each provider, since any of them may have waited once for the garbage collector', () => {
    assert.ok(measure(...repeat(9, 1, 1), [1, 0.3]).at(-1));
    assert.equal(measure(...repeat(9, 1, 0.1, 0.2), [1, 0.2, 0.1]).at(-1), undefined);
  });

  it('does not divide providers that are not asked together', () => {
    const [first, second] = [
      [2, 1],
      [undefined, undefined, 1, 2],
    ];
    const questions = Array.from({ length: 30 }, (_, index) => (index % 2 === 0 ? first : second));
    assert.ok(measure(...questions).every((each) => each === undefined));
    assert.equal(measure(...repeat(9, 1, 1, 1), [1, 1]).at(-1), undefined);
    assert.deepEqual(measure(...repeat(9, 1, 1)).at(-1), [1]);
  });

  it('adds the times of a provider that runs several times for a question', () => {
    for (let question = 1; question <= 10; question++) {
      run(1, 1);
      run(2, 0.2);
      run(2, 0.2);
      assert.deepEqual(meter.endQuestion(), question < 10 ? undefined : [2]);
    }
  });

  it('does not count what is excluded, and counts what runs until an error', () => {
    for (let question = 1; question <= 10; question++) {
      run(1, 1);
      meter.measure(2, () => meter.exclude(() => (nowMs += 5)));
      assert.equal(meter.endQuestion(), undefined);
    }
    for (let question = 1; question <= 10; question++) {
      run(1, 1);
      assert.throws(() => {
        meter.measure(2, () => {
          nowMs += 0.5;
          throw new Error('no');
        });
      });
      assert.deepEqual(meter.endQuestion(), question < 10 ? undefined : [2]);
    }
  });

  it('ignores messages for which no provider ran', () => {
    measure(...repeat(9, 1, 1));
    assert.equal(meter.endQuestion(), undefined);
    assert.deepEqual(measure([1, 1]), [[1]]);
  });

  it('reports again after ten more questions', () => {
    const said = measure(...repeat(30, 1, 1)).flatMap((each, index) => (each ? [index] : []));
    assert.deepEqual(said, [9, 19, 29]);
  });
});
