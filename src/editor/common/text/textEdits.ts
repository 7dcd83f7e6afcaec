import { EditorError, type TextEdit } from '../editorPort';
import { LineIndex, splitsLineEnding, splitsSurrogatePair } from './textOffsets';

/** An edit with UTF-16 offsets, end exclusive. */
export interface OffsetEdit {
  readonly start: number;
  readonly end: number;
  readonly newText: string;
}

/**
 * Converts edits to offsets, sorted by position. Insertions at the same position keep their order.
 * @throws EditorError `invalidRange` if an edit does not fit the text or two overlap
 */
export function toOffsetEdits(lines: LineIndex, edits: readonly TextEdit[]): OffsetEdit[] {
  const sorted = edits
    .map(({ range, newText }) => ({ start: lines.offsetAt(range.start), end: lines.offsetAt(range.end), newText }))
    .sort((a, b) => a.start - b.start || a.end - b.end);
  let previousEnd = 0;
  for (const { start, end } of sorted) {
    if (end < start) throw new EditorError('invalidRange', 'An edit ends before it starts. Swap its start and end.');
    if (start < previousEnd) throw new EditorError('invalidRange', 'Two edits overlap. Send them one after the other.');
    previousEnd = end;
  }
  return sorted;
}

/** Rejects text with lone surrogates, which cannot be saved. @throws EditorError `invalidText` */
export function requireValidNewText(text: string): void {
  if (text.isWellFormed()) return;
  throw new EditorError('invalidText', 'The new text contains half of a surrogate pair, which cannot be saved.');
}

/** Applies edits whose ranges all refer to `text`. @throws EditorError `invalidRange` */
export function applyTextEdits(text: string, edits: readonly TextEdit[]): string {
  return applyOffsetEdits(text, toOffsetEdits(new LineIndex(text), edits));
}

/** Applies edits that are sorted by position, such as the result of `toOffsetEdits`. */
export function applyOffsetEdits(text: string, edits: readonly OffsetEdit[]): string {
  const parts: string[] = [];
  let offset = 0;
  for (const { start, end, newText } of edits) {
    parts.push(text.slice(offset, start), newText);
    offset = end;
  }
  parts.push(text.slice(offset));
  return parts.join('');
}

/** Returns the smallest edit from `before` to `after`. Never splits a surrogate pair or CRLF. Undefined if equal. */
export function computeMinimalEdit(before: string, after: string): OffsetEdit | undefined {
  if (before === after) return undefined;
  const shorter = Math.min(before.length, after.length);
  let prefix = 0;
  while (prefix < shorter && before.charCodeAt(prefix) === after.charCodeAt(prefix)) prefix++;
  if (splitsCharacter(before, prefix) || splitsCharacter(after, prefix)) prefix--;

  let suffix = 0;
  const room = shorter - prefix;
  while (
    suffix < room &&
    before.charCodeAt(before.length - 1 - suffix) === after.charCodeAt(after.length - 1 - suffix)
  ) {
    suffix++;
  }
  if (splitsCharacter(before, before.length - suffix) || splitsCharacter(after, after.length - suffix)) suffix--;

  return { start: prefix, end: before.length - suffix, newText: after.slice(prefix, after.length - suffix) };
}

function splitsCharacter(text: string, offset: number): boolean {
  return splitsSurrogatePair(text, offset) || splitsLineEnding(text, offset);
}
