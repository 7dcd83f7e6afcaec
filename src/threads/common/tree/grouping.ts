/** How threads are grouped in the list. Days are those of the machine's time zone. */

export interface Group<Item> {
  /** Stable while its name is. */
  readonly key: string;
  readonly label: string;
  readonly description?: string;
  /** Whether it is worth to be open before the user has said so. */
  readonly isRecent: boolean;
  readonly items: readonly Item[];
}

const weekdays = new Intl.DateTimeFormat('en', { weekday: 'long', day: 'numeric', month: 'long' });
const months = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric' });
const daysApart = 7;

/** The last week by day, everything before by month; newest first. Times of the future count as today. */
export function groupByDay<Item>(
  items: readonly Item[],
  timeOf: (item: Item) => number,
  nowMs: number,
): readonly Group<Item>[] {
  const newestFirst = [...items].sort((one, other) => timeOf(other) - timeOf(one));
  return gather(newestFirst, (item) => dayOf(timeOf(item), nowMs));
}

/** By the folder a thread worked in; the folder with the newest thread first. */
export function groupByFolder<Item>(
  items: readonly Item[],
  timeOf: (item: Item) => number,
  folderOf: (item: Item) => string | undefined,
): readonly Group<Item>[] {
  const newestFirst = [...items].sort((one, other) => timeOf(other) - timeOf(one));
  return gather(newestFirst, (item) => folderGroup(folderOf(item)));
}

type GroupName = Omit<Group<never>, 'items'>;

function gather<Item>(items: readonly Item[], nameOf: (item: Item) => GroupName): readonly Group<Item>[] {
  const groups = new Map<string, { name: GroupName; items: Item[] }>();
  for (const item of items) {
    const name = nameOf(item);
    const group = groups.get(name.key);
    if (group) group.items.push(item);
    else groups.set(name.key, { name, items: [item] });
  }
  return [...groups.values()].map((group) => ({ ...group.name, items: group.items }));
}

function dayOf(time: number, nowMs: number): GroupName {
  const at = Math.max(0, Math.min(time, nowMs));
  const date = new Date(at);
  const days = Math.round((startOfDay(nowMs) - startOfDay(at)) / 86_400_000);
  if (days >= daysApart) {
    return { key: `month ${date.getFullYear()}-${date.getMonth() + 1}`, label: months.format(date), isRecent: false };
  }
  const label = days === 0 ? 'Today' : days === 1 ? 'Yesterday' : weekdays.format(date);
  return { key: `day ${date.getFullYear()}-${date.getMonth() + 1}-${date.getDate()}`, label, isRecent: true };
}

function folderGroup(folder: string | undefined): GroupName {
  if (folder === undefined) return { key: 'no folder', label: 'No folder', isRecent: false };
  const trimmed = folder.replace(/[\\/]+$/, '');
  const at = Math.max(trimmed.lastIndexOf('/'), trimmed.lastIndexOf('\\'));
  const parent = trimmed.slice(0, Math.max(at, 0));
  return {
    key: `folder ${trimmed}`,
    label: trimmed.slice(at + 1) || folder,
    ...(parent === '' ? {} : { description: parent }),
    isRecent: true,
  };
}

/** When today's group becomes yesterday's. */
export function nextMidnight(nowMs: number): number {
  const date = new Date(nowMs);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + 1).getTime();
}

function startOfDay(at: number): number {
  const date = new Date(at);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
}
