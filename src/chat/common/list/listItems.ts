import type { ConversationRow } from '../chatView';
import type { ConversationGroup } from './groupConversations';

/** A group, with its conversations if it is expanded. */
export interface ListedGroup extends ConversationGroup {
  readonly isExpanded: boolean;
  /** Number of conversations in the group; undefined if that is not known. */
  readonly count: number | undefined;
  /** The agent whose stored conversations these are. */
  readonly backendId?: string | undefined;
  /** What is to be said instead of conversations, or after them. */
  readonly note?: string | undefined;
}

/** What the tree of conversations shows in one line of its own. `level`, `position` and `size` are for screen readers. */
export type ListItem = {
  readonly key: string;
  readonly level: number;
  readonly position: number;
  readonly size: number;
} & (
  | { readonly kind: 'group'; readonly group: ListedGroup }
  | { readonly kind: 'row'; readonly row: ConversationRow; readonly groupKey: string }
  /** Shows more rows of a group. `count`: how many. */
  | { readonly kind: 'more'; readonly groupKey: string; readonly count: number }
  | { readonly kind: 'note'; readonly group: ListedGroup; readonly text: string }
);

/** Number of rows that a click adds. */
export const moreRows = 200;

/** Number of rows of a group that are shown at first. Fewer if there are many groups, so that the page stays small. */
function rowsAtFirst(groupCount: number): number {
  if (groupCount <= 8) return 50;
  return groupCount <= 20 ? 15 : 5;
}

/** Where items are in the tree, for screen readers. `size`: how many of the same level there are. */
interface ItemsPlace {
  readonly groupKey: string;
  readonly level: number;
  readonly size: number;
}

/** Returns the first rows, and an item that shows more if there are others. */
export function rowItems(rows: readonly ConversationRow[], maxRows: number, place: ItemsPlace): ListItem[] {
  const items = rows
    .slice(0, maxRows)
    .map((row, index): ListItem => ({ kind: 'row', key: row.id, row, ...place, position: index + 1 }));
  const count = Math.min(rows.length - items.length, moreRows);
  if (count === 0) return items;
  return [...items, { kind: 'more', key: `more ${place.groupKey}`, count, ...place, position: items.length + 1 }];
}

/** Returns what the tree shows, from top to bottom. `addedRows`: how many rows the user has asked for, by the key of the group. */
export function listItems(groups: readonly ListedGroup[], addedRows: ReadonlyMap<string, number>): ListItem[] {
  const atFirst = rowsAtFirst(groups.length);
  return groups.flatMap((group, index): ListItem[] => {
    const { isExpanded, key: groupKey, note, rows } = group;
    const header: ListItem = {
      kind: 'group',
      key: groupItemKey(groupKey),
      group,
      level: 1,
      position: index + 1,
      size: groups.length,
    };
    if (!isExpanded) return [header];
    const maxRows = atFirst + (addedRows.get(groupKey) ?? 0);
    const place = { level: 2, size: Math.min(rows.length, maxRows + 1) + Number(note !== undefined) };
    const items = [header, ...rowItems(rows, maxRows, { groupKey, ...place })];
    if (note !== undefined)
      items.push({ kind: 'note', key: `note ${groupKey}`, group, text: note, ...place, position: place.size });
    return items;
  });
}

function groupItemKey(groupKey: string): string {
  return `group ${groupKey}`;
}
