import type { DiffHunk, Entry, EntryOf, Part } from './entries';

/** Limit for one part, in UTF-16 units; pages request longer ones. */
const maxUnits = 16 * 1024;
/** Output keeps its end, where the result is. */
const maxOutputUnits = 32 * 1024;
const maxDiffUnits = 32 * 1024;

/** Limit for Markdown, which pages draw in pieces. */
const maxMarkdownUnits = 256 * 1024;
/** Limit for a title. */
const maxLineUnits = 2 * 1024;

/**
 * Returns the entry with long texts and parts truncated, or the same object when nothing was. Streaming text stays
 * whole, since more is appended to it.
 */
export function trimEntry(entry: Entry): Entry {
  switch (entry.kind) {
    case 'prompt':
    case 'summary':
      return cut(entry, (texts) => ({ text: texts.start(entry.text, maxUnits) }));
    case 'answer':
    case 'thinking':
      if (entry.streaming === true) return entry;
      return cut(entry, (texts) => ({ text: texts.start(entry.text, maxMarkdownUnits) }));
    case 'tool':
      return trimTool(entry);
    case 'todos':
      return cut(entry, (texts) => ({
        items: entry.items.map((item) => ({ ...item, text: texts.start(item.text, maxLineUnits) })),
      }));
    case 'notice':
      return cut(entry, (texts) => ({
        text: texts.start(entry.text, maxUnits),
        ...(entry.details === undefined ? {} : { details: texts.start(entry.details, maxUnits) }),
      }));
    case 'end':
      return cut(entry, (texts) => ({
        ...(entry.text === undefined ? {} : { text: texts.start(entry.text, maxUnits) }),
        ...(entry.details === undefined ? {} : { details: texts.start(entry.details, maxUnits) }),
      }));
    case 'media': {
      const part = trimPart(entry.part);
      return part === entry.part ? entry : { ...entry, part };
    }
    case 'raw':
      return cut(entry, (texts) => ({
        label: texts.start(entry.label, maxLineUnits),
        json: texts.start(entry.json, maxUnits),
      }));
  }
}

function trimTool(entry: EntryOf<'tool'>): Entry {
  const { decision, error, input } = entry;
  const parts = entry.parts.map(trimPart);
  const isCut = parts.some((part, index) => part !== entry.parts[index]);
  return cut(isCut ? { ...entry, parts } : entry, (texts) => ({
    title: texts.start(entry.title, maxLineUnits),
    ...(input === undefined ? {} : { input: texts.start(input, maxUnits) }),
    ...(error === undefined ? {} : { error: texts.start(error, maxUnits) }),
    ...(decision === undefined ? {} : { decision: texts.start(decision, maxUnits) }),
  }));
}

/** Truncates texts and counts omitted units; the same object when nothing was omitted. */
function cut<Whole extends Entry>(entry: Whole, shorter: (texts: TextCutter) => Partial<Whole>): Whole {
  const texts = new TextCutter();
  const changes = shorter(texts);
  return texts.omitted === 0 ? entry : { ...entry, ...changes, omitted: texts.omitted };
}

class TextCutter {
  omitted = 0;

  start(whole: string, max: number): string {
    const { text, omitted } = cutEnd(whole, max);
    this.omitted += omitted;
    return text;
  }
}

function trimPart(part: Part): Part {
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

/** Prefers to cut at a line break. */
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

/** Counts the leading items that fit. */
function countWithin<Item>(items: readonly Item[], max: number, sizeOf: (item: Item) => number): number {
  let sum = 0;
  const index = items.findIndex((item) => (sum += sizeOf(item)) > max);
  return index === -1 ? items.length : index;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
