import { realpath } from 'node:fs/promises';
import type { Clock } from '../../base/common/async';
import { KeyedQueue, raceSignal } from '../../base/common/async';
import type { Disposable } from '../../base/common/disposable';
import type { Logger } from '../../base/common/log';
import { systemClock } from '../../base/node/systemClock';
import {
  defaultScanLimits,
  type Checkpoint,
  type CheckpointDetails,
  type CheckpointScanLimits,
  type CheckpointDifference,
  type CheckpointFileChange,
  type FileState,
} from '../common/checkpoint';
import { CheckpointError } from '../common/checkpointError';
import type { GitMove } from '../common/gitHead';
import { isAtOrBelow } from '../common/nameList';
import { orderSteps, type RestorePlan, type RestoreStep } from '../common/restorePlan';
import type { CurrentFileState, ResumeDirection, TakeOptions } from '../common/workspaceCheckpoints';
import type { CheckpointLimits } from '../common/retention';
import { CurrentStateReader } from './scan/currentStateReader';
import type { ScopedFolderTree } from './scan/folderScan';
import { GitProgram } from './git/gitProgram';
import { CheckpointRepositoryProvider, type PreparedRepository } from './checkpointRepositoryProvider';
import { GitFailure } from './git/privateRepository';
import {
  restoreLimitMs,
  RestoreRunner,
  type InterruptedStepCounts,
  type RestoreResult,
  type ResumeResult,
} from './restore/restoreRunner';
import type { PruneRequest } from './pruneSchedule';
import { bytesIn, pruneStore, type PruneResult } from './storePruner';
import { saveBeforeRestore, withFiles } from './restore/saveBeforeRestore';
import { currentStateId, StateComparer, type StateId } from './stateComparer';
import type { FileTimes } from './scan/fileAges';
import { createTimeLimitedSignal } from './timedOperation';

export interface CheckpointStoreOptions {
  /** Absolute path of the workspace folder. */
  readonly folder: string;
  /** Absolute path of the storage for this workspace folder. Created if missing. */
  readonly storage: string;
  /** Whether `backline.exclude` matches a file, given by its absolute path and its path relative to the folder. */
  readonly excludes: (path: string, relativePath: string) => boolean;
  readonly logger: Logger;
  readonly clock?: Clock;
  readonly limits?: Partial<CheckpointScanLimits>;
  /** Replaces PATH in the search for Git. */
  readonly searchPath?: string;
  /** By default, the times that the file system reports. */
  readonly fileTimes?: FileTimes;
  /** Absolute paths of the other workspace folders. Programs in them are not trusted either. */
  readonly otherFolders?: readonly string[];
}

type OpenedStore =
  { readonly kind: 'open'; readonly store: CheckpointStore } | { readonly kind: 'noGit'; readonly message: string };

type TakeResult =
  | { readonly kind: 'taken'; readonly checkpoint: CheckpointDetails }
  /** No checkpoint was created. `error` is the reason. */
  | { readonly kind: 'refused'; readonly error: CheckpointError };

interface PruneOptions extends PruneRequest {
  /** Size of the store in bytes. If it is not larger and `isFull` is false, nothing is done. */
  readonly worthBytes: number;
}

const fullPrune: PruneOptions = { isFull: true, othersWait: false, worthBytes: 0 };
const foreground = 'foreground';

/** Finds Git and returns a store. The files of the store are created on first use. */
export async function openCheckpointStore(options: CheckpointStoreOptions): Promise<OpenedStore> {
  const { folder, clock = systemClock, otherFolders = [], searchPath } = options;
  try {
    const git = await GitProgram.find([folder, ...otherFolders], clock, searchPath);
    return { kind: 'open', store: new CheckpointStore(git, { ...options, folder: await realpath(folder) }, clock) };
  } catch (error) {
    if (error instanceof CheckpointError && error.code === 'noGit') return { kind: 'noGit', message: error.message };
    throw error;
  }
}

/**
 * The checkpoints of one workspace folder, which Git stores in a separate repository. The user's repository is never
 * changed. Calls run one after another. Each of them can throw a CheckpointError.
 */
