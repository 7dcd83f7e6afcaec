/** Where code of an answer belongs in a file: answers rarely say. */

interface LineSpan {
  /** 0-based; `end` is the first line behind it. */
  readonly start: number;
  readonly end: number;
}

interface PlaceCodeInput {
  /** Undefined for a file that does not exist. */
  readonly text: string | undefined;
  readonly code: string;
  /** Offsets in UTF-16 units of what is selected in the file, or where its cursor is. */
  readonly selection: { readonly start: number; readonly end: number } | undefined;
}

/**
 * Returns the whole text of the file with the code in it. The code replaces the selection, or the lines between its own first
 * and last line when those are found once, or a whole file that is empty or begins and ends alike. Otherwise it is inserted
 * at the cursor, or at the end.
 */
export function placeCode({ text = '', code, selection }: PlaceCodeInput): string {
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const body = code.replace(/\r\n?|\n/g, newline);
  if (text.trim() === '') return withEnd(body, newline);
  if (selection && selection.end > selection.start) {
    const replaced = text.slice(selection.start, selection.end);
    const middle = replaced.endsWith(newline) ? withEnd(body, newline) : body;
    return text.slice(0, selection.start) + middle + text.slice(selection.end);
  }
  const lines = text.split(newline);
  const span = matchingSpan(lines, body.split(newline));
  if (span) {
    const changed = [...lines.slice(0, span.start), ...trimBlank(body.split(newline)), ...lines.slice(span.end)];
    return changed.join(newline);
  }
  const at = selection?.start ?? text.length;
  const lineEnd = endOfLine(text, at, newline);
  const before = text.slice(0, lineEnd);
  const glue = before.endsWith(newline) ? '' : newline;
  return before + glue + withEnd(body, newline) + text.slice(lineEnd);
}

/** From the only line like the first of the code to the only one like its last. */
function matchingSpan(lines: readonly string[], code: readonly string[]): LineSpan | undefined {
  const wanted = trimBlank(code);
  const [first] = wanted;
  const last = wanted.at(-1);
  if (first === undefined || last === undefined || wanted.length < 2) return undefined;
  const starts = placesOf(lines, first);
  const [start] = starts;
  if (start === undefined || starts.length > 1) return undefined;
  // A closing brace is everywhere: the first one of the same depth ends what was begun.
  const end = lines.findIndex((line, index) => index > start && line.trimEnd() === last.trimEnd());
  return end === -1 ? undefined : { start, end: end + 1 };
}

function placesOf(lines: readonly string[], wanted: string): number[] {
  return lines.flatMap((line, index) => (line.trimEnd() === wanted.trimEnd() ? [index] : []));
}

/** Of blank lines only, none are left. */
function trimBlank(lines: readonly string[]): string[] {
  const first = lines.findIndex((line) => !isBlank(line));
  return lines.slice(first, lines.findLastIndex((line) => !isBlank(line)) + 1);
}

function isBlank(line: string): boolean {
  return line.trim() === '';
}

function withEnd(text: string, newline: string): string {
  return text.endsWith(newline) ? text : text + newline;
}

/** Behind the line that holds the offset. */
function endOfLine(text: string, at: number, newline: string): number {
  const found = text.indexOf(newline, at);
  return found === -1 ? text.length : found + newline.length;
}
