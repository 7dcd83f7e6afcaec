interface LineSpan {
  /** First line, 0-based. `end` is exclusive. */
  readonly start: number;
  readonly end: number;
}

interface PlaceCodeInput {
  /** The text of the file; undefined if the file does not exist. */
  readonly text: string | undefined;
  readonly code: string;
  /** The selection, or an empty range at the cursor, as UTF-16 offsets. */
  readonly selection: { readonly start: number; readonly end: number } | undefined;
}

/**
 * Returns the text of the file with the code inserted. The code replaces the selection. Without a selection, it
 * replaces the lines from the only one equal to the code's first line, to the next one equal to the code's last line.
 * If there are none, it is inserted after the line of the cursor, or at the end.
 */
export function insertCodeIntoText({ text = '', code, selection }: PlaceCodeInput): string {
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const body = code.replace(/\r\n?|\n/g, newline);
  if (text.trim() === '') return withFinalNewline(body, newline);
  if (selection && selection.end > selection.start) {
    const replaced = text.slice(selection.start, selection.end);
    const middle = replaced.endsWith(newline) ? withFinalNewline(body, newline) : body;
    return text.slice(0, selection.start) + middle + text.slice(selection.end);
  }
  const lines = text.split(newline);
  const span = matchingSpan(lines, body.split(newline));
  if (span) {
    const changed = [...lines.slice(0, span.start), ...trimBlankLines(body.split(newline)), ...lines.slice(span.end)];
    return changed.join(newline);
  }
  const at = selection?.start ?? text.length;
  const lineEnd = endOfLine(text, at, newline);
  const before = text.slice(0, lineEnd);
  const glue = before.endsWith(newline) ? '' : newline;
  return before + glue + withFinalNewline(body, newline) + text.slice(lineEnd);
}

/** Finds the range from the only line equal to the first line of the code, to the next line equal to its last line. */
function matchingSpan(lines: readonly string[], code: readonly string[]): LineSpan | undefined {
  const wanted = trimBlankLines(code);
  const [first] = wanted;
  const last = wanted.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const starts = indexesOf(lines, first);
  const [start] = starts;
  if (start === undefined || starts.length > 1) return undefined;
  // The last line is often a closing brace. The block ends at the next such line with the same indentation.
  const end = lines.findIndex((line, index) => index > start && line.trimEnd() === last.trimEnd());
  return end === -1 ? undefined : { start, end: end + 1 };
}

function indexesOf(lines: readonly string[], wanted: string): number[] {
  return lines.flatMap((line, index) => (line.trimEnd() === wanted.trimEnd() ? [index] : []));
}

function trimBlankLines(lines: readonly string[]): string[] {
  const first = lines.findIndex((line) => !isBlank(line));
  return lines.slice(first, lines.findLastIndex((line) => !isBlank(line)) + 1);
}

function isBlank(line: string): boolean {
  return line.trim() === '';
}

function withFinalNewline(text: string, newline: string): string {
  return text.endsWith(newline) ? text : text + newline;
}

/** Returns the offset after the line that contains offset `at`. */
function endOfLine(text: string, at: number, newline: string): number {
  const found = text.indexOf(newline, at);
  return found === -1 ? text.length : found + newline.length;
}
