import { stat } from 'node:fs/promises';
import * as path from 'node:path';
import type { Clock } from '../../base/common/async';
import { DisposableStore, type Disposable } from '../../base/common/disposable';
import { messageOf } from '../../base/common/errors';
import { Emitter, type Event } from '../../base/common/event';
import type { Logger } from '../../base/common/log';
import { isThreadId, nextStaleAt } from '../common/heads/heads';
import { CostThrottle } from '../common/costThrottle';
import { processorShares } from '../common/processorShares';
import {
  ThreadError,
  type ThreadWithEntries,
  type TextSearchResult,
  type ThreadHead,
  type ThreadSource,
  type ThreadSourceState,
} from '../common/threadPorts';
import { type TextCoverage } from '../../texts/common/searchableText';
import type { ThreadFile, ThreadReader } from '../common/threadReader';
import { isThreadFileName, type AmpPaths } from './ampFolder/ampData';
import { findCurrentThreadId } from './ampFolder/currentThread';
import { AmpPromptHistory } from './ampFolder/ampPromptHistory';
import { FolderWatcher } from './files/folderWatcher';
import type { ThreadIndex, ThreadList } from './index/threadIndex';
import { ThreadSubscriptions } from './threadSubscriptions';

interface LocalThreadSourceDeps {
  readonly paths: AmpPaths;
  /** The index of the threads. It is disposed with the source. */
  readonly index: Pick<ThreadIndex, 'list' | 'search' | 'onDidChangeCoverage' | 'dispose'>;
  readonly reader: ThreadReader;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Limits how often a large thread is read while it is written continuously. */
const listPace = { minMs: 50, share: processorShares.list };
/** Delay before the list is read again after a file was being written. */
const settleMs = 1_000;

/** The threads in Amp's folder on this machine and in additional folders. Writes nothing there. */
export class LocalThreadSource implements ThreadSource {
  readonly kind = 'local';
  readonly title = 'This machine';
  private readonly disposables = new DisposableStore();
  private readonly onListenerError = (error: unknown): void =>
    this.deps.log.error('A listener of threads failed', error);
  private readonly changeEmitter = this.disposables.add(new Emitter<void>(this.onListenerError));
  readonly onDidChange = this.changeEmitter.event;
  private readonly subscriptions: ThreadSubscriptions;
  private readonly promptHistory: AmpPromptHistory;
  private readonly relistThrottle: CostThrottle;
  /** Absolute paths of the watched folders. */
  private folders: readonly string[];
  private watchers: DisposableStore | undefined;
  private heads: readonly ThreadHead[] | undefined;
  private currentState: ThreadSourceState = { kind: 'ready' };
  private relistTimer: Disposable | undefined;

  constructor(private readonly deps: LocalThreadSourceDeps) {
    const { paths, reader, clock, log } = deps;
    this.folders = [paths.threadFolder];
    this.promptHistory = new AmpPromptHistory(paths.dataFolders);
    const costMs = (threadId: string): number => Math.max(...this.pathsOf(threadId).map((file) => reader.costMs(file)));
    this.subscriptions = this.disposables.add(new ThreadSubscriptions(clock, costMs, this.onListenerError));
    const onError = (error: unknown): void => {
      if (!this.disposables.isDisposed) log.warn(`Cannot list the changed threads: ${messageOf(error)}`);
    };
    this.relistThrottle = this.disposables.add(new CostThrottle(clock, listPace, () => this.relist(), onError));
  }

  get state(): ThreadSourceState {
    return this.currentState;
  }

  /** Fires when more threads can be searched. */
  get onDidChangeCoverage(): Event<TextCoverage> {
    return this.deps.index.onDidChangeCoverage;
  }

  /** Watches Amp's folder and `moreFolders` (absolute paths). They replace the folders that were watched before. */
  async watchFolders(moreFolders: readonly string[]): Promise<void> {
    const { paths } = this.deps;
    const folders = [...new Set([paths.threadFolder, ...moreFolders.map((folder) => path.resolve(folder))])];
    if (this.disposables.isDisposed || (this.watchers && folders.join('\n') === this.folders.join('\n'))) return;
    this.watchers?.dispose();
    const watches = (this.watchers = new DisposableStore());
    this.folders = folders;
    this.heads = undefined;
    await Promise.all(folders.map((folder) => watches.add(this.createWatcher(folder)).start()));
    this.changeEmitter.fire();
  }

  /** Returns the threads, maybe outdated while listing is throttled. `onDidChange` reports a newer list. */
  async list(signal?: AbortSignal): Promise<readonly ThreadHead[]> {
    if (this.heads && this.relistThrottle.isPausing) return this.heads;
    return await this.listNow(signal);
  }

  /** Searches the text of the threads. @throws ThreadError */
  async search(query: string, limit: number): Promise<TextSearchResult> {
    return await this.deps.index.search(query, limit);
  }

  async read(
    threadId: string,
    signal?: AbortSignal,
    onFirst?: (thread: ThreadWithEntries) => void,
  ): Promise<ThreadWithEntries> {
    return await this.withFile(threadId, (file) => this.deps.reader.read(file, signal, onFirst));
  }

  async rawJson(threadId: string, entryId: string): Promise<string | undefined> {
    return await this.withFile(threadId, (file) => this.deps.reader.rawJson(file, entryId));
  }

