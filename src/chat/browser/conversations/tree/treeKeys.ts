import { indexAfterKey } from '../../../../webview/browser/listKeys';
import type { ListItem } from '../../../common/list/listItems';

/** What a key does in a tree: goes to an item, or expands or collapses a group. */
type TreeStep =
  { readonly kind: 'go'; readonly index: number } | { readonly kind: 'toggle'; readonly groupKey: string };

/** Returns what a navigation key does while the focus is on an item. Undefined for other keys, and if there is nothing to do. */
export function stepAfterKey(key: string, items: readonly ListItem[], index: number): TreeStep | undefined {
  const item = items[index];
  if (!item) return undefined;
  if (key === 'ArrowRight' || key === 'ArrowLeft') return sideStep(key === 'ArrowRight', items, index, item);
  const next = indexAfterKey(key, index, items.length);
  if (next === undefined) return undefined;
  // A long list has ends.
  const isWrapped = (key === 'ArrowDown' && next < index) || (key === 'ArrowUp' && next > index);
  return { kind: 'go', index: isWrapped ? index : next };
}

function sideStep(isInward: boolean, items: readonly ListItem[], index: number, item: ListItem): TreeStep | undefined {
  if (item.kind !== 'group') {
    const header = items.slice(0, index).findLastIndex(({ kind }) => kind === 'group');
    return isInward || header < 0 ? undefined : { kind: 'go', index: header };
  }
  const { isExpanded, key: groupKey } = item.group;
  if (isInward !== isExpanded) return { kind: 'toggle', groupKey };
  return isInward && items[index + 1]?.level === 2 ? { kind: 'go', index: index + 1 } : undefined;
}

/** Returns the next item after `index` whose title begins with what was typed; after the last one, the search goes on at the top. */
export function indexOfTyped(typed: string, items: readonly ListItem[], index: number): number | undefined {
  const wanted = typed.toLocaleLowerCase();
  // While more letters follow, the current item may still be the one.
  const from = typed.length > 1 ? index : index + 1;
  for (let step = 0; step < items.length; step++) {
    const at = (from + step) % items.length;
    const item = items[at];
    if (item && titleOf(item).toLocaleLowerCase().startsWith(wanted)) return at;
  }
  return undefined;
}

function titleOf(item: ListItem): string {
  if (item.kind === 'row') return item.row.title;
  return item.kind === 'group' ? item.group.title : '';
}

/** Where the focus goes when the list changes: to the same item, or if it is gone to the one that came after it, or else before. */
export function keyAfterChange(
  key: string | undefined,
  before: readonly string[],
  now: readonly string[],
): string | undefined {
  if (key === undefined || now.includes(key)) return key;
  const left = new Set(now);
  const at = before.indexOf(key);
  return (
    before.slice(at + 1).find((other) => left.has(other)) ??
    before.slice(0, Math.max(at, 0)).findLast((other) => left.has(other))
  );
}
