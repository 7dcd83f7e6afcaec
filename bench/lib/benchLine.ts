/** One result, printed as one line of JSON. */
export interface BenchResult {
  readonly bench: string;
  readonly value: number;
  readonly unit: string;
  /** What it is measured against in the same run, if anything. */
  readonly peer?: { readonly name: string; readonly value: number };
  /**
   * Of the ratio to the peer, or of the value when there is no peer or `barOf` says so. Without it nothing is judged. A bar of a
   * time is for a machine that takes `referenceStepMs` for the calibrated step; see `benchLineOf`.
   */
  readonly bar?: number;
  readonly barOf?: 'value';
  /** A bar of the value that is enough where the bar of the ratio does not hold. */
  readonly orValue?: number;
  readonly better: 'lower' | 'higher';
}

/** What the calibrated step takes at the median on the quiet machine for which bars of times were set. */
export const referenceStepMs = 3.5;
const warmUps = 10;

export function printBenchLine(result: BenchResult): void {
  console.log(benchLineOf(result));
}

/**
 * Makes the line of a result. Bars of times are multiplied by how much longer `JSON.parse` of 1 MB takes now than on the machine
 * for which they were set, so that they are ratios of this run, too.
 */
export function benchLineOf(result: BenchResult, stepMs = calibratedStepMs): string {
  const { bench, value, unit, peer, barOf, better } = result;
  const ratio = peer ? value / peer.value : null;
  const isOfTime = /^(?:ms|of a core)\b/u.test(unit);
  const isOfValue = peer === undefined || barOf === 'value';
  const scale = isOfTime && (isOfValue || result.orValue !== undefined) ? stepMs() / referenceStepMs : 1;
  const bar = result.bar === undefined ? undefined : result.bar * (isOfValue ? scale : 1);
  const orValue = result.orValue === undefined ? undefined : result.orValue * scale;
  const judged = barOf === 'value' ? value : (ratio ?? value);
  const isWithin = (number: number, limit: number): boolean => (better === 'lower' ? number <= limit : number >= limit);
  const line = {
    bench,
    value: rounded(value),
    unit,
    peer: peer?.name ?? null,
    peerValue: peer ? rounded(peer.value) : null,
    ratio: ratio === null ? null : rounded(ratio),
    better,
    bar: bar === undefined ? null : rounded(bar),
    ...(orValue === undefined ? {} : { orValue: rounded(orValue) }),
    ...(scale === 1 ? {} : { scale: rounded(scale) }),
    holds: bar === undefined ? null : isWithin(judged, bar) || (orValue !== undefined && isWithin(value, orValue)),
  };
  return JSON.stringify(line);
}

function calibratedStepMs(): number {
  const text = JSON.stringify(
    Array.from({ length: 20_000 }, (_, index) => ({ index, text: `entry ${index}`, isEven: index % 2 === 0 })),
  );
  const times: number[] = [];
  for (let round = 0; round < 5 * warmUps; round++) {
    const startMs = performance.now();
    JSON.parse(text);
    if (round >= warmUps) times.push(performance.now() - startMs);
  }
  return median(times);
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)];
  if (middle === undefined) throw new Error('The median of nothing was asked for.');
  return middle;
}

/** `part`: 0.95 for the 95th percentile. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const found = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
  if (found === undefined) throw new Error('The percentile of nothing was asked for.');
  return found;
}

function rounded(value: number): number {
  return Number(value.toPrecision(4));
}
