import { realpath } from 'node:fs/promises';
import * as path from 'node:path';
import type { Clock } from '../../base/common/async';
import { withoutUndefined } from '../../base/common/withoutUndefined';
import { messageOf } from '../../base/common/errors';
import type { Logger } from '../../base/common/log';
import { isInsideFolder } from '../../base/node/isInsideFolder';
import type { CheckpointScanLimits, CheckpointFileChange, FileState } from '../common/checkpoint';
import { CheckpointError, isCheckpointError } from '../common/checkpointError';
import type { GitMove } from '../common/gitHead';
import { isSameState, skipReasonText } from '../common/restorePlan';
import type { CheckpointLimits } from '../common/retention';
import {
  isUnexpectedlyLeftOut,
  type ChangedFile,
  type CheckpointedFile,
  type CurrentFileState,
  type FileRestore,
  type ChangesSinceCheckpoints,
  type FolderCheckpoint,
  type InterruptedRestore,
  type RestoreOutcome,
  type RestorePreview,
  type ResumeDirection,
  type ResumeOutcome,
  type TakenCheckpoint,
  type TakeOptions,
  type WorkspaceCheckpoints,
} from '../common/workspaceCheckpoints';
import type { FileTimes } from './scan/fileAges';
import { openCheckpointStore, type CheckpointStore } from './checkpointStore';
import { currentStateId } from './stateComparer';
import { findOwningFolder } from './owningFolder';
import { PruneSchedule, type PruneRequest } from './pruneSchedule';
import { FolderRestores, maxTextBytes } from './restore/folderRestores';
import type { CheckpointStorageOptions } from './storage/checkpointPlaces';
import { CheckpointStorage } from './storage/checkpointStorage';

interface FolderCheckpointsDeps extends CheckpointStorageOptions {
  /** Absolute paths of the current workspace folders. */
  readonly folders: () => readonly string[];
  /**
   * Whether `backline.exclude` matches a file, given by its absolute path and its path relative to its workspace
   * folder.
   */
  readonly excludes: (path: string, relativePath: string) => boolean;
  /** Whether the user trusts the workspace. Otherwise, Git does not run and no file is written. */
  readonly isTrusted: () => boolean;
  /** Decodes bytes to the same text as the editor port. Rejects if they are not text. */
  readonly decode: (bytes: Uint8Array, path: string) => Promise<string>;
  readonly retention: () => CheckpointLimits;
  readonly log: Logger;
  readonly clock: Clock;
  readonly limits?: Partial<CheckpointScanLimits>;
  /** Replaces PATH in the search for Git. */
  readonly searchPath?: string;
  /** By default, the times that the file system reports. */
  readonly fileTimes?: FileTimes;
}

/** Limits for checkpoints of prompts, because a prompt waits for its checkpoint. */
const takeLimits: Partial<CheckpointScanLimits> = { maxMs: 15_000, maxNewBytes: 1024 * 1024 * 1024 };
/** Minimum time between searches for Git, which the user may install in the meantime. */
const retryMs = 60_000;
/** The checkpoint stores of a window, one for each workspace folder. Each is opened on first use. */
export class FolderCheckpoints implements WorkspaceCheckpoints {
  private readonly lastProblemByFolder = new Map<string, string>();
  /** The stores by the real path of the folder: folders that are links to one place have one store. */
  private readonly storeByFolder = new Map<string, Promise<CheckpointStore | string>>();
  private readonly realPathByFolder = new Map<string, string>();
  /** Time of the last failed search for Git, by folder, in milliseconds of the monotonic clock. */
  private readonly gitMissingAtByFolder = new Map<string, number>();
  private readonly pruneSchedule: PruneSchedule;
  /** Sizes of the stores that need more space than they may use, by folder, in bytes. */
  private readonly neededBytesByFolder = new Map<string, number>();
  private readonly restores: FolderRestores;
  private readonly storage: CheckpointStorage;

  constructor(private readonly deps: FolderCheckpointsDeps) {
    this.storage = new CheckpointStorage(deps, deps.log);
    this.pruneSchedule = new PruneSchedule(deps.clock, (request) => this.prune(request));
    this.restores = new FolderRestores({
      folders: deps.folders,
      open: (folder) => this.openStore(folder),
      decode: (bytes, file) => this.decode(bytes, file),
    });
  }

