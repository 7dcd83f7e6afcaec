import assert from 'node:assert/strict';
import { drawBenchPicture, rowsOfResults } from '../../../scripts/lib/bench/benchPicture.mjs';

const result = (bench: string, value: number, peerValue: number, better: string, unit: string): string =>
  `${JSON.stringify({ bench, value, unit, peerValue, better, holds: true })}\n`;

describe('the picture of the benches', () => {
  it('shows what each costs in units of its peer, also where more is better', () => {
    const results = [
      result('chat.open2000', 120, 1_800, 'lower', 'ms'),
      result('tools.references.bytes', 2_000, 1_000, 'higher', 'lines/s'),
      result('threads.second', 1.25, 10, 'lower', 'ms of its threads'),
    ];
    const { rows, missing } = rowsOfResults(results.join(''));
    const shown = rows.map(({ detail, ratio }) => [detail, ratio]);
    assert.deepEqual(shown, [
      ['120 ms · 100 %: rendering the last 500, 1,800 ms', 120 / 1_800],
      ['2,000 lines/s · 100 %: ripgrep, 1,000 lines/s', 0.5],
      ['1.25 ms · 100 %: reading all files, 10 ms', 0.125],
    ]);
    assert.deepEqual(missing, ['changes.checkpoint', 'context.uncached.real'], 'what has no result is named');
  });

  it('has bars as long as the costs, up to an end', () => {
    const widthOf = (ratio: number): number => {
      const rows = [{ label: 'Read & write', detail: '', ratio }];
      const svg = drawBenchPicture(rows);
      assert.ok(svg.includes('Read &amp; write'));
      return Number(/width="(\d+)" height="20"/.exec(svg)?.[1]);
    };
    assert.ok(Math.abs(widthOf(1) - 2 * widthOf(0.5)) <= 1);
    assert.ok(widthOf(1) < widthOf(2));
    assert.equal(widthOf(50), widthOf(3));
    assert.equal(widthOf(0), 2);
  });
});
