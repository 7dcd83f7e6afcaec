import { createTextPattern } from '../../common/textPattern';

/** Finds a text below an element, ignoring case. Returns at most `limit` ranges in reading order. */
export function findRanges(root: HTMLElement, query: string, limit: number): Range[] {
  if (query === '') return [];
  const pattern = createTextPattern(query);
  const ranges: Range[] = [];
  for (const part of root.querySelectorAll<HTMLElement>('.entry')) {
    // The steps of a call are part of the call's text.
    if (part.parentElement?.closest('.entry')) continue;
    for (const range of findRangesIn(part, pattern)) {
      ranges.push(range);
      if (ranges.length >= limit) return ranges;
    }
  }
  return ranges;
}

export function searchableText(element: HTMLElement): string {
  return Array.from(textNodesIn(element), ({ data }) => data).join('');
}

interface TextPiece {
  readonly node: Text;
  /** Start offset of the node in the whole text, in UTF-16 units. */
  readonly start: number;
}

function* findRangesIn(part: HTMLElement, pattern: RegExp): Generator<Range, void, undefined> {
  const pieces: TextPiece[] = [];
  let text = '';
  for (const node of textNodesIn(part)) {
    pieces.push({ node, start: text.length });
    text += node.data;
  }
  for (const { 0: found, index } of text.matchAll(pattern)) {
    const range = createRange(pieces, index, index + found.length);
    if (range) yield range;
  }
}

function* textNodesIn(element: HTMLElement): Generator<Text, void, undefined> {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT, (node) =>
    node.parentElement?.closest('.visually-hidden, button, math') ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT,
  );
  while (walker.nextNode()) if (walker.currentNode instanceof Text) yield walker.currentNode;
}

function createRange(pieces: readonly TextPiece[], start: number, end: number): Range | undefined {
  const first = pieces.findLast((piece) => piece.start <= start);
  const last = pieces.findLast((piece) => piece.start < end);
  if (!first || !last) return undefined;
  const range = document.createRange();
  range.setStart(first.node, start - first.start);
  range.setEnd(last.node, end - last.start);
  return range;
}