  subscribe(threadId: string, listener: () => void): Disposable {
    return this.subscriptions.add(threadId, listener);
  }

  async currentThreadId(): Promise<string | undefined> {
    return await findCurrentThreadId(this.deps.paths);
  }

  dispose(): void {
    this.disposables.dispose();
    this.watchers?.dispose();
    this.relistTimer?.dispose();
    this.deps.index.dispose();
  }

  /** Reads the list again. Returns the duration in milliseconds. */
  private async relist(): Promise<number> {
    const { clock } = this.deps;
    const startedAt = clock.monotonicNow();
    await this.listNow();
    this.changeEmitter.fire();
    return clock.monotonicNow() - startedAt;
  }

  private async listNow(signal?: AbortSignal): Promise<readonly ThreadHead[]> {
    const { folders } = this;
    const { index, log } = this.deps;
    const list = await index.list(folders, signal);
    for (const { folder, message } of list.problems) log.warn(`Cannot read the folder ${folder}: ${message}`);
    const heads = await this.withPromptFolders(list.heads);
    this.scheduleRelist(list.isUnsettled, heads);
    if (folders !== this.folders) return heads;
    this.heads = heads;
    this.setState(stateOf(folders, list));
    return heads;
  }

  /** Adds a folder to threads that have none: the folder of their first prompt in Amp's prompt history. */
  private async withPromptFolders(heads: readonly ThreadHead[]): Promise<readonly ThreadHead[]> {
    if (heads.every(({ folders, firstPrompt }) => folders.length > 0 || firstPrompt === undefined)) return heads;
    const folderByPrompt = await this.promptHistory.folderByPrompt();
    return heads.map((head) => {
      const { folders, firstPrompt } = head;
      const folder = folders.length === 0 && firstPrompt !== undefined ? folderByPrompt.get(firstPrompt) : undefined;
      return folder === undefined ? head : { ...head, folders: [folder] };
    });
  }

  /** Reads the list again when a write has probably ended and when a thread becomes stale: no event reports this. */
  private scheduleRelist(isUnsettled: boolean, heads: readonly ThreadHead[]): void {
    const { clock } = this.deps;
    this.relistTimer?.dispose();
    const waitMs = Math.min(isUnsettled ? settleMs : Infinity, (nextStaleAt(heads) ?? Infinity) - clock.now());
    this.relistTimer =
      waitMs === Infinity || this.disposables.isDisposed
        ? undefined
        : clock.setTimer(waitMs, () => this.relistThrottle.schedule());
  }

  private setState(state: ThreadSourceState): void {
    const hasChanged = JSON.stringify(state) !== JSON.stringify(this.currentState);
    this.currentState = state;
    if (hasChanged) this.changeEmitter.fire();
  }

  private createWatcher(folder: string): FolderWatcher {
    const { clock, log } = this.deps;
    return new FolderWatcher({
      folder,
      accepts: isThreadFileName,
      onChange: (names) => {
        this.subscriptions.notify(names && new Set([...names].map((name) => path.basename(name, '.json'))));
        this.relistThrottle.schedule();
      },
      clock,
      log,
    });
  }

  private pathsOf(threadId: string): readonly string[] {
    return this.folders.map((folder) => path.join(folder, `${threadId}.json`));
  }

  /** Uses the newest readable file if several folders have the thread, which is also the file in the list. */
  private async withFile<T>(threadId: string, work: (file: ThreadFile) => Promise<T>): Promise<T> {
    const notFound = new ThreadError('notFound', `Thread ${threadId} is not on this machine. Refresh the list.`);
    if (!isThreadId(threadId)) throw notFound;
    let problem: ThreadError | undefined;
    for (const file of await newestFilesFirst(this.pathsOf(threadId))) {
      try {
        return await work({ path: file, source: 'local', threadId });
      } catch (error) {
        if (!(error instanceof ThreadError) || error.code === 'cancelled') throw error;
        if (error.code !== 'notFound') problem ??= error;
      }
    }
    throw problem ?? notFound;
  }
}

/** Sorts files, newest first. Missing files come last. */
async function newestFilesFirst(files: readonly string[]): Promise<readonly string[]> {
  if (files.length < 2) return files;
  const stated = await Promise.all(files.map(async (file) => ({ file, mtimeMs: await modifiedAt(file) })));
  return stated.sort((a, b) => b.mtimeMs - a.mtimeMs).map(({ file }) => file);
}

/** Returns the modification time in milliseconds since the epoch, or -1 if the file is missing. */
async function modifiedAt(file: string): Promise<number> {
  return (await stat(file).catch(() => undefined))?.mtimeMs ?? -1;
}

function stateOf(all: readonly string[], { folders, problems }: ThreadList): ThreadSourceState {
  if (folders.length > 0) return { kind: 'ready' };
  const unreadable = problems.filter(({ isFolder }) => isFolder).map(({ folder }) => folder);
  if (unreadable.length > 0) {
    return {
      kind: 'failed',
      summary: 'a folder can’t be read',
      message: `These folders can’t be read: ${unreadable.join(', ')}. Check their permissions.`,
    };
  }
  return {
    kind: 'absent',
    message: `No Amp threads found on this machine (searched ${all.join(', ')}). Since April 2026 Amp stores threads on its server. Sign in with the Amp CLI to see them.`,
  };
}
