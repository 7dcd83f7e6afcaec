export interface Group<Item> {
  /** Identifies the group. Stays the same when the list is updated. */
  readonly key: string;
  readonly label: string;
  readonly description?: string;
  /** Whether the group is expanded by default. */
  readonly isRecent: boolean;
  readonly items: readonly Item[];
}

const weekdays = new Intl.DateTimeFormat('en', { weekday: 'long', day: 'numeric', month: 'long' });
const months = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric' });
const separateDays = 7;

/** Groups items by day in the last week, then by month, newest first. Future times are today. Local time. */
export function groupByDay<Item>(
  items: readonly Item[],
  timeOf: (item: Item) => number,
  nowMs: number,
): readonly Group<Item>[] {
  return groupSorted(items, timeOf, (item) => dayGroup(timeOf(item), nowMs));
}

/** Groups items by folder. The folder with the newest item comes first. */
export function groupByFolder<Item>(
  items: readonly Item[],
  timeOf: (item: Item) => number,
  folderOf: (item: Item) => string | undefined,
): readonly Group<Item>[] {
  return groupSorted(items, timeOf, (item) => folderGroup(folderOf(item)));
}

type GroupHeader = Omit<Group<never>, 'items'>;

function groupSorted<Item>(
  items: readonly Item[],
  timeOf: (item: Item) => number,
  headerOf: (item: Item) => GroupHeader,
): readonly Group<Item>[] {
  const newestFirst = [...items].sort((one, other) => timeOf(other) - timeOf(one));
  const groups = new Map<string, GroupHeader & { items: Item[] }>();
  for (const item of newestFirst) {
    const header = headerOf(item);
    const group = groups.get(header.key);
    if (group) group.items.push(item);
    else groups.set(header.key, { ...header, items: [item] });
  }
  return [...groups.values()];
}

function dayGroup(time: number, nowMs: number): GroupHeader {
  const pastTime = Math.max(0, Math.min(time, nowMs));
  const date = new Date(pastTime);
  const days = Math.round((startOfDay(nowMs) - startOfDay(pastTime)) / 86_400_000);
  if (days >= separateDays) {
    return { key: `month ${date.getFullYear()}-${date.getMonth() + 1}`, label: months.format(date), isRecent: false };
  }
  const label = days === 0 ? 'Today' : days === 1 ? 'Yesterday' : weekdays.format(date);
  return { key: `day ${date.getFullYear()}-${date.getMonth() + 1}-${date.getDate()}`, label, isRecent: true };
}

function folderGroup(folder: string | undefined): GroupHeader {
  if (folder === undefined) return { key: 'no folder', label: 'No folder', isRecent: false };
  const trimmed = folder.replace(/[\\/]+$/, '');
  const separator = Math.max(trimmed.lastIndexOf('/'), trimmed.lastIndexOf('\\'));
  const parent = trimmed.slice(0, Math.max(separator, 0));
  return {
    key: `folder ${trimmed}`,
    label: trimmed.slice(separator + 1) || folder,
    ...(parent === '' ? {} : { description: parent }),
    isRecent: true,
  };
}

/** Returns the time of the next midnight in local time, in milliseconds since the epoch. */
export function nextMidnight(nowMs: number): number {
  const date = new Date(nowMs);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + 1).getTime();
}

function startOfDay(time: number): number {
  const date = new Date(time);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
}
