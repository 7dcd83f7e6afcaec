/**
 * Completes unfinished Markdown with its most likely end. For example, a bold word is bold before its end marker
 * arrives, and markers of lists, tables and code blocks stay hidden until their meaning is clear.
 */
import { endsInOpenFormula, findInlineFormula } from '../math/formulaRules';

interface OpenCodeFence {
  readonly marker: string;
  /** Whether the fence is outside lists and quotes and is not indented. */
  readonly isTopLevel: boolean;
}

const fenceLine = /^([\s>]*(?:(?:[-*+]|\d{1,9}[.)])\s+)*)(`{3,}|~{3,})(.*)$/;
const markersOnly = /^[\s>]*(?:[-*+=_#>|:~` ]+|\d{1,9}[.)]?|(?:[-*+]|\d{1,9}[.)])\s+\[[ xX]?\]?)\s*$/;
const linkDefinition = /^\s{0,3}\[[^\]]+\]:/;
const blockStart = /^\s*(?:[-*+]|\d{1,9}[.)]|#{1,6}|>)\s/;
/** Maximum length of open emphasis, in UTF-16 units. A marker without an end probably means something else. */
const maxEmphasisUnits = 400;
const maxInlineUnits = 8_000;
/** Maximum length of a line that can be a marker, in UTF-16 units. */
const maxMarkerUnits = 200;

/** Returns the code fence that is open at the end of the text. */
export function findOpenFence(text: string): OpenCodeFence | undefined {
  if (!text.includes('```') && !text.includes('~~~')) return undefined;
  let open: OpenCodeFence | undefined;
  for (const line of text.slice(0, text.lastIndexOf('\n') + 1).split('\n')) {
    const [, lead = '', marker = '', info = ''] = fenceLine.exec(line.slice(0, maxMarkerUnits)) ?? [];
    if (marker === '') continue;
    if (!open) {
      const isFence = !marker.startsWith('`') || !info.includes('`');
      if (isFence) open = { marker, isTopLevel: lead === '' };
    } else if (marker.startsWith(open.marker) && info.trim() === '') {
      open = undefined;
    }
  }
  return open;
}

export function mayCloseFence(line: string): boolean {
  return line.length <= maxMarkerUnits && /^[\s>]*(?:`+|~+)\s*$/.test(line);
}

export function completeMarkdown(source: string): string {
  // Removes half of a surrogate pair at the end.
  const text = /[\ud800-\udbff]$/.test(source) ? source.slice(0, -1) : source;
  const lineAt = text.lastIndexOf('\n') + 1;
  const line = text.slice(lineAt);
  if (findOpenFence(text)) return mayCloseFence(line) ? text.slice(0, lineAt) : text;
  if (/^(?: {4}|\t)/.test(text) && /^(?: {4}|\t)/.test(line)) return text;
  if (endsInOpenFormula(text)) return text;
  const kept = removeUnclearLines(text);
  const from = findInlineStart(kept);
  if (kept.length - from > maxInlineUnits) return kept;
  return kept.slice(0, from) + completeInline(kept.slice(from));
}

/** Removes the last lines while their meaning is unclear. */
function removeUnclearLines(text: string): string {
  const lineAt = text.lastIndexOf('\n') + 1;
  const line = text.slice(lineAt);
  const table = findUnclearTable(text);
  if (table !== undefined) return text.slice(0, table);
  const isUnclear =
    line !== '' &&
    line.length <= maxMarkerUnits &&
    (markersOnly.test(line) || fenceLine.test(line) || linkDefinition.test(line));
  return isUnclear ? text.slice(0, lineAt) : text;
}

/** Returns the start of a possible table whose delimiter row is incomplete. */
function findUnclearTable(text: string): number | undefined {
  let start = text.lastIndexOf('\n') + 1;
  const isLineOpen = start < text.length;
  let rows = 0;
  let at = isLineOpen ? start : text.lastIndexOf('\n', start - 2) + 1;
  while (rows < 3 && /^\s*\|/.test(text.slice(at, at + 20))) {
    rows++;
    start = at;
    if (at === 0) break;
    at = text.lastIndexOf('\n', at - 2) + 1;
  }
  return rows === 1 || (rows === 2 && isLineOpen) ? start : undefined;
}

/** Returns the start of the paragraph, item, heading or cell at the end of the text. */
function findInlineStart(text: string): number {
  let start = text.length;
  while (start > 0) {
    const lineAt = text.lastIndexOf('\n', start - 1) + 1;
    const line = text.slice(lineAt, start);
    if (line.trim() === '' && start < text.length) return start;
    const row = /^\s*\|/.test(line) ? line.lastIndexOf('|') : -1;
    if (row >= 0) return lineAt + row + 1;
    const marks = blockStart.exec(line);
    if (marks) return lineAt + marks[0].length;
    if (lineAt === 0) return 0;
    start = lineAt - 1;
  }
  return 0;
}

interface OpenEmphasis {
  readonly mark: string;
  readonly at: number;
  length: number;
}

function completeInline(text: string): string {
  const opened: OpenEmphasis[] = [];
  let at = 0;
  while (at < text.length) {
    const character = text.charAt(at);
    const formula = findInlineFormula(text, at);
    if (formula) {
      at = formula.end;
    } else if (character === '\\') {
      if (at === text.length - 1) return closeEmphasis(text.slice(0, at), opened);
      at += 2;
    } else if (character === '`') {
      const end = findCodeSpanEnd(text, at);
      if (end === undefined) return completeCodeSpan(text, at, opened);
      at = end;
    } else if (character === '[') {
      const link = incompleteLink(text, at);
      if (link) return completeInline(text.slice(0, link.isImage ? at - 1 : at) + link.text);
      at++;
    } else if (character === '*' || character === '_' || character === '~') {
      const length = markerRunLength(text, at);
      handleEmphasis(opened, text, at, length);
      at += length;
    } else {
      at++;
    }
  }
  return closeEmphasis(text, opened);
}