export class CheckpointStore {
  private readonly queue = new KeyedQueue();
  private readonly limits: CheckpointScanLimits;
  private readonly repositoryProvider: CheckpointRepositoryProvider;
  private readonly restoreRunner: RestoreRunner;
  private readonly currentStateReader: CurrentStateReader;
  private readonly comparer: StateComparer;
  private readonly stopAbortController = new AbortController();
  /** The pruning that runs or waits, and what cancels it for a call that has waited for it. */
  private pruning: { readonly abort: AbortController; isUrgent: boolean; timer: Disposable | undefined } | undefined;
  /** The last checkpoint of each series that this window has taken. Turns may still run on them. */
  private readonly lastIdBySeries = new Map<string | undefined, string>();

  /** `options.folder` must be a real path. */
  constructor(
    git: GitProgram,
    private readonly options: CheckpointStoreOptions,
    private readonly clock: Clock,
  ) {
    this.limits = { ...defaultScanLimits, ...options.limits };
    this.repositoryProvider = new CheckpointRepositoryProvider(git, { ...options, limits: this.limits, clock });
    this.restoreRunner = new RestoreRunner(options.folder, options.storage, clock);
    this.comparer = new StateComparer(this.repositoryProvider, {
      folder: options.folder,
      isExcluded: (path) => this.isExcluded(path),
      fileTimes: options.fileTimes ?? this.repositoryProvider.fileTimes,
    });
    this.currentStateReader = new CurrentStateReader(options.folder, clock, this.limits.maxFileBytes);
  }

  /** Absolute real path of the workspace folder. */
  get folder(): string {
    return this.options.folder;
  }

  /** Stores the current state of the folder. Refused if the folder is too large or takes too long to read. */
  async take(label: string, signal?: AbortSignal, { files = [], series }: TakeOptions = {}): Promise<TakeResult> {
    try {
      const checkpoint = await this.runWithinLimit(signal, async (running) => {
        const open = await this.repositoryProvider.prepare(running);
        const capture = await this.repositoryProvider.captureWithScope(running);
        const whole = await this.withContents(open, capture, files, running);
        const added = await open.records.add(label, series, whole, running);
        this.lastIdBySeries.set(series, added.id);
        return added;
      });
      return { kind: 'taken', checkpoint };
    } catch (error) {
      if (error instanceof CheckpointError) return { kind: 'refused', error };
      throw error;
    }
  }

  /** Returns all checkpoints, oldest first. */
  async list(signal?: AbortSignal): Promise<readonly Checkpoint[]> {
    return await this.runInQueue(signal, async (running) =>
      (await this.repositoryProvider.prepare(running)).records.list(running),
    );
  }

  /** Returns a checkpoint with its details. @throws CheckpointError `unknownCheckpoint` */
  async details(id: string, signal?: AbortSignal): Promise<CheckpointDetails> {
    return await this.runInQueue(signal, async (running) =>
      (await this.repositoryProvider.prepare(running)).records.details(id, running),
    );
  }

  /** Returns where the user's repository stood and stands now. Undefined if that is unknown. @throws CheckpointError */
  async gitMove(id: string, signal?: AbortSignal): Promise<GitMove | undefined> {
    return await this.runInQueue(signal, async (running) => {
      const { git: before } = await (await this.repositoryProvider.prepare(running)).records.details(id, running);
      const now = await this.repositoryProvider.readGitHead(running);
      return before && now && { before, now };
    });
  }

  /** Compares two states; `to` can be `now`. @throws CheckpointError `unknownCheckpoint` */
  async diff(from: string, to: StateId, signal?: AbortSignal, findsGone = false): Promise<CheckpointDifference> {
    const options = { findRenames: true, findsGone };
    return await this.runInQueue(signal, (until) => this.comparer.compare(from, to, options, until), compareLimitMs);
  }

  /** Returns the state of a file in a checkpoint. @throws CheckpointError `unknownCheckpoint` */
  async stateAt(id: string, path: string, signal?: AbortSignal): Promise<FileState | undefined> {
    return await this.runInQueue(signal, async (running) => {
      const { records, reader } = await this.repositoryProvider.prepare(running);
      await records.details(id, running);
      return this.isExcluded(path) ? undefined : await reader.findFile(id, path, running);
    });
  }

