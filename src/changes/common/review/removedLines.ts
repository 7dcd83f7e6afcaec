import type { Hunk } from './hunks';

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

/** Returns undefined for a change that only adds lines. `baseline` is the earlier text as `splitLines` returns it. */
export function removedLines({ before }: Hunk, baseline: readonly string[]): RemovedLines | undefined {
  // An empty text is one empty line, of which nothing can be removed.
  const isEmpty = baseline.length === 1 && baseline[0] === '';
  const count = isEmpty ? 0 : before.end - before.start;
  if (count === 0) return undefined;
  const lines = baseline.slice(before.start, Math.min(before.end, before.start + mostLines));
  return { count, text: lines.join('\n'), more: count - lines.length };
}
