import type { ContextItem, ItemPosition, ItemRange } from './contextItem';
import type { ItemList } from './itemList';

/** Returns the items whose ranges contain the position (including the end). The smallest range comes first. */
export function itemsAt(items: ItemList, position: ItemPosition): readonly ContextItem[] {
  return items.itemsTouching({ start: position, end: position }).toSorted((a, b) => compareSizes(a.range, b.range));
}

/** Returns the items that contain all words of the query, ignoring case. Items whose titles match come first. */
export function searchItems(items: Iterable<ContextItem>, query: string): readonly ContextItem[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const holdsAll = (text: string): boolean => words.every((word) => text.includes(word));
  const byTitle: ContextItem[] = [];
  const byText: ContextItem[] = [];
  for (const item of items) {
    if (holdsAll(item.title.toLowerCase())) byTitle.push(item);
    else if (holdsAll(textOf(item).toLowerCase())) byText.push(item);
  }
  return [...byTitle, ...byText];
}

/** Estimates the number of tokens, with four characters per token. */
export function estimateTextTokens(text: string): number {
  return Math.ceil(text.length / 4);
}

function textOf({ title, provider, url, hover, aiContent }: ContextItem): string {
  return [title, provider.title, url, hover?.markdown, hover?.text, aiContent].filter(Boolean).join('\n');
}

function compareSizes(a: ItemRange | undefined, b: ItemRange | undefined): number {
  if (!a || !b) return 0;
  const lines = a.end.line - a.start.line - (b.end.line - b.start.line);
  return lines || a.end.character - a.start.character - (b.end.character - b.start.character);
}