  async prepare(): Promise<void> {
    const { log } = this.deps;
    await Promise.all(
      (await this.distinctFolders()).map(async (folder) => {
        const store = await this.openStore(folder);
        if (typeof store === 'string') return;
        // Taking a checkpoint reads all files of the folder, so that the next checkpoint is faster. The result is not
        // needed.
        const taken = await store.take('prepare').catch((error: unknown) => log.debug(messageOf(error)));
        if (taken?.kind === 'taken') await store.drop([taken.checkpoint.id]).catch(() => undefined);
      }),
    );
  }

  async take(label: string, signal: AbortSignal, { files = [], series }: TakeOptions = {}): Promise<TakenCheckpoint> {
    const folders = await this.distinctFolders();
    const results = await Promise.all(
      folders.map((folder) => {
        const inFolder = files.filter((file) => isInsideFolder(file, folder));
        return this.takeForFolder(folder, label, signal, { files: inFolder, series });
      }),
    ).finally(() => this.pruneSchedule.request());
    signal.throwIfAborted();
    return {
      folders: results.flatMap((result) => result.folders),
      problems: [...new Set(results.flatMap((result) => result.problems))],
      uncovered: results.flatMap((result) => result.uncovered),
    };
  }

  async changesSince(folders: readonly FolderCheckpoint[], findsGone = false): Promise<ChangesSinceCheckpoints> {
    const compared: {
      readonly folder: string;
      readonly checkpoint: FolderCheckpoint;
      readonly files: ChangedFile[];
    }[] = [];
    const problems: string[] = [];
    const gone = new Set<string>();
    for (const checkpoint of folders) {
      try {
        const store = await this.openStoreOrThrow(checkpoint.folder);
        const { changes, gone: names } = await store.diff(checkpoint.id, currentStateId, undefined, findsGone);
        for (const name of names) gone.add(path.join(checkpoint.folder, name));
        const files = changes.flatMap((change) => filesOf(change, checkpoint));
        compared.push({ folder: store.folder, checkpoint, files });
      } catch (error) {
        this.deps.log.warn(`The changes in ${checkpoint.folder} are not known: ${messageOf(error)}`);
        problems.push(messageOf(error));
      }
    }
    // The comparison has stored the present files.
    this.pruneSchedule.request();
    const folderPaths = compared.map(({ folder }) => folder);
    const files = compared.flatMap(({ checkpoint, files: found, folder }, at) =>
      found.filter(
        (file) => findOwningFolder(folderPaths, path.join(folder, path.relative(checkpoint.folder, file.path))) === at,
      ),
    );
    return { files, gone: [...gone], problems };
  }

  async textsBefore(files: readonly ChangedFile[]): Promise<ReadonlyMap<string, string | null | undefined>> {
    const texts = new Map<string, string | null | undefined>();
    for (const [folder, inFolder] of Map.groupBy(files, ({ checkpoint }) => checkpoint.folder)) {
      const store = await this.openStore(folder);
      if (typeof store === 'string') continue;
      const isText = ({ before }: ChangedFile): boolean =>
        before !== undefined && before.kind !== 'symlink' && before.bytes <= maxTextBytes;
      const objects = inFolder.flatMap((file) => (file.before && isText(file) ? [file.before.object] : []));
      const contents = await store.contents([...new Set(objects)]);
      for (const file of inFolder) {
        const bytes = file.before && isText(file) ? contents.get(file.before.object) : undefined;
        texts.set(file.path, file.before ? bytes && (await this.decode(bytes, file.path)) : null);
      }
    }
    return texts;
  }

  async stateAt({ checkpoint: { folder, id }, path: file }: CheckpointedFile): Promise<FileState | undefined> {
    return await (await this.openStoreOrThrow(folder)).stateAt(id, nameIn(folder, file));
  }

  async currentStates(files: readonly CheckpointedFile[]): Promise<ReadonlyMap<string, CurrentFileState>> {
    const states = new Map<string, CurrentFileState>();
    for (const [folder, inFolder] of Map.groupBy(files, ({ checkpoint }) => checkpoint.folder)) {
      const store = await this.openStoreOrThrow(folder);
      const found = await store.currentStates(inFolder.map((file) => nameIn(folder, file.path)));
      for (const [name, state] of found) states.set(path.join(folder, name), state);
    }
    return states;
  }

