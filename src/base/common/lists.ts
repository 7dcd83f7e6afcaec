import { countWithNoun } from './text/countWithNoun';

const maxNames = 3;

/** Formats a list of names, for example `“a.ts”, “b.ts”, “c.ts” and 2 more files`. */
export function formatFileNames(names: readonly string[]): string {
  const shown = names.slice(0, maxNames).map((name) => `“${name}”`);
  const rest = names.length - shown.length;
  const last = rest > 0 ? countWithNoun(rest, 'more file') : shown.pop();
  return [shown.join(', '), last].filter((part) => part !== '').join(' and ');
}

/** Returns the first lines. If there are more, the last one contains their number, for example `… and 2 more`. */
export function truncateList(lines: readonly string[], maxLines: number): string[] {
  const left = lines.length - maxLines;
  return left > 0 ? [...lines.slice(0, maxLines), `… and ${left} more`] : [...lines];
}

interface BatchLimits {
  readonly maxItems: number;
  /** A batch is complete when its size reaches this number of bytes. */
  readonly maxBytes: number;
}

/** Splits items into batches, in their order. No batch is empty. */
export function* splitIntoBatches<T>(
  items: Iterable<T>,
  bytesOf: (item: T) => number,
  { maxBytes, maxItems }: BatchLimits,
): Generator<readonly T[]> {
  let batch: T[] = [];
  let bytes = 0;
  for (const item of items) {
    batch.push(item);
    bytes += bytesOf(item);
    if (batch.length < maxItems && bytes < maxBytes) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}
