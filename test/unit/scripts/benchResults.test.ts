import assert from 'node:assert/strict';
import { mergeBenchResults } from '../../../scripts/lib/bench/benchResults.mjs';
import { benchLineOf } from '../../../bench/lib/benchLine';

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
        benchLineOf({ bench: 'a', value, unit: 'ms', peer, bar: 0.5, orValue: 60, better: 'lower' }),
      );
      assert.ok(typeof result === 'object' && result !== null && 'holds' in result && 'orValue' in result);
      return result.holds;
    };
    assert.deepEqual([50, 60, 61].map(holds), [true, true, false]);
  });
});
