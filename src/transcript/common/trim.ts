import type { DiffHunk, Entry, Part } from './entries';

/** What a page gets at once of one part, in UTF-16 units; what is longer is asked for. */
const maxUnits = 16 * 1024;
/** The end of an output says how it went. */
const maxOutputUnits = 32 * 1024;
const maxDiffUnits = 32 * 1024;

/** The entry with its long parts cut to size; the same object when there was nothing to cut. */
export function trimEntry(entry: Entry): Entry {
  switch (entry.kind) {
    case 'tool': {
      const parts = entry.parts.map(trimPart);
      const input = entry.input === undefined ? undefined : cutEnd(entry.input, maxUnits).text;
      if (input === entry.input && parts.every((part, index) => part === entry.parts[index])) return entry;
      return { ...entry, parts, ...(input === undefined ? {} : { input }) };
    }
    case 'media': {
      const part = trimPart(entry.part);
      return part === entry.part ? entry : { ...entry, part };
    }
    case 'raw': {
      const { text, omitted } = cutEnd(entry.json, maxUnits);
      return omitted === 0 ? entry : { ...entry, json: text, omitted };
    }
    default:
      return entry;
  }
}

/** The same object when there was nothing to cut. */
export function trimPart(part: Part): Part {
  switch (part.type) {
    case 'text':
    case 'file': {
      const { text, omitted } = cutEnd(part.text, maxUnits);
      return omitted === 0 ? part : { ...part, text, omitted };
    }
    case 'terminal': {
      const { text, omitted } = cutStart(part.output, maxOutputUnits);
      return omitted === 0 ? part : { ...part, output: text, omitted };
    }
    case 'json': {
      const { text, omitted } = cutEnd(part.json, maxUnits);
      return omitted === 0 ? part : { ...part, json: text, omitted };
    }
    case 'list': {
      const count = countWithin(part.items, maxUnits, (item) => item.length + 1);
      if (count === part.items.length) return part;
      const omitted = part.items.slice(count).reduce((sum, item) => sum + item.length + 1, 0);
      return { ...part, items: part.items.slice(0, count), omitted };
    }
    case 'diff': {
      const { hunks, omitted } = cutHunks(part.hunks);
      return omitted === 0 ? part : { ...part, hunks, omitted: (part.omitted ?? 0) + omitted };
    }
    default:
      return part;
  }
}

function cutEnd(text: string, max: number): { text: string; omitted: number } {
  if (text.length <= max) return { text, omitted: 0 };
  const end = isLowSurrogate(text.charCodeAt(max)) ? max - 1 : max;
  return { text: text.slice(0, end), omitted: text.length - end };
}

/** Leaves whole lines, when that costs little. */
function cutStart(text: string, max: number): { text: string; omitted: number } {
  if (text.length <= max) return { text, omitted: 0 };
  let start = text.length - max;
  const lineStart = text.indexOf('\n', start) + 1;
  if (lineStart > 0 && lineStart - start < 1024) start = lineStart;
  else if (isLowSurrogate(text.charCodeAt(start))) start++;
  return { text: text.slice(start), omitted: start };
}

function cutHunks(hunks: readonly DiffHunk[]): { hunks: DiffHunk[]; omitted: number } {
  const kept: DiffHunk[] = [];
  let left = maxDiffUnits;
  let omitted = 0;
  for (const hunk of hunks) {
    const count = countWithin(hunk.lines, left, ({ text }) => text.length + 1);
    const cost = (from: number, to?: number): number =>
      hunk.lines.slice(from, to).reduce((sum, { text }) => sum + text.length + 1, 0);
    if (count > 0) kept.push(count === hunk.lines.length ? hunk : { ...hunk, lines: hunk.lines.slice(0, count) });
    left = count === hunk.lines.length ? left - cost(0) : 0;
    omitted += cost(count);
  }
  return { hunks: kept, omitted };
}

/** How many of the items fit, from the first one on. */
function countWithin<Item>(items: readonly Item[], max: number, sizeOf: (item: Item) => number): number {
  let sum = 0;
  const index = items.findIndex((item) => (sum += sizeOf(item)) > max);
  return index === -1 ? items.length : index;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
