import { EditorError, type TextEdit } from '../editorPort';
import { LineIndex, splitsLineEnding, splitsSurrogatePair } from './textOffsets';

/** An edit by UTF-16 offsets, end exclusive. */
export interface OffsetEdit {
  readonly start: number;
  readonly end: number;
  readonly newText: string;
}

/**
 * The edits by offsets, in the order of the text; several insertions at one place stay in the order given.
 * @throws EditorError `invalidRange` when one does not fit the text or two overlap
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

/** @throws EditorError `invalidText` for text that no file can hold */
export function checkNewText(text: string): void {
  if (text.isWellFormed()) return;
  throw new EditorError('invalidText', 'The new text has half of a surrogate pair, which no file can hold.');
}

/** The text after the edits, all of which refer to the text before. @throws EditorError `invalidRange` */
export function applyTextEdits(text: string, edits: readonly TextEdit[]): string {
  return applyOffsetEdits(text, toOffsetEdits(new LineIndex(text), edits));
}

/** `edits` as `toOffsetEdits` gives them. */
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

/**
 * The smallest single edit that turns `before` into `after`, or undefined when they are equal. It never cuts a
 * surrogate pair or a CRLF in two, in either text.
 */
export function minimalEdit(before: string, after: string): OffsetEdit | undefined {
  if (before === after) return undefined;
  const shorter = Math.min(before.length, after.length);
  let prefix = 0;
  while (prefix < shorter && before.charCodeAt(prefix) === after.charCodeAt(prefix)) prefix++;
  if (cutsCharacter(before, prefix) || cutsCharacter(after, prefix)) prefix--;

  let suffix = 0;
  const room = shorter - prefix;
  while (
    suffix < room &&
    before.charCodeAt(before.length - 1 - suffix) === after.charCodeAt(after.length - 1 - suffix)
  ) {
    suffix++;
  }
  if (cutsCharacter(before, before.length - suffix) || cutsCharacter(after, after.length - suffix)) suffix--;

  return { start: prefix, end: before.length - suffix, newText: after.slice(prefix, after.length - suffix) };
}

function cutsCharacter(text: string, offset: number): boolean {
  return splitsSurrogatePair(text, offset) || splitsLineEnding(text, offset);
}
