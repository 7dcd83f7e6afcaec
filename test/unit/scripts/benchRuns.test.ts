import assert from 'node:assert/strict';
import { runUntilBarsHold } from '../../../scripts/lib/bench/benchRuns.mjs';

const line = (bench: string, holds: boolean | null, value: number): string => JSON.stringify({ bench, value, holds });

/** Runs a bench whose runs print these. */
async function runsOf(...outputs: readonly (readonly string[])[]): Promise<{ lines: string[]; count: number }> {
  let count = 0;
  const { output } = await runUntilBarsHold(() => {
    const lines = outputs[count++] ?? [];
    return Promise.resolve({ code: 0, output: `${lines.join('\n')}\n` });
  });
  return { lines: output.trimEnd().split('\n'), count };
}

describe('a bench', () => {
  it('runs once when all its bars hold, or it has none', async () => {
    const lines = [line('a', true, 1), line('b', null, 2)];
    assert.deepEqual(await runsOf(lines), { lines, count: 1 });
  });

  it('runs again while a bar does not hold, and reports which run a line is of', async () => {
    const again = await runsOf([line('a', true, 1), line('b', false, 2)], [line('a', false, 3), line('b', true, 4)]);
    assert.deepEqual(again, {
      lines: [line('a', true, 1), JSON.stringify({ bench: 'b', value: 4, holds: true, runs: 2 })],
      count: 2,
    });
  });

  it('runs three times at most', async () => {
    const failing = [line('a', false, 1)];
    const { lines, count } = await runsOf(failing, failing, failing, failing);
    assert.deepEqual([lines, count], [[JSON.stringify({ bench: 'a', value: 1, holds: false, runs: 3 })], 3]);
  });

  it('runs once when it fails, and what it said is shown', async () => {
    let count = 0;
    const run = (): Promise<{ code: number; output: string }> => {
      count++;
      return Promise.resolve({ code: 1, output: `${line('a', false, 1)}\nError: it broke\n` });
    };
    assert.deepEqual(await runUntilBarsHold(run), { code: 1, output: `Error: it broke\n${line('a', false, 1)}\n` });
    assert.equal(count, 1);
  });
});
