import type { Range } from '../editorPort';

/** Limit for line and column numbers, so that arithmetic on them stays exact. */
const maxNumber = 2 ** 31 - 1;
const rangePattern = /^L(?<line>\d+)(?:[:C](?<column>\d+))?(?:-L?(?<endLine>\d+)(?:[:C](?<endColumn>\d+))?)?$/;

/**
 * Parses a fragment to a 0-based range with an exclusive end, without checking it against a text. `L12` and `L12:5` (or
 * `L12C5`) are a cursor; `L12-L20` (or `L12-20`) includes line 20; `L12:5-L20:3` ends before column 3 of line 20. Numbers in
 * the fragment are 1-based; 0 counts as 1. A reversed range is swapped. Undefined for anything else.
 */
export function parseFragment(fragment: string): Range | undefined {
  const groups = rangePattern.exec(fragment)?.groups;
  if (!groups) return undefined;
  const { line, column, endLine, endColumn } = groups;
  const start = { line: toZeroBased(line), character: toZeroBased(column) };
  if (endLine === undefined) return { start, end: start };
  const end = { line: toZeroBased(endLine), character: endColumn === undefined ? maxNumber : toZeroBased(endColumn) };
  const isBackwards = end.line < start.line || (end.line === start.line && end.character < start.character);
  if (!isBackwards) return { start, end };
  return endColumn === undefined
    ? { start: { line: end.line, character: 0 }, end: { line: start.line, character: maxNumber } }
    : { start: end, end: start };
}

/** Splits `path#L12` into path and range. Any other `#` is part of the file name. */
export function splitFragment(path: string): { path: string; range: Range | undefined } {
  const hash = path.lastIndexOf('#');
  const range = hash === -1 ? undefined : parseFragment(path.slice(hash + 1));
  return range ? { path: path.slice(0, hash), range } : { path, range: undefined };
}

function toZeroBased(digits: string | undefined): number {
  return Math.min(Math.max(Number(digits ?? 1), 1), maxNumber) - 1;
}