  /** Returns contents by object id. The result omits objects that no longer exist. */
  async contents(objects: readonly string[], signal?: AbortSignal): Promise<ReadonlyMap<string, Buffer>> {
    return await this.runInQueue(signal, async (running) =>
      (await this.repositoryProvider.prepare(running)).reader.readContents(objects, running),
    );
  }

  /** Returns the current states of files on disk, by path. The state of an unreadable file is `other`. */
  async currentStates(paths: readonly string[], signal?: AbortSignal): Promise<ReadonlyMap<string, CurrentFileState>> {
    return await this.runInQueue(signal, async (running) =>
      this.currentStateReader.read(paths, await this.repositoryProvider.createRestoreContext(running), running),
    );
  }

  /** Plans a restore of the given files and folders, or of everything. Changes nothing. */
  async planRestore(id: string, paths?: readonly string[], signal?: AbortSignal): Promise<RestorePlan> {
    return await this.runInQueue(signal, async (running) => {
      const { changes, leftOut } = await this.comparer.compare(id, currentStateId, {}, running);
      const steps = changes.map(toRestoreStep).filter(({ path }) => isWanted(path, paths));
      return {
        checkpointId: id,
        steps: orderSteps(steps),
        leftOut: leftOut.filter(({ path }) => isWanted(path, paths)),
      };
    });
  }

  /**
   * Runs a restore, one file at a time. First takes a checkpoint, so that the restore can be undone. Skips files that
   * have changed since the restore was planned. `resumeRestore` returns `request`.
   * @throws CheckpointError `restoreUnfinished` while a restore is running or interrupted
   */
  async applyRestore(plan: RestorePlan, label: string, signal?: AbortSignal, request?: string): Promise<RestoreResult> {
    return await this.runInQueue(
      signal,
      async (running) => {
        await this.restoreRunner.requireNoUnfinishedRestore();
        const open = await this.repositoryProvider.prepare(running);
        const wanted = plan.steps.filter(({ path }) => !this.isExcluded(path));
        const capture = await this.repositoryProvider.captureWithScope(running);
        // Nothing is deleted or replaced that cannot be brought back.
        const { skipped, steps, tree } = await saveBeforeRestore(open, capture.tree, wanted, this.limits, running);
        const series = request === undefined ? 'undo' : 'restore';
        const undo = await open.records.add(label, series, withFiles(capture, tree, steps), running);
        this.lastIdBySeries.set(series, undo.id);
        const result = await this.restoreRunner.apply(
          { ...plan, steps },
          undo,
          await this.repositoryProvider.createRestoreContext(running),
          running,
          request,
        );
        return { ...result, skipped: [...skipped, ...result.skipped], paths: wanted.map(({ path }) => path) };
      },
      restoreLimitMs,
    );
  }

  /** Returns an interrupted restore. It must be finished or undone before the next restore. */
  async findInterruptedRestore(): Promise<InterruptedStepCounts | undefined> {
    return await this.runInQueue(undefined, async (running) =>
      this.restoreRunner.describeInterrupted(await this.repositoryProvider.createRestoreContext(running)),
    );
  }

  /**
   * Finishes or undoes an interrupted restore. Undefined if there is none. @throws CheckpointError `restoreUnfinished`
   * while another window is restoring
   */
  async resumeRestore(direction: ResumeDirection, signal?: AbortSignal): Promise<ResumeResult | undefined> {
    return await this.runInQueue(
      signal,
      async (running) =>
        this.restoreRunner.resume(direction, await this.repositoryProvider.createRestoreContext(running), running),
      restoreLimitMs,
    );
  }

  async drop(ids: readonly string[], signal?: AbortSignal): Promise<void> {
    await this.runInQueue(signal, async (running) =>
      (await this.repositoryProvider.prepare(running)).records.drop(ids, running),
    );
    for (const [series, id] of this.lastIdBySeries) if (ids.includes(id)) this.lastIdBySeries.delete(series);
  }

