import type {
  CheckpointDetails,
  CheckpointDifference,
  CheckpointFileChange,
  CheckpointScope,
  LeftOutItem,
} from '../common/checkpoint';
import { PathSet } from '../common/nameList';
import { isSameState } from '../common/restorePlan';
import type { CheckpointRepositoryProvider, PreparedRepository } from './checkpointRepositoryProvider';
import { findIgnored, findIgnoredByTree } from './git/ignoreRules';
import { isSameRules } from './git/outerIgnoreRules';
import { isIgnoreFile } from './git/treeReader';
import { findOlderFiles, type FileTimes } from './scan/fileAges';
import { findGone } from './scan/goneItems';
import { existsInFolder, hashFileState, mapConcurrently } from './scan/fileStatus';

/** A checkpoint id, or `now` for the current state of the folder. */
export type StateId = string;
export const currentStateId = 'now';

interface ComparedState {
  readonly tree: string;
  readonly leftOut: readonly LeftOutItem[];
  /** Undefined for checkpoints of earlier versions, and for the current state. */
  readonly scope: CheckpointScope | undefined;
}

interface CompareOptions {
  readonly findRenames?: boolean;
  /** Whether to look for what the earlier state does not contain. */
  readonly findsGone?: boolean;
}

interface ComparerOptions {
  /** Absolute real path of the workspace folder. */
  readonly folder: string;
  readonly isExcluded: (path: string) => boolean;
  readonly fileTimes: FileTimes;
}

/** Margin for times of checkpoints of earlier versions, which do not know when their scan began. */
const scanMarginMs = 120_000;

/**
 * Compares two states of a folder. A file that one of them could not contain is not a change, because nobody knows
 * whether it has changed, and a restore must not delete it.
 */
export class StateComparer {
  constructor(
    private readonly provider: CheckpointRepositoryProvider,
    private readonly options: ComparerOptions,
  ) {}

  /** Compares two states; `to` can be `now`. @throws CheckpointError `unknownCheckpoint` */
  async compare(
    from: string,
    to: StateId,
    { findRenames = false, findsGone = false }: CompareOptions,
    signal: AbortSignal,
  ): Promise<CheckpointDifference> {
    const open = await this.provider.prepare(signal);
    const details = await open.records.details(from, signal);
    const before = await stateOf(open, details, signal);
    const isNow = to === currentStateId;
    const after: ComparedState = isNow
      ? { ...(await this.provider.capture(signal)), scope: undefined }
      : await stateOf(open, await open.records.details(to, signal), signal);
    const found = await open.reader.compare(before.tree, after.tree, findRenames, signal);
    const hidden = await this.findIgnoredOnOneSide(open, found, before, after, signal);
    const saved = new Set(isNow ? before.scope?.saved : []);
    const changes = await this.compareSaved(found, saved, hidden, signal);
    const ignored = new Set([...hidden].filter((path) => !saved.has(path)));
    const known = new Set([...ignored, ...before.leftOut.map(({ path }) => path)]);
    const candidates = isNow ? addedPaths(changes).filter((path) => !known.has(path)) : [];
    const older = await this.findOlder(candidates, details, signal);
    const unknown =
      older.length === 0
        ? []
        : await withoutRenamed(older, changes, () => open.reader.compare(before.tree, after.tree, true, signal));
    const leftOut = [
      ...before.leftOut,
      ...after.leftOut.filter(({ path, reason }) => reason !== 'ignored' || !saved.has(path)),
      ...[...ignored].map((path): LeftOutItem => ({ path, reason: 'ignored' })),
      ...unknown.map((path): LeftOutItem => ({ path, reason: 'older' })),
    ];
    const gone = isNow && findsGone ? await findGone(this.options.folder, before.scope, signal) : [];
    return { ...withoutLeftOut(changes, leftOut, this.options.isExcluded), gone };
  }

  /** Returns changed files that exist on only one side because the other one ignores them. */
  private async findIgnoredOnOneSide(
    open: PreparedRepository,
    changes: readonly CheckpointFileChange[],
    before: ComparedState,
    after: ComparedState,
    signal: AbortSignal,
  ): Promise<ReadonlySet<string>> {
    const added = addedPaths(changes);
    const deleted = deletedPaths(changes);
    if (added.length + deleted.length === 0) return new Set();
    const rulesNow = await this.provider.readOuterRules(signal);
    const hasOtherRules =
      changes.some(({ path }) => isIgnoreFile(path)) ||
      !isSameRules(before.scope?.rules ?? rulesNow, after.scope?.rules ?? rulesNow);
    const byTree = async (state: ComparedState, paths: readonly string[]): Promise<ReadonlySet<string>> => {
      if (!hasOtherRules) return new Set();
      const rules = state.scope?.rules ?? rulesNow;
      return await findIgnoredByTree(open.repository, open.reader, state.tree, rules, paths, signal);
    };
    const wasIgnored = new PathSet(before.scope?.ignored ?? []);
    const isIgnored = new PathSet(after.scope?.ignored ?? []);
    const byRulesBefore = await byTree(before, added);
    const byRulesAfter = after.scope ? await byTree(after, deleted) : await this.findHidden(open, deleted, signal);
    return new Set([
      ...added.filter((path) => wasIgnored.covers(path) || byRulesBefore.has(path)),
      ...deleted.filter((path) => isIgnored.covers(path) || byRulesAfter.has(path)),
    ]);
  }

