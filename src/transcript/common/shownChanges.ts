import type { NoTextDiffReason, ChangeTotals, FileChange } from './entries';

/** Maximum number of files that are shown. The others are shown only in the editor. */
const maxShownChanges = 100;

interface ShownChanges {
  readonly changes: FileChange[];
  /** Totals of all changes, if some of them are not shown. */
  readonly changeTotals?: ChangeTotals;
}

/** Returns the changes to show. A rename is one change. If there are many, returns only the first ones. */
export function selectShownChanges(all: readonly FileChange[]): ShownChanges {
  const changes = joinRenames(all);
  if (changes.length <= maxShownChanges) return { changes };
  return { changes: changes.slice(0, maxShownChanges), changeTotals: totalsOf(changes) };
}

/** Returns the totals of the changes that the user has neither kept nor undone. Undefined if there are none. */
export function pendingTotals(all: readonly FileChange[]): ChangeTotals | undefined {
  const pending = joinRenames(all.filter(canUndo));
  return pending.length > 0 ? totalsOf(pending) : undefined;
}

export function totalsOf(changes: readonly FileChange[]): ChangeTotals {
  const sum = (count: (change: FileChange) => number): number =>
    changes.reduce((total, change) => total + count(change), 0);
  return {
    files: changes.length,
    added: sum(({ added }) => added),
    removed: sum(({ removed }) => removed),
  };
}

const kindLabels: Record<NoTextDiffReason, string> = {
  binary: 'binary',
  large: 'large file',
  symlink: 'symbolic link',
  mode: 'mode',
  bytes: 'encoding or line endings',
};

const stateLabels: Partial<Record<FileChange['state'], string>> = {
  reverted: 'undone',
  changedSince: 'changed later',
};

/** Returns notes about a change that its letter and line counts do not show. */
export function changeNotes({ kind, state }: Pick<FileChange, 'kind' | 'state'>): string[] {
  return [kind && kindLabels[kind], stateLabels[state]].filter((note) => note !== undefined);
}

interface ChangeName {
  readonly letter: string;
  readonly word: string;
}

const changeNames: Record<FileChange['change'], ChangeName> = {
  created: { letter: 'A', word: 'created' },
  modified: { letter: 'M', word: 'modified' },
  deleted: { letter: 'D', word: 'deleted' },
};

/** Returns the letter and word that VS Code’s Source Control view uses for the change. */
export function changeLetterAndWord({ change, renamedFrom }: Pick<FileChange, 'change' | 'renamedFrom'>): ChangeName {
  return renamedFrom === undefined ? changeNames[change] : { letter: 'R', word: 'renamed' };
}

/** Returns the former path. Omits its folder if that is unchanged. */
export function shortFormerPath({ path, renamedFrom }: Pick<FileChange, 'path' | 'renamedFrom'>): string | undefined {
  const folder = path.slice(0, Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
  const rest = renamedFrom?.slice(folder.length);
  return rest !== undefined && renamedFrom === folder + rest && !/[\\/]/.test(rest) ? rest : renamedFrom;
}

/** Orders changes for undoing all of them: a created file can be in the place of something that the agent has removed. */
export function inUndoOrder(changes: readonly FileChange[]): FileChange[] {
  const isCreated = ({ change }: FileChange): boolean => change === 'created';
  return [...changes.filter(isCreated), ...changes.filter((change) => !isCreated(change))];
}

/** Whether changed lines show at least a part of the change. */
export function shouldShowLineCounts({ added, removed, renamedFrom }: FileChange): boolean {
  return renamedFrom === undefined && added + removed > 0;
}

/** Whether Backline knows the earlier text of the file and the change is still in the file. */
export function canUndo({ state }: Pick<FileChange, 'state'>): boolean {
  return state === 'applied' || state === 'changedSince';
}

/** Whether a change of this kind has no texts to compare or to restore. */
export function hasNoTexts(kind: NoTextDiffReason | undefined): boolean {
  return kind === 'binary' || kind === 'large' || kind === 'symlink';
}

/** Drops the deletions that belong to renamed files. */
function joinRenames(all: readonly FileChange[]): FileChange[] {
  const former = new Set(all.flatMap(({ renamedFrom }) => renamedFrom ?? []));
  return former.size === 0 ? [...all] : all.filter(({ change, path }) => change !== 'deleted' || !former.has(path));
}
