import assert from 'node:assert/strict';
import * as z from 'zod';
import { mergeBenchResults } from '../../../scripts/lib/bench/benchResults.mjs';
import { benchLineOf, referenceStepMs, type BenchResult } from '../../../bench/lib/benchLine';

const line = (bench: string, value: number): string => JSON.stringify({ bench, value, holds: true });

describe('results of benches', () => {
  it('are kept until the bench runs again, without what else it said', () => {
    const known = `${line('a', 1)}\n${line('b', 2)}\n`;
    assert.equal(
      mergeBenchResults(known, `SKIPPED: c\n${line('d', 3)}\n${line('a', 4)}\n`),
      `${line('a', 4)}\n${line('b', 2)}\n${line('d', 3)}\n`,
    );
  });

  it('hold when the ratio to the peer is within its bar, or the value within its own', () => {
    const holds = (value: number): unknown => {
      const peer = { name: 'a peer', value: 100 };
      const result: unknown = JSON.parse(
        benchLineOf(
          { bench: 'a', value, unit: 'ms', peer, bar: 0.5, orValue: 60, better: 'lower' },
          () => referenceStepMs,
        ),
      );
      assert.ok(typeof result === 'object' && result !== null && 'holds' in result && 'orValue' in result);
      return result.holds;
    };
    assert.deepEqual([50, 60, 61].map(holds), [true, true, false]);
  });

  it('are judged by bars of times that are as much longer as the machine is slower', () => {
    const barOf = (result: Omit<BenchResult, 'bench' | 'better'>): unknown => {
      const made = benchLineOf({ bench: 'a', better: 'lower', ...result }, () => 2 * referenceStepMs);
      const line = z.object({ bar: z.number(), holds: z.boolean() }).parse(JSON.parse(made));
      return [line.bar, line.holds];
    };
    const peer = { name: 'a peer', value: 10 };
    assert.deepEqual(barOf({ value: 90, unit: 'ms', bar: 50 }), [100, true]);
    assert.deepEqual(barOf({ value: 101, unit: 'ms of CPU', bar: 50, peer, barOf: 'value' }), [100, false]);
    assert.deepEqual(barOf({ value: 0.1, unit: 'of a core', bar: 0.08 }), [0.16, true]);
    assert.deepEqual(barOf({ value: 90, unit: 'ms', bar: 5, peer }), [5, false]);
    assert.deepEqual(barOf({ value: 90, unit: 'MB', bar: 50 }), [50, false]);
  });
});
