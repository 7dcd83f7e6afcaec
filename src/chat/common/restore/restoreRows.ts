import { countOf } from '../../../base/common/countOf';
import type { RestoreChange } from '../../../changes/common/workspaceCheckpoints';

/** Who has changed a file since a prompt. */
type Author = 'agent' | 'otherConversation' | 'user';

/** A file that differs from its state before a prompt. */
export interface RestoreRow {
  /** Absolute. */
  readonly path: string;
  /** What a restore does to it; undefined if that is not known. */
  readonly change: RestoreChange['change'] | undefined;
  readonly author: Author;
  /** It has unsaved text, which is saved before the restore. */
  readonly isUnsaved: boolean;
}

interface ChangedPaths {
  readonly byAgent: ReadonlySet<string>;
  readonly byOtherConversations: ReadonlySet<string>;
  readonly unsaved: ReadonlySet<string>;
}

/** Returns what a restore can do, agents' files first. A file with unsaved text may be equal on disk. */
export function restoreRows(changes: readonly RestoreChange[], paths: ChangedPaths): RestoreRow[] {
  const changeByPath = new Map(changes.map(({ change, path }) => [path, change]));
  const unsavedOnly = [...paths.byAgent].filter((path) => paths.unsaved.has(path) && !changeByPath.has(path));
  return [...changeByPath.keys(), ...unsavedOnly]
    .map((path) => rowOf(path, changeByPath.get(path) ?? 'modified', paths))
    .toSorted(compareRows);
}

/** Returns the files whose turns can be reverted one by one. */
export function revertibleRows(pathsByTurn: ReadonlyMap<number, readonly string[]>, paths: ChangedPaths): RestoreRow[] {
  const all = new Set([...pathsByTurn.values()].flat());
  return [...all].map((path) => rowOf(path, undefined, paths)).toSorted(compareRows);
}

export function isPickedByDefault({ author }: RestoreRow): boolean {
  return author !== 'user';
}

const changeLabels: Record<RestoreChange['change'], string> = {
  modified: 'modified',
  created: 'created again',
  deleted: 'deleted',
};

const authorLabels: Record<Author, string> = {
  agent: '',
  otherConversation: 'changed in another conversation',
  user: 'changed only by you',
};

/** Describes what happens to a file, and who has changed it. */
export function rowLabel({ author, change, isUnsaved }: RestoreRow): string {
  const facts = [change === undefined ? '' : changeLabels[change], authorLabels[author], isUnsaved ? 'not saved' : ''];
  return facts.filter((fact) => fact !== '').join(', ');
}

/** `3 files, 1 of them changed only by you`. */
export function countLabel(rows: readonly RestoreRow[]): string {
  const own = rows.filter((row) => !isPickedByDefault(row)).length;
  const all = countOf(rows.length, 'file');
  if (own === 0) return all;
  return own === rows.length ? `${all}, changed only by you` : `${all}, ${own} of them changed only by you`;
}

function rowOf(path: string, change: RestoreRow['change'], paths: ChangedPaths): RestoreRow {
  const { byAgent, byOtherConversations, unsaved } = paths;
  const author = byAgent.has(path) ? 'agent' : byOtherConversations.has(path) ? 'otherConversation' : 'user';
  return { path, change, author, isUnsaved: unsaved.has(path) };
}

function compareRows(one: RestoreRow, other: RestoreRow): number {
  const picked = Number(isPickedByDefault(other)) - Number(isPickedByDefault(one));
  return picked !== 0 ? picked : one.path < other.path ? -1 : 1;
}
