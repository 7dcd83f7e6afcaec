import type { LineRange } from './hunks';
import { splitLines } from './lines';
import type { FileHunks } from './reviewSource';

/** Returns a short text that is different for different texts. */
export type Hash = (text: string) => string;

/**
 * Returns a key for each hunk of a file, from what is before and after it: another change of the same lines has another key.
 * Hunks that look the same are told apart by the lines beside them, and if these are the same too, by all lines above.
 */
export function hunkKeys({ hunks, seen }: Pick<FileHunks, 'hunks' | 'seen'>, hash: Hash): string[] {
  const [before, after] = [splitLines(seen.baseline), splitLines(seen.text)];
  const linesOf = (lines: readonly string[], { end, start }: LineRange): string => lines.slice(start, end).join('\n');
  const keys = hunks.map((hunk) => {
    const beside = [nearestLine(after, hunk.after.start - 1, -1), nearestLine(after, hunk.after.end, 1)];
    return hash(JSON.stringify([linesOf(before, hunk.before), linesOf(after, hunk.after), ...beside]));
  });
  const isRepeated = repeatedIn(keys);
  let above = '';
  let read = 0;
  return keys.map((key, index) => {
    const hunk = hunks[index];
    if (!hunk || !isRepeated(key)) return key;
    above = hash(`${above}\n${linesOf(after, { start: read, end: hunk.after.start })}`);
    read = hunk.after.start;
    return hash(`${key}\n${above}`);
  });
}

/** The next line in this direction that is not blank. */
function nearestLine(lines: readonly string[], from: number, step: 1 | -1): string | undefined {
  for (let line = from; line >= 0 && line < lines.length; line += step) {
    if (lines[line]?.trim() !== '') return lines[line];
  }
  return undefined;
}

function repeatedIn(keys: readonly string[]): (key: string) => boolean {
  const once = new Set<string>();
  const repeated = new Set(keys.filter((key) => once.size === once.add(key).size));
  return (key) => repeated.has(key);
}
