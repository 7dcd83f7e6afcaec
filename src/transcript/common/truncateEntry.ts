import type { DiffHunk, Entry, EntryOf, Part } from './entries';
import { selectShownChanges } from './shownChanges';

/** Maximum length of one part, in UTF-16 units. Pages request longer parts when the user opens them. */
const maxTextUnits = 16 * 1024;
/** Maximum length of output, in UTF-16 units. Its end is kept, which usually contains the result. */
const maxOutputUnits = 32 * 1024;
const maxDiffUnits = 32 * 1024;

/** Maximum length of Markdown, in UTF-16 units. Pages draw it in pieces. */
const maxMarkdownUnits = 256 * 1024;
const maxLineUnits = 2 * 1024;

/**
 * Returns the entry with long texts and parts truncated. Returns the same object if nothing was truncated. Streaming
 * text stays complete, because more text is appended to it.
 */
export function truncateEntry(entry: Entry): Entry {
  switch (entry.kind) {
    case 'prompt':
    case 'summary':
      return trimTexts(entry, (texts) => ({ text: texts.truncate(entry.text, maxTextUnits) }));
    case 'answer':
    case 'thinking':
      if (entry.streaming === true) return entry;
      return trimTexts(entry, (texts) => ({ text: texts.truncate(entry.text, maxMarkdownUnits) }));
    case 'tool':
      return trimTool(entry);
    case 'todos':
      return trimTexts(entry, (texts) => ({
        items: entry.items.map((item) => ({ ...item, text: texts.truncate(item.text, maxLineUnits) })),
      }));
    case 'notice':
      return trimTexts(entry, (texts) => ({
        text: texts.truncate(entry.text, maxTextUnits),
        ...(entry.details === undefined ? {} : { details: texts.truncate(entry.details, maxTextUnits) }),
      }));
    case 'end':
      return trimTexts(withShownChanges(entry), (texts) => ({
        ...(entry.text === undefined ? {} : { text: texts.truncate(entry.text, maxTextUnits) }),
        ...(entry.details === undefined ? {} : { details: texts.truncate(entry.details, maxTextUnits) }),
      }));
    case 'media': {
      const part = trimPart(entry.part);
      return part === entry.part ? entry : { ...entry, part };
    }
    case 'raw':
      return trimTexts(entry, (texts) => ({
        label: texts.truncate(entry.label, maxLineUnits),
        json: texts.truncate(entry.json, maxTextUnits),
      }));
  }
}

function withShownChanges(entry: EntryOf<'end'>): EntryOf<'end'> {
  if (!entry.changes) return entry;
  const shown = selectShownChanges(entry.changes);
  return shown.changes.length === entry.changes.length ? entry : { ...entry, ...shown };
}

function trimTool(entry: EntryOf<'tool'>): Entry {
  const { decision, error, input } = entry;
  const parts = entry.parts.map(trimPart);
  const isCut = parts.some((part, index) => part !== entry.parts[index]);
  return trimTexts(isCut ? { ...entry, parts } : entry, (texts) => ({
    title: texts.truncate(entry.title, maxLineUnits),
    ...(input === undefined ? {} : { input: texts.truncate(input, maxTextUnits) }),
    ...(error === undefined ? {} : { error: texts.truncate(error, maxTextUnits) }),
    ...(decision === undefined ? {} : { decision: texts.truncate(decision, maxTextUnits) }),
  }));
}

/** Truncates texts and counts omitted units. Returns the same object if nothing was omitted. */
function trimTexts<Whole extends Entry>(entry: Whole, shorter: (texts: TextTruncator) => Partial<Whole>): Whole {
  const texts = new TextTruncator();
  const changes = shorter(texts);
  return texts.omittedUnits === 0 ? entry : { ...entry, ...changes, omitted: texts.omittedUnits };
}

class TextTruncator {
  omittedUnits = 0;

  truncate(wholeText: string, maxUnits: number): string {
    const { text, omitted } = truncateEnd(wholeText, maxUnits);
    this.omittedUnits += omitted;
    return text;
  }
}

function trimPart(part: Part): Part {
  switch (part.type) {
    case 'text':
    case 'file': {
      const { text, omitted } = truncateEnd(part.text, maxTextUnits);
      return omitted === 0 ? part : { ...part, text, omitted };
    }
    case 'terminal': {
      const { text, omitted } = truncateStart(part.output, maxOutputUnits);
      return omitted === 0 ? part : { ...part, output: text, omitted };
    }
    case 'json': {
      const { text, omitted } = truncateEnd(part.json, maxTextUnits);
      return omitted === 0 ? part : { ...part, json: text, omitted };
    }
    case 'list': {
      const count = countFitting(part.items, maxTextUnits, (item) => item.length + 1);
      if (count === part.items.length) return part;
      const omitted = part.items.slice(count).reduce((sum, item) => sum + item.length + 1, 0);
      return { ...part, items: part.items.slice(0, count), omitted };
    }
    case 'diff': {
      const { hunks, omitted } = truncateHunks(part.hunks);
      return omitted === 0 ? part : { ...part, hunks, omitted: (part.omitted ?? 0) + omitted };
    }
    default:
      return part;
  }
}

function truncateEnd(text: string, max: number): { text: string; omitted: number } {
  if (text.length <= max) return { text, omitted: 0 };
  const end = isLowSurrogate(text.charCodeAt(max)) ? max - 1 : max;
  return { text: text.slice(0, end), omitted: text.length - end };
}

function truncateStart(text: string, max: number): { text: string; omitted: number } {
  if (text.length <= max) return { text, omitted: 0 };
  let start = text.length - max;
  const lineStart = text.indexOf('\n', start) + 1;
  if (lineStart > 0 && lineStart - start < 1024) start = lineStart;
  else if (isLowSurrogate(text.charCodeAt(start))) start++;
  return { text: text.slice(start), omitted: start };
}

function truncateHunks(hunks: readonly DiffHunk[]): { hunks: DiffHunk[]; omitted: number } {
  const kept: DiffHunk[] = [];
  let left = maxDiffUnits;
  let omitted = 0;
  for (const hunk of hunks) {
    const count = countFitting(hunk.lines, left, ({ text }) => text.length + 1);
    const cost = (from: number, to?: number): number =>
      hunk.lines.slice(from, to).reduce((sum, { text }) => sum + text.length + 1, 0);
    if (count > 0) kept.push(count === hunk.lines.length ? hunk : { ...hunk, lines: hunk.lines.slice(0, count) });
    left = count === hunk.lines.length ? left - cost(0) : 0;
    omitted += cost(count);
  }
  return { hunks: kept, omitted };
}

function countFitting<Item>(items: readonly Item[], max: number, sizeOf: (item: Item) => number): number {
  let sum = 0;
  const index = items.findIndex((item) => (sum += sizeOf(item)) > max);
  return index === -1 ? items.length : index;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
