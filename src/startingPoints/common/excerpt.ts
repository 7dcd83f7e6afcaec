import { clip } from '../../base/common/text/clip';
import type { StartingPoint } from './startingPoint';

/** Lines of a text, 0-based, both included. */
interface LineRange {
  readonly first: number;
  readonly last: number;
}

const contextLines = 10;
/** Maximum length of the texts of a starting point, in UTF-16 units. */
const maxPointUnits = 128 * 1024;
const maxLineUnits = 400;

/**
 * Returns the given lines and those around them, with 1-based line numbers, and `…` where lines are left out. Long lines, and
 * what is longer than `maxUnits` UTF-16 units, are cut.
 */
export function excerptOf(text: string, ranges: readonly LineRange[], maxUnits: number): string {
  const lines = text.split(/\r\n|\r|\n/);
  const shown: string[] = [];
  let units = 0;
  let next = 0;
  for (const { first, last } of ranges.toSorted((one, other) => one.first - other.first)) {
    const from = Math.max(next, first - contextLines);
    const to = Math.min(lines.length - 1, last + contextLines);
    if (from > next && from <= to) shown.push('…');
    for (let index = from; index <= to; index++) {
      const line = `${index + 1}: ${clip(lines[index] ?? '', maxLineUnits)}`;
      units += line.length + 1;
      if (units > maxUnits) return [...shown, '…'].join('\n');
      shown.push(line);
    }
    next = Math.max(next, to + 1);
  }
  return shown.join('\n');
}

/** Limits the texts together, whatever they are made of. */
export function withinLimits(point: StartingPoint): StartingPoint {
  let left = maxPointUnits;
  const texts = point.texts.map(({ title, text }) => {
    const shown = clip(text, left);
    left = Math.max(0, left - shown.length);
    return { title, text: shown };
  });
  return { ...point, texts };
}