function markerRunLength(text: string, at: number): number {
  let end = at + 1;
  while (text[end] === text[at]) end++;
  return end - at;
}

function findCodeSpanEnd(text: string, at: number): number | undefined {
  const length = markerRunLength(text, at);
  let next = text.indexOf('`', at + length);
  while (next >= 0) {
    const found = markerRunLength(text, next);
    if (found === length) return next + length;
    next = text.indexOf('`', next + found);
  }
  return undefined;
}

function completeCodeSpan(text: string, at: number, opened: readonly OpenEmphasis[]): string {
  const length = markerRunLength(text, at);
  const inside = text.slice(at + length).replace(/`+$/, '');
  if (inside.trim() === '') return closeEmphasis(text.slice(0, at), opened);
  return closeEmphasis(
    `${text.slice(0, at + length)}${inside}${inside.endsWith('`') ? ' ' : ''}${'`'.repeat(length)}`,
    opened,
  );
}

/** Returns the visible text of an incomplete link. Undefined for complete links and for brackets that are not links. */
function incompleteLink(text: string, at: number): { readonly text: string; readonly isImage: boolean } | undefined {
  const isImage = text[at - 1] === '!';
  const close = text.indexOf(']', at);
  const shown = isImage ? '' : text.slice(at + 1, close < 0 ? undefined : close);
  if (close < 0 || close === text.length - 1)
    return text.length - at > maxEmphasisUnits ? undefined : { text: shown, isImage };
  if (text[close + 1] !== '(') return undefined;
  const end = text.indexOf(')', close);
  return end < 0 && !text.slice(close).includes('\n') ? { text: shown, isImage } : undefined;
}

/** Handles consecutive markers: closes matching emphasis, and opens emphasis with the remaining ones. */
function handleEmphasis(opened: OpenEmphasis[], text: string, at: number, length: number): void {
  const mark = text.charAt(at);
  if (mark === '~' && length !== 2) return;
  const before = text[at - 1] ?? ' ';
  const behind = text[at + length] ?? ' ';
  let left = length;
  while (left > 0 && /\S/.test(before)) {
    const top = opened.findLastIndex((item) => item.mark === mark);
    const item = opened[top];
    if (!item) break;
    const closing = Math.min(left, item.length);
    item.length -= closing;
    left -= closing;
    opened.length = item.length === 0 ? top : top + 1;
  }
  const isEnd = at + length === text.length;
  if (left > 0 && !/[\p{L}\p{N}]/u.test(before) && (isEnd || /\S/.test(behind)))
    opened.push({ mark, at, length: left });
}

function closeEmphasis(text: string, opened: readonly OpenEmphasis[]): string {
  let result = text.trimEnd();
  for (const { mark, at, length } of opened.toReversed()) {
    if (text.length - at > maxEmphasisUnits) continue;
    // A marker without content is hidden.
    if (result.length <= at + length) result = result.slice(0, at).trimEnd();
    else result += mark.repeat(length);
  }
  return result;
}
