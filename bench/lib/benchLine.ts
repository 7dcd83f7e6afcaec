/** One result, printed as one line of JSON. */
export interface BenchResult {
  readonly bench: string;
  readonly value: number;
  readonly unit: string;
  /** What it is measured against in the same run, if anything. */
  readonly peer?: { readonly name: string; readonly value: number };
  /** Of the ratio to the peer, or of the value when there is no peer or `barOf` says so. Without it nothing is judged. */
  readonly bar?: number;
  readonly barOf?: 'value';
  /** A bar of the value that is enough where the bar of the ratio does not hold. */
  readonly orValue?: number;
  readonly better: 'lower' | 'higher';
}

export function printBenchLine(result: BenchResult): void {
  console.log(benchLineOf(result));
}

export function benchLineOf({ bench, value, unit, peer, bar, barOf, orValue, better }: BenchResult): string {
  const ratio = peer ? value / peer.value : null;
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
    bar: bar ?? null,
    ...(orValue === undefined ? {} : { orValue }),
    holds: bar === undefined ? null : isWithin(judged, bar) || (orValue !== undefined && isWithin(value, orValue)),
  };
  return JSON.stringify(line);
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
