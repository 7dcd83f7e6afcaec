import { fileNameOf } from '../../../base/common/text/fileNameOf';
import type { ConversationRow } from '../chatView';
import { ageGroup, dayGroup } from './ageGroup';
import type { ListSettings } from './listSettings';
import { isArchivedAway } from './rowState';

export interface ConversationGroup {
  /** Unique among the groups, and the same as long as they are grouped in the same way. */
  readonly key: string;
  readonly title: string;
  /** Where the group is, for example the path of its folder. */
  readonly place?: string | undefined;
  /** In the order in which they are shown. */
  readonly rows: readonly ConversationRow[];
}

interface GroupingFacts extends Pick<ListSettings, 'grouping' | 'scope' | 'showsArchived'> {
  readonly rows: Iterable<ConversationRow>;
  /** Ids of the repositories in which this window works. */
  readonly repositories: readonly string[];
  /** In milliseconds since the epoch, by the clock that has dated the rows. */
  readonly now: number;
}

interface GroupedConversations {
  readonly groups: readonly ConversationGroup[];
  /** Number of conversations that are in scope but archived. */
  readonly archivedCount: number;
  /** Number of conversations that are out of scope, and would be shown otherwise. */
  readonly outOfScopeCount: number;
}

/** A failure that was seen is history after this time. */
const failureFadesMs = 7 * 24 * 60 * 60 * 1000;

/**
 * Groups the conversations that Backline knows; those that only agents store are left out. What needs the user's input is in
 * one group, wherever it belongs and even if it is archived, and so is what runs by state.
 */
export function groupConversations(facts: GroupingFacts): GroupedConversations {
  const rowsByGroup = new Map<
    string,
    { title: string; place: string | undefined; rank: number; rows: ConversationRow[] }
  >();
  let archivedCount = 0;
  let outOfScopeCount = 0;
  for (const row of facts.rows) {
    if (row.remote === true) continue;
    const isWaiting = row.state === 'waiting';
    const isAway = isArchivedAway(row);
    if (!isWaiting && !isInScope(row, facts)) {
      if (!isAway || facts.showsArchived) outOfScopeCount++;
      continue;
    }
    if (isAway) archivedCount++;
    if (isAway && !facts.showsArchived) continue;
    const { key, title, rank, place } = groupOf(row, facts);
    const group = rowsByGroup.get(key);
    if (group) group.rows.push(row);
    else rowsByGroup.set(key, { title, rank, place, rows: [row] });
  }
  const groups = [...rowsByGroup].map(([key, group]) => ({
    ...group,
    key,
    rows: group.rows.sort(key === needsInputKey ? byWait : byTime),
  }));
  groups.sort((one, other) => one.rank - other.rank || newest(other.rows) - newest(one.rows));
  return {
    groups: groups.map(({ key, place, rows, title }) => {
      const isOnly = groups.every((other) => other.key === key || other.title !== title);
      return { key, title: isOnly ? title : withParent(key, title), place, rows };
    }),
    archivedCount,
    outOfScopeCount,
  };
}

interface Place {
  readonly key: string;
  readonly title: string;
  /** Groups of a lower rank come first; among equals, the one with the newest conversation. */
  readonly rank: number;
  readonly place?: string | undefined;
}

const needsInputKey = 'needsInput';

const ranks = { pinned: 0, needsInput: 1, working: 2, done: 3, failed: 4, here: 5, others: 6, archived: 7 };

function groupOf(row: ConversationRow, { grouping, now, repositories }: GroupingFacts): Place {
  if (row.state === 'waiting') return { key: needsInputKey, title: 'Needs your input', rank: ranks.needsInput };
  if (isArchivedAway(row)) return { key: 'archived', title: 'Archived', rank: ranks.archived };
  if (row.isPinned) return { key: 'pinned', title: 'Pinned', rank: ranks.pinned };
  switch (grouping) {
    case 'state':
      return stateGroup(row, now);
    case 'repository':
      return repositoryGroup(row, repositories);
    case 'agent':
      return { key: `agent ${row.backendId}`, title: row.backendTitle, rank: ranks.others };
    case 'day':
      return { ...dayGroup(timeOf(row), now), rank: ranks.others };
  }
}

function stateGroup(row: ConversationRow, now: number): Place {
  if (row.state === 'busy') return { key: 'working', title: 'Working', rank: ranks.working };
  if (row.state === 'unread') return { key: 'done', title: 'Done', rank: ranks.done };
  const isFailure = row.state === 'failed' || row.state === 'interrupted';
  if (isFailure && (row.isUnseen === true || now - row.updatedAt < failureFadesMs))
    return { key: 'failed', title: 'Failed or interrupted', rank: ranks.failed };
  return { ...ageGroup(row.updatedAt, now), rank: ranks.others };
}

function repositoryGroup({ elsewhere, repository }: ConversationRow, repositories: readonly string[]): Place {
  if (repository) {
    const { id, name } = repository;
    return {
      key: `in ${id}`,
      title: name,
      place: elsewhere?.folder,
      rank: repositories.includes(id) ? ranks.here : ranks.others,
    };
  }
  const folder = elsewhere?.folder;
  if (folder !== undefined)
    return { key: `in ${folder}`, title: fileNameOf(folder), place: folder, rank: ranks.others };
  return elsewhere
    ? { key: 'nowhere', title: 'Without a folder', rank: ranks.others }
    : { key: 'here', title: 'This workspace', rank: ranks.here };
}

/** Adds the parent folder to the name of a repository or folder, of whose group this is the key. */
function withParent(key: string, name: string): string {
  const folder = key.replace(/[\\/]\.git$/u, '');
  const parent = fileNameOf(folder.slice(0, -fileNameOf(folder).length - 1));
  return key.startsWith('in ') && parent !== '' ? `${parent}/${name}` : name;
}

function isInScope(row: ConversationRow, { repositories, scope }: GroupingFacts): boolean {
  switch (scope) {
    case 'everywhere':
      return true;
    case 'workspace':
      return row.elsewhere === undefined;
    case 'repository':
      return !row.elsewhere || (row.repository !== undefined && repositories.includes(row.repository.id));
  }
}

/** What runs has the time of its turn, because it would change its place at each step otherwise. */
function timeOf({ state, turnStartedAt, updatedAt }: ConversationRow): number {
  return state === 'busy' ? (turnStartedAt ?? updatedAt) : updatedAt;
}

function newest(rows: readonly ConversationRow[]): number {
  return rows.reduce((latest, row) => Math.max(latest, timeOf(row)), 0);
}

/** Oldest wait first. */
function byWait(one: ConversationRow, other: ConversationRow): number {
  return waitOf(one) - waitOf(other) || byId(one, other);
}

function waitOf({ need, updatedAt }: ConversationRow): number {
  return need?.since ?? updatedAt;
}

/** What runs first, then the newest. */
function byTime(one: ConversationRow, other: ConversationRow): number {
  const runs = Number(other.state === 'busy') - Number(one.state === 'busy');
  return runs || timeOf(other) - timeOf(one) || byId(one, other);
}

function byId({ id: one }: ConversationRow, { id: other }: ConversationRow): number {
  return one < other ? -1 : 1;
}