  async restoreFile({ checkpoint: { folder, id }, step }: FileRestore): Promise<FolderCheckpoint> {
    const store = await this.openStoreOrThrow(folder);
    const name = nameIn(folder, step.path);
    const stored = await store.stateAt(id, name);
    const isModeOnly = step.before?.object === step.after?.object && stored?.kind === step.after?.kind;
    if (!isModeOnly && !isSameState(stored, step.after)) {
      throw new CheckpointError('contentMissing', 'The checkpoint does not contain the earlier state of this file.');
    }
    const plan = { checkpointId: id, steps: [{ ...step, path: name }], leftOut: [] };
    const { skipped, undo } = await store.applyRestore(plan, `Before undo of ${name}`);
    const [problem] = skipped;
    if (problem) {
      const code = problem.reason === 'changedMeanwhile' ? 'changedMeanwhile' : 'failed';
      throw new CheckpointError(code, `The file was not restored. ${skipReasonText(problem)}`);
    }
    return { folder, id: undo.id };
  }

  gitMovesSince(folders: readonly FolderCheckpoint[]): Promise<readonly GitMove[]> {
    return this.restores.gitMovesSince(folders);
  }

  planRestore(folders: readonly FolderCheckpoint[], signal: AbortSignal): Promise<RestorePreview> {
    return this.restores.plan(folders, signal);
  }

  textAfterRestore(preview: RestorePreview, file: string): Promise<string | null | undefined> {
    return this.restores.textAfter(preview, file);
  }

  async restore(
    preview: RestorePreview,
    paths: readonly string[],
    label: string,
    signal: AbortSignal,
    request?: string,
  ): Promise<RestoreOutcome> {
    const outcome = await this.restores.restore(preview, paths, label, signal, request);
    this.pruneSchedule.request();
    return outcome;
  }

  async adopt(from: string, to: string): Promise<void> {
    await this.storage.adopt(from, to);
  }

  findInterruptedRestore(): Promise<InterruptedRestore | undefined> {
    return this.restores.findInterruptedRestore();
  }

  resume(direction: ResumeDirection, signal: AbortSignal): Promise<ResumeOutcome> {
    return this.restores.resume(direction, signal);
  }

  /** Cancels running work. Never rejects. */
  async stop(): Promise<void> {
    this.pruneSchedule.stop();
    const stores = await Promise.all(this.storeByFolder.values());
    await Promise.all(stores.flatMap((store) => (typeof store === 'string' ? [] : store.stop())));
  }

  private async takeForFolder(
    folder: string,
    label: string,
    signal: AbortSignal,
    { files = [], series }: TakeOptions,
  ): Promise<TakenCheckpoint> {
    const nothing = { folders: [], uncovered: [] };
    const store = await this.openStore(folder);
    if (typeof store === 'string') return { ...nothing, problems: [store] };
    try {
      const names = files.map((file) => nameIn(folder, file));
      const taken = await store.take(label, signal, { files: names, series });
      if (taken.kind === 'refused') return { ...nothing, problems: [taken.error.message] };
      const { id, leftOut } = taken.checkpoint;
      const uncovered = leftOut.filter(isUnexpectedlyLeftOut).map((item) => path.join(folder, item.path));
      return { folders: [{ folder, id }], problems: [], uncovered };
    } catch (error) {
      this.reportOnce(folder, messageOf(error));
      return { ...nothing, problems: [messageOf(error)] };
    }
  }

  /** Each prompt takes a checkpoint, and the reason is often the same. */
  private reportOnce(folder: string, problem: string): void {
    if (this.lastProblemByFolder.get(folder) === problem) return;
    this.lastProblemByFolder.set(folder, problem);
    this.deps.log.warn(`No checkpoint of ${folder}: ${problem}`);
  }

  private async decode(bytes: Uint8Array, file: string): Promise<string | undefined> {
    try {
      return await this.deps.decode(bytes, file);
    } catch {
      return undefined;
    }
  }

  /** Opens the store of a folder. @throws CheckpointError `noGit`, `failed` */
  private async openStoreOrThrow(folder: string): Promise<CheckpointStore> {
    const store = await this.openStore(folder);
    if (typeof store === 'string') throw new CheckpointError('failed', store);
    return store;
  }

  /** Returns the store of a folder, or a message with the reason why there is none. Never rejects. */
  private async openStore(workspaceFolder: string): Promise<CheckpointStore | string> {
    if (!this.deps.isTrusted()) return 'You do not trust this workspace.';
    const folder = await this.realPathOf(workspaceFolder);
    const known = this.storeByFolder.get(folder);
    const failedAtMs = this.gitMissingAtByFolder.get(folder) ?? Infinity;
    if (known && this.deps.clock.monotonicNow() - failedAtMs < retryMs) return known;
    this.gitMissingAtByFolder.delete(folder);
    const opening = this.createStore(folder);
    this.storeByFolder.set(folder, opening);
    return opening;
  }

