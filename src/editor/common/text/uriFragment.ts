import type { Range } from '../editorPort';

/** The most a line or column number can be worth, so that no arithmetic on it loses precision. */
const maxNumber = 2 ** 31 - 1;
const place = /^L(?<line>\d+)(?:[:C](?<column>\d+))?(?:-L?(?<endLine>\d+)(?:[:C](?<endColumn>\d+))?)?$/;

/**
 * The range a fragment names, 0-based with an exclusive end, not clamped to any text. `L12` and `L12:5` (or `L12C5`) are
 * a cursor; `L12-L20` (or `L12-20`) goes to the end of line 20; `L12:5-L20:3` ends before column 3 of line 20.
 * Numbers are 1-based and a 0 counts as 1. A range given backwards is turned round. Undefined for anything else.
 */
export function parseFragment(fragment: string): Range | undefined {
  const groups = place.exec(fragment)?.groups;
  if (!groups) return undefined;
  const { line, column, endLine, endColumn } = groups;
  const start = { line: zeroBased(line), character: zeroBased(column) };
  if (endLine === undefined) return { start, end: start };
  const end = { line: zeroBased(endLine), character: endColumn === undefined ? maxNumber : zeroBased(endColumn) };
  const isBackwards = end.line < start.line || (end.line === start.line && end.character < start.character);
  if (!isBackwards) return { start, end };
  return endColumn === undefined
    ? { start: { line: end.line, character: 0 }, end: { line: start.line, character: maxNumber } }
    : { start: end, end: start };
}

/** Splits `path#L12` where the tail is a place; any other `#` is part of the name. */
export function splitFragment(path: string): { path: string; range: Range | undefined } {
  const hash = path.lastIndexOf('#');
  const range = hash === -1 ? undefined : parseFragment(path.slice(hash + 1));
  return range ? { path: path.slice(0, hash), range } : { path, range: undefined };
}

function zeroBased(digits: string | undefined): number {
  return Math.min(Math.max(Number(digits ?? 1), 1), maxNumber) - 1;
}
