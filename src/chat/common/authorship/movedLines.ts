import type { Hunk } from '../../../changes/common/review/hunks';

/** A block of this many lines can be recognized in another place. */
const blockLines = 3;
const minTellingLength = 20;

/** Whether a line by itself can be recognized in another place. */
export function isTelling(line: string): boolean {
  return line.trim().length >= minTellingLength;
}

/**
 * Returns the lines that were moved: by the index of the new line, that of the old one, both 0-based. A block of 3 lines or a
 * longer line counts as moved if it was removed at only one place and added at only one.
 */
export function findMovedLines(
  before: readonly string[],
  after: readonly string[],
  hunks: readonly Hunk[],
): Map<number, number> {
  const moved = new Map<number, number>();
  for (const size of [blockLines, 1]) {
    const removed = blocksIn(
      before,
      hunks.map((hunk) => hunk.before),
      size,
    );
    const added = blocksIn(
      after,
      hunks.map((hunk) => hunk.after),
      size,
    );
    for (const [block, at] of added) {
      const from = removed.get(block);
      if (at === 'several' || from === undefined || from === 'several') continue;
      if (size === 1 && !isTelling(after[at] ?? '')) continue;
      for (let line = 0; line < size; line++) if (!moved.has(at + line)) moved.set(at + line, from + line);
    }
  }
  return moved;
}

function blocksIn(
  lines: readonly string[],
  ranges: readonly Hunk['before'][],
  size: number,
): Map<string, number | 'several'> {
  const found = new Map<string, number | 'several'>();
  for (const { end, start } of ranges) {
    for (let index = start; index + size <= end; index++) {
      const block = size === 1 ? (lines[index] ?? '') : lines.slice(index, index + size).join('\n');
      if (block.trim() !== '') found.set(block, found.has(block) ? 'several' : index);
    }
  }
  return found;
}
