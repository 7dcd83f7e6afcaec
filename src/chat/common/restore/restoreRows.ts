import { countWithNoun } from '../../../base/common/text/countWithNoun';
import type { RestoreChange } from '../../../changes/common/workspaceCheckpoints';

/** Who has changed a file since a prompt. */
type Author = 'agent' | 'command' | 'otherConversation' | 'user';

/** A file that differs from its state before a prompt. */
export interface RestoreRow {
  /** Absolute path of the file. */
  readonly path: string;
  /** How a restore would change the file. Undefined if that is unknown. */
  readonly change: RestoreChange['change'] | undefined;
  readonly author: Author;
  /** Whether others have edited the file since the prompt, besides the agent. */
  readonly isEdited: boolean;
  /** Title of another conversation that has changed the file since the prompt. */
  readonly otherConversation: string | undefined;
  /** Whether the file has unsaved text. It is saved before the restore. */
  readonly isUnsaved: boolean;
}

interface ChangedPaths {
  readonly byAgent: ReadonlySet<string>;
  /** Those of `byAgent` that were changed while a command ran, by it or by somebody else. */
  readonly byCommand: ReadonlySet<string>;
  /** The titles of other conversations, by the path of a file that they have changed. */
  readonly byOtherConversations: ReadonlyMap<string, string>;
  /** Files of the agent that others have changed, too. */
  readonly edited: ReadonlySet<string>;
  readonly unsaved: ReadonlySet<string>;
}

/** Returns the files that a restore can change, agents' first. A file with unsaved text may be unchanged on disk. */
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

/** Whether a file is selected by default. Files with edits of the user are only restored if the user selects them. */
export function isPickedByDefault({ author, isEdited, otherConversation }: RestoreRow): boolean {
  return author === 'agent' && !isEdited && otherConversation === undefined;
}

const changeLabels: Record<RestoreChange['change'], string> = {
  modified: 'modified',
  created: 'created again',
  deleted: 'deleted',
};

const authorLabels: Record<Author, string> = {
  agent: '',
  command: 'changed while a command ran',
  otherConversation: '',
  user: 'changed only by you',
};

/** Describes how a restore changes a file, and who has changed it before. */
export function restoreRowLabel({ author, change, isEdited, isUnsaved, otherConversation }: RestoreRow): string {
  const also = author === 'otherConversation' ? '' : 'also ';
  const facts = [
    change === undefined ? '' : changeLabels[change],
    authorLabels[author],
    otherConversation === undefined ? '' : `${also}changed in “${otherConversation}”`,
    isEdited && otherConversation === undefined ? 'edited later' : '',
    isUnsaved ? 'not saved' : '',
  ];
  return facts.filter((fact) => fact !== '').join(', ');
}

/** Counts the files, for example `3 files, including 1 with changes that may not be from this agent`. */
export function restoreCountLabel(rows: readonly RestoreRow[]): string {
  const others = rows.filter((row) => !isPickedByDefault(row));
  const all = countWithNoun(rows.length, 'file');
  if (others.length === 0) return all;
  // A command of this agent, or somebody else meanwhile, has changed such a file.
  const isUncertain = others.some(({ author, isEdited, otherConversation }) => {
    return author === 'command' && !isEdited && otherConversation === undefined;
  });
  const changes = `with changes that ${isUncertain ? 'may not be' : 'are not'} from this agent`;
  return others.length === rows.length ? `${all} ${changes}` : `${all}, including ${others.length} ${changes}`;
}

function rowOf(path: string, change: RestoreRow['change'], paths: ChangedPaths): RestoreRow {
  const { byAgent, byOtherConversations, edited, unsaved } = paths;
  return {
    path,
    change,
    author: authorOf(path, paths),
    isEdited: byAgent.has(path) && edited.has(path),
    otherConversation: byOtherConversations.get(path),
    isUnsaved: unsaved.has(path),
  };
}

function authorOf(path: string, { byAgent, byCommand, byOtherConversations }: ChangedPaths): Author {
  if (byAgent.has(path)) return byCommand.has(path) ? 'command' : 'agent';
  return byOtherConversations.has(path) ? 'otherConversation' : 'user';
}

function compareRows(one: RestoreRow, other: RestoreRow): number {
  const picked = Number(isPickedByDefault(other)) - Number(isPickedByDefault(one));
  return picked !== 0 ? picked : one.path < other.path ? -1 : 1;
}
