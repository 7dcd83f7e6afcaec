export type LineEnding = '\n' | '\r\n';

const anyLineEnding = /\r\n|\r|\n/g;

/** Converts every line ending (LF, CRLF, lone CR) to `lineEnding`. */
export function convertLineEndings(text: string, lineEnding: LineEnding): string {
  if (lineEnding === '\n' && !text.includes('\r')) return text;
  return text.replace(anyLineEnding, lineEnding);
}

/**
 * Normalizes mixed line endings as VS Code does when it opens a file: to CRLF if more than half of them have a CR,
 * otherwise to LF. As a result, offsets are equal in open and closed files.
 */
export function unifyLineEndings(text: string): string {
  if (!text.includes('\r')) return text;
  let total = 0;
  let withCr = 0;
  let mixed = false;
  for (const [ending] of text.matchAll(anyLineEnding)) {
    total++;
    if (ending !== '\n') withCr++;
    if (ending !== '\r\n') mixed = true;
  }
  return mixed ? convertLineEndings(text, withCr > total / 2 ? '\r\n' : '\n') : text;
}

/** Whether VS Code would change line endings of a text when it saves it: it knows one kind for each file, LF or CRLF. */
export function hasMixedLineEndings(text: string): boolean {
  return text.includes('\r') && unifyLineEndings(text) !== text;
}

interface Line {
  readonly text: string;
  readonly ending: string;
}

/**
 * Returns the new text of a file with the line endings that its lines had before. Lines that replace others take their endings in
 * order, and inserted lines take the ending of the line above.
 */
export function keepLineEndings(before: string, after: string): string {
  const [old, now] = [splitLines(before), splitLines(after)];
  const sources = originsOfLines(old, now);
  let kept = '';
  let last = old[0]?.ending ?? '';
  for (const [index, { text, ending }] of now.entries()) {
    const source = sources[index];
    const own = source === undefined ? undefined : old[source]?.ending;
    // The last line of a text has no ending.
    if (own !== undefined && own !== '') last = own;
    else if (last === '') last = ending;
    // A lone CR must not become one with the LF of an empty line.
    const wouldJoin = text === '' && last === '\n' && kept.endsWith('\r');
    kept += ending === '' ? text : text + (wouldJoin ? '\r\n' : last);
  }
  return kept;
}

/** Returns for each new line the index of the old line that it is or replaces, and undefined for an inserted line. */
function originsOfLines(old: readonly Line[], now: readonly Line[]): (number | undefined)[] {
  const shorter = Math.min(old.length, now.length);
  let start = 0;
  while (start < shorter && old[start]?.text === now[start]?.text) start++;
  let end = 0;
  while (end < shorter - start && old.at(-1 - end)?.text === now.at(-1 - end)?.text) end++;
  const inBoth = linesInBoth(old, now, start, end);
  const origins: (number | undefined)[] = [];
  let next = 0;
  const fillUntil = (index: number, oldIndex: number): void => {
    while (origins.length < index) origins.push(next < oldIndex ? next++ : undefined);
    next = oldIndex;
  };
  for (const [index, oldIndex] of inBoth) {
    fillUntil(index, oldIndex);
    origins.push(next++);
  }
  fillUntil(now.length - end, old.length - end);
  fillUntil(now.length, old.length);
  return origins;
}

/**
 * Finds lines between the common start and end that are unique on both sides, in the same order: pairs of new and old index.
 */
function linesInBoth(old: readonly Line[], now: readonly Line[], start: number, end: number): [number, number][] {
  const oldIndexes = uniqueLines(old, start, old.length - end);
  const found: [number, number][] = [];
  for (const [text, index] of uniqueLines(now, start, now.length - end)) {
    const oldIndex = oldIndexes.get(text);
    if (oldIndex !== undefined && oldIndex > (found.at(-1)?.[1] ?? -1)) found.push([index, oldIndex]);
  }
  return found;
}

function uniqueLines(lines: readonly Line[], start: number, end: number): Map<string, number> {
  const indexes = new Map<string, number>();
  const repeated = new Set<string>();
  for (let index = start; index < end; index++) {
    const text = lines[index]?.text ?? '';
    if (indexes.has(text)) repeated.add(text);
    else indexes.set(text, index);
  }
  for (const text of repeated) indexes.delete(text);
  return indexes;
}

function splitLines(text: string): Line[] {
  const lines: Line[] = [];
  let offset = 0;
  for (const { 0: ending, index } of text.matchAll(anyLineEnding)) {
    lines.push({ text: text.slice(offset, index), ending });
    offset = index + ending.length;
  }
  lines.push({ text: text.slice(offset), ending: '' });
  return lines;
}