  /** Returns files that only seem to be deleted, because rules hide them now. */
  private async findHidden(
    { repository }: PreparedRepository,
    deleted: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlySet<string>> {
    const found = await mapConcurrently(
      deleted,
      async (path) => ((await existsInFolder(this.options.folder, path)) ? [path] : []),
      signal,
    );
    const present = found.flat();
    return present.length === 0 ? new Set() : await findIgnored(repository, present, undefined, signal);
  }

  /** Compares files that rules hide now, but that were saved in the checkpoint nevertheless. */
  private async compareSaved(
    changes: readonly CheckpointFileChange[],
    saved: ReadonlySet<string>,
    hidden: ReadonlySet<string>,
    signal: AbortSignal,
  ): Promise<readonly CheckpointFileChange[]> {
    if (saved.size === 0) return changes;
    const { format, tellsExecutable } = await this.provider.createRestoreContext(signal);
    const compared = await mapConcurrently(changes, async (change): Promise<CheckpointFileChange[]> => {
      if (change.status !== 'deleted' || !saved.has(change.path) || !hidden.has(change.path)) return [change];
      const file = `${this.options.folder}/${change.path}`;
      const after = await hashFileState(file, format, tellsExecutable).catch(() => 'other' as const);
      if (after === undefined || after === 'other') return [change];
      return isSameState(after, change.before) ? [] : [{ ...change, status: 'modified', after }];
    });
    return compared.flat();
  }

  /** Returns those files on disk that are older than the checkpoint. */
  private async findOlder(
    paths: readonly string[],
    { at, scannedAt }: CheckpointDetails,
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    const { fileTimes, folder } = this.options;
    return await findOlderFiles(folder, paths, scannedAt ?? at - scanMarginMs, fileTimes, signal);
  }
}

async function stateOf(
  { records }: PreparedRepository,
  { id, leftOut }: CheckpointDetails,
  signal: AbortSignal,
): Promise<ComparedState> {
  const scope = await records.scope(id, signal);
  return { tree: id, leftOut: scope?.leftOut ?? leftOut, scope };
}

/** Removes files that the earlier state has with another name: a renamed file is as old as before. */
async function withoutRenamed(
  older: readonly string[],
  changes: readonly CheckpointFileChange[],
  findRenames: () => Promise<readonly CheckpointFileChange[]>,
): Promise<readonly string[]> {
  const gone = new Set(
    changes.flatMap((change) =>
      change.status === 'deleted' || change.status === 'renamed' ? [change.before.object] : [],
    ),
  );
  if (gone.size === 0) return older;
  const objects = new Map(changes.flatMap((change) => ('after' in change ? [[change.path, change.after.object]] : [])));
  const unknown = older.filter((path) => !gone.has(objects.get(path) ?? ''));
  if (unknown.length === 0) return unknown;
  const renamed = new Set((await findRenames()).flatMap(({ path, status }) => (status === 'renamed' ? [path] : [])));
  return unknown.filter((path) => !renamed.has(path));
}

function addedPaths(changes: readonly CheckpointFileChange[]): string[] {
  return changes.flatMap(({ path, status }) => (status === 'added' || status === 'renamed' ? [path] : []));
}

function deletedPaths(changes: readonly CheckpointFileChange[]): string[] {
  return changes.flatMap((change) =>
    change.status === 'deleted' ? [change.path] : change.status === 'renamed' ? [change.from] : [],
  );
}

/** Removes changes of paths that one of the two states does not contain. */
function withoutLeftOut(
  changes: readonly CheckpointFileChange[],
  leftOut: readonly LeftOutItem[],
  isExcluded: (path: string) => boolean,
): Omit<CheckpointDifference, 'gone'> {
  const byPath = new Map(leftOut.map((item) => [item.path, item]));
  const out = new PathSet(byPath.keys());
  const isOut = (path: string): boolean => out.covers(path) || isExcluded(path);
  const kept = changes.flatMap((change): CheckpointFileChange[] => {
    if (change.status !== 'renamed') return isOut(change.path) ? [] : [change];
    const { from, before, after, ...compared } = change;
    if (!isOut(from) && !isOut(change.path)) return [change];
    const lines = { ...compared, addedLines: 0, deletedLines: 0 };
    const deleted = isOut(from) ? [] : [{ ...lines, status: 'deleted' as const, path: from, before }];
    const added = isOut(change.path) ? [] : [{ ...lines, status: 'added' as const, after }];
    return [...deleted, ...added];
  });
  return { changes: kept, leftOut: [...byPath.values()] };
}
