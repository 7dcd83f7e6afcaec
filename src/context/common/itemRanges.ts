import type { ContextItem, ItemPosition, ItemRange, ProvidedItem, ProviderRef } from './contextItem';

/** Holds the ranges of items to the document that they are about. */

/** How long each line of a text is, without its line ending (LF, CRLF or a lone CR). Counted when first asked for. */
export class Lines {
  private counted: readonly number[] | undefined;

  constructor(private readonly text: string) {}

  get count(): number {
    return this.lengths.length;
  }

  lengthOf(line: number): number {
    return this.lengths[line] ?? 0;
  }

  private get lengths(): readonly number[] {
    this.counted ??= this.text.includes('\r')
      ? this.text.split(/\r\n|\r|\n/).map(({ length }) => length)
      : lengthsOf(this.text);
    return this.counted;
  }
}

/** Quicker than splitting, and most texts have no carriage return. */
function lengthsOf(text: string): number[] {
  const lengths: number[] = [];
  let start = 0;
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
    lengths.push(end - start);
    start = end + 1;
  }
  lengths.push(text.length - start);
  return lengths;
}

export interface PlacedItems {
  readonly items: readonly ContextItem[];
  readonly notes: readonly string[];
}

/**
 * Gives each item its provider and a range inside of the document: one that reaches over the end of a line or of the
 * file is cut, one that is nowhere in the file loses its item; both with a note.
 */
export function placeItems(provider: ProviderRef, items: readonly ProvidedItem[], lines: Lines): PlacedItems {
  const placed: ContextItem[] = [];
  let cut = 0;
  let nowhere = 0;
  for (const item of items) {
    if (!item.range) {
      placed.push({ ...item, provider });
      continue;
    }
    const range = placeRange(item.range, lines);
    if (!range) {
      nowhere++;
      continue;
    }
    if (range !== item.range) cut++;
    placed.push({ ...item, range, provider });
  }
  const notes: string[] = [];
  if (cut > 0) notes.push(`${cut} ranges were cut: they reach over the end of a line or of the file.`);
  if (nowhere > 0) notes.push(`${nowhere} items were left out: their ranges are not in the file.`);
  return { items: placed, notes };
}

/** The same object when it fits as it is. */
function placeRange(range: ItemRange, lines: Lines): ItemRange | undefined {
  const { start, end } = range;
  if (!isPosition(start) || !isPosition(end) || isBefore(end, start) || start.line >= lines.count) return undefined;
  if (fits(start, lines) && fits(end, lines)) return range;
  return { start: clamp(start, lines), end: clamp(end, lines) };
}

function isPosition({ line, character }: ItemPosition): boolean {
  return Number.isInteger(line) && Number.isInteger(character) && line >= 0 && character >= 0;
}

function fits({ line, character }: ItemPosition, lines: Lines): boolean {
  return line < lines.count && character <= lines.lengthOf(line);
}

function clamp({ line, character }: ItemPosition, lines: Lines): ItemPosition {
  const last = lines.count - 1;
  if (line > last) return { line: last, character: lines.lengthOf(last) };
  return { line, character: Math.min(character, lines.lengthOf(line)) };
}

export function isBefore(a: ItemPosition, b: ItemPosition): boolean {
  return a.line < b.line || (a.line === b.line && a.character < b.character);
}
