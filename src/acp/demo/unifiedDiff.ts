const contextLines = 3;

/**
 * The change as a unified diff of one hunk, from the first line that differs to the last, with context around it. Line
 * endings of the lines are left out. Ends with a line ending.
 */
export function unifiedDiff(path: string, oldText: string, newText: string): string {
  const before = linesOf(oldText);
  const after = linesOf(newText);
  const shared = Math.min(before.length, after.length);
  let head = 0;
  while (head < shared && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < shared - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  const start = Math.max(0, head - contextLines);
  const shownTail = Math.min(tail, contextLines);
  const oldEnd = before.length - tail;
  const lines = [
    ...before.slice(start, head).map((line) => ` ${line}`),
    ...before.slice(head, oldEnd).map((line) => `-${line}`),
    ...after.slice(head, after.length - tail).map((line) => `+${line}`),
    ...before.slice(oldEnd, oldEnd + shownTail).map((line) => ` ${line}`),
  ];
  const oldRange = rangeOf(start, oldEnd + shownTail - start);
  const newRange = rangeOf(start, after.length - tail + shownTail - start);
  const body = lines.map((line) => `${line.replace(endOfFile, '\n\\ No newline at end of file')}\n`).join('');
  return `--- ${path}\n+++ ${path}\n@@ -${oldRange} +${newRange} @@\n${body}`;
}

/** Marks a last line without line ending, so that it differs from the same line with one. */
const endOfFile = '\0';

function linesOf(text: string): string[] {
  const lines = text.split(/\r\n|\n|\r/);
  const last = lines.pop() ?? '';
  return last === '' ? lines : [...lines, last + endOfFile];
}

/** A range of no lines is named by the line before it. */
function rangeOf(start: number, count: number): string {
  return `${count === 0 ? start : start + 1},${count}`;
}
