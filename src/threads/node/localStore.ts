import { readdir, stat } from 'node:fs/promises';
import * as path from 'node:path';
import type { Clock } from '../../base/common/async';
import { DisposableStore, type Disposable } from '../../base/common/disposable';
import { errorCode, messageOf } from '../../base/common/errors';
import { Emitter, type Event } from '../../base/common/event';
import type { Logger } from '../../base/common/log';
import { baseName } from '../common/model/fileUriPath';
import { nextStaleAt } from '../common/heads/heads';
import {
  ThreadError,
  type OpenThread,
  type ThreadHead,
  type ThreadSource,
  type ThreadSourceState,
} from '../common/threadPorts';
import type { ThreadFile, ThreadReader } from '../common/threadReader';
import { isThreadFileName, isThreadId, type AmpPlaces } from './ampFolder/ampData';
import { currentThread } from './ampFolder/currentThread';
import { FolderWatch, type FolderWatchOptions } from './files/folderWatch';
import { PromptHistory } from './ampFolder/promptHistory';
import { newestFirst } from '../common/heads/newestFirst';
import { ThreadSubscriptions } from './threadSubscriptions';

export interface LocalStoreOptions {
  readonly places: AmpPlaces;
  /** Absolute, besides Amp's own. */
  readonly moreFolders: readonly string[];
  readonly reader: ThreadReader;
  readonly clock: Clock;
  readonly log: Logger;
  /** For tests: whether the system tells of changes in a folder. */
  readonly tellsChanges?: FolderWatchOptions['tellsChanges'];
}

/**
 * The threads in Amp's folder on this machine, and in more folders of their kind. Nothing is ever written there. Listing
 * them is the index's.
 */
export class LocalStore implements Omit<ThreadSource, 'kind' | 'title' | 'list'> {
  /** Absolute, those with threads. */
  readonly folders: readonly string[];
  private readonly store = new DisposableStore();
  private readonly changes: Emitter<void>;
  private readonly fileChanges: Emitter<ReadonlySet<string> | undefined>;
  private readonly subscriptions: ThreadSubscriptions;
  private readonly history: PromptHistory;
  private current: ThreadSourceState = { kind: 'ready' };
  private staleTimer: Disposable | undefined;

  constructor(private readonly options: LocalStoreOptions) {
    const { places, moreFolders, clock, log } = options;
    const onListenerError = (error: unknown): void => log.error('A listener of threads failed', error);
    this.folders = [...new Set([places.threads, ...moreFolders.map((folder) => path.resolve(folder))])];
    this.history = new PromptHistory(places.data);
    this.changes = this.store.add(new Emitter<void>(onListenerError));
    this.fileChanges = this.store.add(new Emitter<ReadonlySet<string> | undefined>(onListenerError));
    const costMs = (threadId: string): number =>
      Math.max(...this.folders.map((folder) => options.reader.costMs(this.pathIn(folder, threadId))));
    this.subscriptions = this.store.add(new ThreadSubscriptions(clock, costMs, onListenerError));
  }

  get state(): ThreadSourceState {
    return this.current;
  }

  get onDidChange(): Event<void> {
    return this.changes.event;
  }

  /** The paths of files that came, changed or went; undefined when it may be any. */
  get onDidChangeFiles(): Event<ReadonlySet<string> | undefined> {
    return this.fileChanges.event;
  }

  /** Watches the folders until it is disposed. */
  async start(): Promise<void> {
    const { clock, log, tellsChanges } = this.options;
    await this.files();
    const watches = this.folders.map((folder) =>
      this.store.add(
        new FolderWatch({
          folder,
          accepts: isThreadFileName,
          onChange: (names) => this.filesChanged(folder, names),
          clock,
          log,
          ...(tellsChanges ? { tellsChanges } : {}),
        }),
      ),
    );
    await Promise.all(watches.map((watch) => watch.start()));
  }

  /** Absolute, of all threads, without having looked into any. Folders that cannot be read have none. */
  async files(): Promise<readonly string[]> {
    const found = await Promise.all(this.folders.map((folder) => this.filesIn(folder)));
    this.setState(stateOf(this.folders, found));
    return found.flatMap((result) => (typeof result === 'string' ? [] : result));
  }

  /**
   * The newest prompt first and each thread once, of heads of all files. For threads that do not say where they worked,
   * Amp's history may know where their first prompt was written. When the first that runs becomes stale, that is a change.
   */
  async completed(all: readonly ThreadHead[]): Promise<readonly ThreadHead[]> {
    const heads = newestFirst(all);
    this.tellWhenStale(heads);
    if (heads.every(({ folders, firstPrompt }) => folders.length > 0 || firstPrompt === undefined)) return heads;
    const known = await this.history.folders();
    return heads.map((head) => {
      const { folders, firstPrompt } = head;
      const folder = folders.length === 0 && firstPrompt !== undefined ? known.get(firstPrompt) : undefined;
      return folder === undefined ? head : { ...head, folders: [folder] };
    });
  }