  /**
   * Removes checkpoints that are too old, then the oldest ones until the store is small enough. Any other call cancels
   * pruning, at once or after some seconds if `othersWait`; the next call of `prune` continues it.
   * @throws CheckpointError `cancelled`
   */
  async prune(retention: CheckpointLimits, { isFull, othersWait, worthBytes } = fullPrune): Promise<PruneResult> {
    const pruning = (this.pruning ??= { abort: new AbortController(), isUrgent: othersWait, timer: undefined });
    pruning.isUrgent = othersWait;
    return await this.queue.run(foreground, async () => {
      const { storeFolder } = this.repositoryProvider;
      const timed = createTimeLimitedSignal(this.clock, pruneLimitMs, [
        pruning.abort.signal,
        this.stopAbortController.signal,
      ]);
      try {
        if (!isFull) {
          const bytes = await bytesIn(storeFolder);
          if (bytes <= worthBytes) return { dropped: [], bytes };
        }
        const open = await this.repositoryProvider.prepare(timed.signal);
        const inUse = new Set(this.lastIdBySeries.values());
        return await pruneStore(open, { storage: storeFolder, inUse, retention }, this.clock, timed.signal);
      } catch (error) {
        if (error instanceof GitFailure) this.options.logger.warn(`Checkpoints could not be pruned: ${error.errors}`);
        throw error;
      } finally {
        timed.dispose();
        pruning.timer?.dispose();
        if (this.pruning === pruning) this.pruning = undefined;
      }
    });
  }

  /** Cancels running work and resolves when it has ended. */
  async stop(): Promise<void> {
    this.stopAbortController.abort();
    this.pruning?.timer?.dispose();
    await this.queue.whenIdle(foreground);
  }

  /** Like `runInQueue`, but the time that other calls take counts, too. */
  private async runWithinLimit<T>(
    callerSignal: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const timed = createTimeLimitedSignal(this.clock, this.limits.maxMs, [callerSignal]);
    try {
      return await raceSignal(this.runInQueue(timed.signal, work), timed.signal);
    } finally {
      timed.dispose();
    }
  }

  private async withContents(
    open: PreparedRepository,
    capture: ScopedFolderTree,
    files: readonly string[],
    signal: AbortSignal,
  ): Promise<ScopedFolderTree> {
    const names = files.filter((path) => !this.isExcluded(path));
    if (names.length === 0) return capture;
    const states = await this.currentStateReader.read(
      names,
      await this.repositoryProvider.createRestoreContext(signal),
      signal,
    );
    const present = [...states].flatMap(([path, state]): RestoreStep[] =>
      state === undefined || state === 'other' ? [] : [{ path, before: state, after: undefined }],
    );
    const { steps, tree } = await saveBeforeRestore(open, capture.tree, present, this.limits, signal);
    return withFiles(capture, tree, steps);
  }

  private async runInQueue<T>(
    callerSignal: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<T>,
    limitMs = this.limits.maxMs,
  ): Promise<T> {
    this.cancelPruning();
    return await this.queue.run(foreground, async () => {
      const timed = createTimeLimitedSignal(this.clock, limitMs, [callerSignal, this.stopAbortController.signal]);
      try {
        return await work(timed.signal);
      } catch (error) {
        if (error instanceof GitFailure) this.options.logger.warn(`${error.message} ${error.errors}`);
        throw error;
      } finally {
        timed.dispose();
      }
    });
  }

  private cancelPruning(): void {
    const { pruning } = this;
    if (pruning?.isUrgent) pruning.timer ??= this.clock.setTimer(urgentPruneMs, () => pruning.abort.abort());
    else pruning?.abort.abort();
  }

  private isExcluded(path: string): boolean {
    return this.options.excludes(`${this.options.folder}/${path}`, path);
  }
}

const pruneLimitMs = 10 * 60_000;
/** How long other calls wait for pruning that they have cancelled before. A prompt must still get its checkpoint. */
const urgentPruneMs = 5_000;
/** Time limit for a comparison. An agent can change many files, and all of them must be read. */
const compareLimitMs = 60_000;

function toRestoreStep(change: CheckpointFileChange): RestoreStep {
  return {
    path: change.path,
    before: 'after' in change ? change.after : undefined,
    after: 'before' in change ? change.before : undefined,
  };
}

function isWanted(path: string, wanted: readonly string[] | undefined): boolean {
  return wanted?.some((place) => path === place || isAtOrBelow(path, `${place.replace(/\/$/, '')}/`)) ?? true;
}
