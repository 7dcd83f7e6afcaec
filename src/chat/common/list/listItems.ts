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
    const shown = rows.slice(0, atFirst + (addedRows.get(groupKey) ?? 0));
    const left = rows.length - shown.length;
    const place = { level: 2, size: shown.length + Number(left > 0) + Number(note !== undefined) };
    const items: ListItem[] = [
      header,
      ...shown.map((row, at) => ({ kind: 'row', key: row.id, row, groupKey, ...place, position: at + 1 }) as const),
    ];
    if (left > 0)
      items.push({
        kind: 'more',
        key: `more ${groupKey}`,
        groupKey,
        count: Math.min(left, moreRows),
        ...place,
        position: shown.length + 1,
      });
    if (note !== undefined)
      items.push({ kind: 'note', key: `note ${groupKey}`, group, text: note, ...place, position: place.size });
    return items;
  });
}

function groupItemKey(groupKey: string): string {
  return `group ${groupKey}`;
}
