import * as z from 'zod';
import { countWithNoun } from '../../../base/common/text/countWithNoun';
import { convertLineEndings, type LineEnding } from '../../../editor/common/text/lineEndings';
import type { OffsetEdit } from '../../../editor/common/text/textEdits';
import { LineIndex } from '../../../editor/common/text/textOffsets';
import { ToolError } from '../toolError';

export const maxEdits = 200;
const maxNamedLines = 10;

export const RequestedEdit = z.strictObject({
  old_text: z.string().min(1).optional().describe('Exact text to replace, without line numbers. Unique in the file.'),
  all: z.boolean().optional().describe('Replace old_text everywhere.'),
  from: z.int().min(1).optional().describe('Instead of old_text: first line to replace, 1-based. Needs version.'),
  to: z.int().min(0).optional().describe('Last line, included. from - 1: insert before from.'),
  new_text: z.string().describe('With whole lines for from and to.'),
});
type RequestedEdit = z.output<typeof RequestedEdit>;

interface EditedText {
  readonly text: string;
  /** 1-based first lines of the changes in the new text, in order. */
  readonly lines: readonly number[];
}

/** Applies edits that all refer to `text`. Keeps its line endings. @throws ToolError with advice */
export function applyRequestedEdits(text: string, requested: readonly RequestedEdit[], name: string): EditedText {
  const lines = new LineIndex(text);
  const lineEnding: LineEnding = text.includes('\r\n') ? '\r\n' : '\n';
  const edits = requested
    .flatMap((edit) => toOffsetEdits(lines, edit, lineEnding, name))
    .sort((a, b) => a.start - b.start || a.end - b.end);
  const parts: string[] = [];
  const starts: number[] = [];
  let end = 0;
  let length = 0;
  const push = (part: string): void => {
    parts.push(part);
    length += part.length;
  };
  for (const edit of edits) {
    if (edit.start < end) throw new ToolError('Two edits overlap. Join them, or send them one after the other.');
    push(text.slice(end, edit.start));
    starts.push(length);
    push(edit.newText);
    end = edit.end;
  }
  push(text.slice(end));
  const edited = parts.join('');
  const after = new LineIndex(edited);
  return { text: edited, lines: [...new Set(starts.map((start) => after.positionAt(start).line + 1))] };
}

function toOffsetEdits(
  lines: LineIndex,
  { all = false, from, new_text: added, old_text: old, to }: RequestedEdit,
  lineEnding: LineEnding,
  name: string,
): OffsetEdit[] {
  const newText = convertLineEndings(added, lineEnding);
  if ((old === undefined) === (from === undefined))
    throw new ToolError('Give old_text, or from and to, in each edit of a file that exists.');
  if (from !== undefined) return [lineEdit(lines, from, to ?? from, newText, lineEnding, name)];
  const wanted = convertLineEndings(old ?? '', lineEnding);
  const offsets = offsetsOf(lines.text, wanted);
  if (offsets.length === 0)
    throw new ToolError(
      `${name} does not have this text: ${firstLineOf(wanted)}\nRead the file again and copy it exactly.`,
    );
  if (offsets.length > 1 && !all) {
    const found = offsets.slice(0, maxNamedLines).map((offset) => lines.positionAt(offset).line + 1);
    throw new ToolError(
      `${name} has this text ${countWithNoun(offsets.length, 'time')}, in lines ${found.join(', ')}${offsets.length > found.length ? ' and more' : ''}. Give more of the text around it, or set all.`,
    );
  }
  return offsets.map((start) => ({ start, end: start + wanted.length, newText }));
}

function lineEdit(
  lines: LineIndex,
  from: number,
  to: number,
  newText: string,
  lineEnding: LineEnding,
  name: string,
): OffsetEdit {
  const { lineCount, text } = lines;
  if (to < from - 1) throw new ToolError('"to" is before "from".');
  if (to > lineCount || from > lineCount + 1)
    throw new ToolError(`${name} has ${lineCount} lines: there is no line ${Math.max(from, to)}.`);
  const startOf = (line: number): number =>
    line > lineCount ? text.length : lines.offsetAt({ line: line - 1, character: 0 });
  const [start, end] = [startOf(from), startOf(to + 1)];
  // Whole lines end with a line ending, except at the end of the file.
  const isEndMissing = newText !== '' && !newText.endsWith(lineEnding) && (end < text.length || text.endsWith('\n'));
  const isStartMissing = newText !== '' && start === text.length && text !== '' && !text.endsWith('\n');
  return { start, end, newText: `${isStartMissing ? lineEnding : ''}${newText}${isEndMissing ? lineEnding : ''}` };
}

/** Offsets of a text, which do not overlap. */
function offsetsOf(text: string, wanted: string): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) found.push(at);
  return found;
}

function firstLineOf(text: string): string {
  const [first = ''] = text.trim().split(/\r?\n/, 1);
  return first.slice(0, 200);
}