  async read(threadId: string, signal?: AbortSignal, onFirst?: (thread: OpenThread) => void): Promise<OpenThread> {
    return this.inFolders(threadId, (file) => this.options.reader.read(file, signal, onFirst));
  }

  async rawJson(threadId: string, entryId: string): Promise<string | undefined> {
    return this.inFolders(threadId, (file) => this.options.reader.rawJson(file, entryId));
  }

  subscribe(threadId: string, listener: () => void): Disposable {
    return this.subscriptions.add(threadId, listener);
  }

  async currentHint(): Promise<string | undefined> {
    return currentThread(this.options.places);
  }

  dispose(): void {
    this.staleTimer?.dispose();
    this.store.dispose();
  }

  private tellWhenStale(heads: readonly ThreadHead[]): void {
    this.staleTimer?.dispose();
    const at = this.store.isDisposed ? undefined : nextStaleAt(heads);
    const { clock } = this.options;
    this.staleTimer = at === undefined ? undefined : clock.setTimer(at - clock.now(), () => this.changes.fire());
  }

  /** Of files of the same thread the one that the list shows: the newest that can be read. */
  private async inFolders<T>(threadId: string, work: (file: ThreadFile) => Promise<T>): Promise<T> {
    const gone = new ThreadError('notFound', `There is no thread ${threadId} on this machine. Refresh the list.`);
    if (!isThreadId(threadId)) throw gone;
    let problem: ThreadError | undefined;
    for (const file of await filesByTime(this.folders.map((folder) => this.pathIn(folder, threadId)))) {
      try {
        return await work(this.fileAt(file));
      } catch (error) {
        if (!(error instanceof ThreadError) || error.code === 'cancelled') throw error;
        if (error.code !== 'notFound') problem ??= error;
      }
    }
    throw problem ?? gone;
  }

  private pathIn(folder: string, threadId: string): string {
    return path.join(folder, `${threadId}.json`);
  }

  private fileAt(file: string): ThreadFile {
    return { path: file, source: 'local', threadId: baseName(file).replace(/\.json$/, '') };
  }

  private async filesIn(folder: string): Promise<readonly string[] | FolderProblem> {
    try {
      return (await readdir(folder)).filter(isThreadFileName).map((name) => path.join(folder, name));
    } catch (error) {
      if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return 'missing';
      this.options.log.warn(`Cannot read the folder ${folder}: ${messageOf(error)}`);
      return 'unreadable';
    }
  }

  private filesChanged(folder: string, names: ReadonlySet<string> | undefined): void {
    const ids = names && new Set([...names].map((name) => name.replace(/\.json$/, '')));
    this.subscriptions.changed(ids);
    this.fileChanges.fire(names && new Set([...names].map((name) => path.join(folder, name))));
    this.changes.fire();
  }

  private setState(state: ThreadSourceState): void {
    const isSame = JSON.stringify(state) === JSON.stringify(this.current);
    this.current = state;
    if (!isSame) this.changes.fire();
  }
}

/** The one that was written last at the beginning, those that are not there at the end. */
async function filesByTime(files: readonly string[]): Promise<readonly string[]> {
  if (files.length < 2) return files;
  const stated = await Promise.all(files.map(async (file) => ({ file, mtimeMs: await writtenAt(file) })));
  return stated.sort((a, b) => b.mtimeMs - a.mtimeMs).map(({ file }) => file);
}

/** Milliseconds since the epoch; -1 when nobody knows. */
async function writtenAt(file: string): Promise<number> {
  try {
    return (await stat(file)).mtimeMs;
  } catch {
    return -1;
  }
}

type FolderProblem = 'missing' | 'unreadable';

function stateOf(folders: readonly string[], found: readonly (readonly string[] | FolderProblem)[]): ThreadSourceState {
  if (found.some((result) => typeof result !== 'string')) return { kind: 'ready' };
  const unreadable = folders.filter((_folder, index) => found[index] === 'unreadable');
  if (unreadable.length > 0) {
    return {
      kind: 'failed',
      summary: 'a folder cannot be read',
      message: `This folder may not be read: ${unreadable.join(', ')}. Look at its permissions.`,
    };
  }
  return {
    kind: 'absent',
    message: `There are no Amp threads on this machine (looked in ${folders.join(', ')}). Since April 2026 Amp keeps them on its server: sign in with the amp CLI to see those.`,
  };
}
