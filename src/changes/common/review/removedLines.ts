import type { Hunk } from './hunks';
import { splitLines } from './lines';

/** The lines of the earlier text that are gone or replaced. */
export interface RemovedLines {
  readonly count: number;
  /** The first of them, without a line ending at the end. */
  readonly text: string;
  /** How many more there are than in `text`. */
  readonly more: number;
}

/** More lines do not fit in a hover, which the multi-file diff is for. */
const mostLines = 30;

/** Returns undefined for a change that only adds lines. */
export function removedLines({ before }: Hunk, baseline: string): RemovedLines | undefined {
  // An empty text has one line, which nobody misses.
  const count = baseline === '' ? 0 : before.end - before.start;
  if (count === 0) return undefined;
  const lines = splitLines(baseline).slice(before.start, Math.min(before.end, before.start + mostLines));
  return { count, text: lines.join('\n'), more: count - lines.length };
}