  /** Returns the real path that a folder had at first: it may be removed or replaced by a link later. */
  private async realPathOf(folder: string): Promise<string> {
    const known = this.realPathByFolder.get(folder);
    if (known !== undefined) return known;
    const real = await realpath(folder).catch(() => undefined);
    if (real !== undefined) this.realPathByFolder.set(folder, real);
    return real ?? folder;
  }

  /** Returns the workspace folders, without further paths to the same place. */
  private async distinctFolders(): Promise<readonly string[]> {
    const folders = this.deps.folders();
    const real = await Promise.all(folders.map((folder) => this.realPathOf(folder)));
    return folders.filter((_folder, at) => real.indexOf(real[at] ?? '') === at);
  }

  private async createStore(folder: string): Promise<CheckpointStore | string> {
    const { clock, excludes, fileTimes, folders, limits, log, searchPath } = this.deps;
    try {
      const opened = await openCheckpointStore({
        folder,
        otherFolders: folders(),
        storage: await this.storage.prepareStoreOf(folder),
        excludes,
        logger: log,
        clock,
        limits: { ...takeLimits, ...limits },
        ...withoutUndefined({ fileTimes, searchPath }),
      });
      if (opened.kind === 'open') return opened.store;
      this.gitMissingAtByFolder.set(folder, clock.monotonicNow());
      return opened.message;
    } catch (error) {
      // The next call tries again, because the folder may exist again by then.
      this.storeByFolder.delete(folder);
      return messageOf(error);
    }
  }

  private async prune(request: PruneRequest): Promise<boolean> {
    let hasEnded = true;
    for (const [folder, opening] of this.storeByFolder) {
      const store = await opening;
      if (typeof store !== 'string' && !(await this.pruneFolder(folder, store, request))) hasEnded = false;
    }
    return hasEnded;
  }

  /** Returns false if another request has cancelled it. Never rejects. */
  private async pruneFolder(folder: string, store: CheckpointStore, request: PruneRequest): Promise<boolean> {
    const { log } = this.deps;
    const { maxAgeMs, maxBytes } = this.deps.retention();
    const needed = this.neededBytesByFolder.get(folder);
    // A store that cannot become smaller is left alone until it has grown.
    const worthBytes = needed === undefined ? maxBytes : needed + maxBytes / 10;
    try {
      const { bytes } = await store.prune({ maxAgeMs, maxBytes }, { ...request, worthBytes });
      if (bytes <= maxBytes) this.neededBytesByFolder.delete(folder);
      else if (needed === undefined || bytes < needed || bytes > worthBytes) {
        if (needed === undefined) log.warn(tooLargeMessage(folder, bytes, maxBytes));
        this.neededBytesByFolder.set(folder, bytes);
      }
      return true;
    } catch (error) {
      log.debug(`Old checkpoints were not removed: ${messageOf(error)}`);
      return !isCheckpointError(error) || error.code !== 'cancelled';
    }
  }
}

function tooLargeMessage(folder: string, bytes: number, maxBytes: number): string {
  const [used, limit] = [bytes, maxBytes].map((size) => `${Math.ceil(size / 1024 / 1024)} MB`);
  return `The newest checkpoints of the conversations in ${folder} use ${used}, more than the limit of ${limit}. They are kept.`;
}

function filesOf(change: CheckpointFileChange, checkpoint: FolderCheckpoint): ChangedFile[] {
  const file = (name: string): string => path.join(checkpoint.folder, name);
  const { after, before } = { before: undefined, after: undefined, ...change };
  if (change.status !== 'renamed') return [{ path: file(change.path), checkpoint, before, after }];
  const renamedFrom = file(change.from);
  return [
    { path: renamedFrom, checkpoint, before, after: undefined },
    { path: file(change.path), renamedFrom, checkpoint, before: undefined, after },
  ];
}

/** Returns the path relative to the folder. @throws CheckpointError if the file is not inside the folder */
function nameIn(folder: string, file: string): string {
  const name = path.relative(folder, file);
  if (name === '' || path.isAbsolute(name) || name.split(path.sep)[0] === '..') {
    throw new CheckpointError('failed', 'The file is not in a workspace folder.');
  }
  return name.split(path.sep).join('/');
}
