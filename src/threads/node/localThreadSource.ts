import { stat } from 'node:fs/promises';
import * as path from 'node:path';
import type { Clock } from '../../base/common/async';
import { DisposableStore, type Disposable } from '../../base/common/disposable';
import { messageOf } from '../../base/common/errors';
import { Emitter, type Event } from '../../base/common/event';
import type { Logger } from '../../base/common/log';
import { isThreadId, nextStaleAt } from '../common/heads/heads';
import { CostThrottle } from '../common/costThrottle';
import {
  ThreadError,
  type OpenThread,
  type TextCoverage,
  type TextHits,
  type ThreadHead,
  type ThreadSource,
  type ThreadSourceState,
} from '../common/threadPorts';
import type { ThreadFile, ThreadReader } from '../common/threadReader';
import { isThreadFileName, type AmpPlaces } from './ampFolder/ampData';
import { currentThread } from './ampFolder/currentThread';
import { PromptHistory } from './ampFolder/promptHistory';
import { FolderWatch } from './files/folderWatch';
import type { ThreadIndex, ThreadList } from './index/threadIndex';
import { ThreadSubscriptions } from './threadSubscriptions';

interface LocalThreadOptions {
  readonly places: AmpPlaces;
  /** Disposed with the source. */
  readonly index: Pick<ThreadIndex, 'list' | 'search' | 'onDidChangeCoverage' | 'dispose'>;
  readonly reader: ThreadReader;
  readonly clock: Clock;
  readonly log: Logger;
}

/** A huge thread that is written all the time must not be read all the time; the tree can wait for it. */
const listPace = { minMs: 50, share: 0.02 };
/** After a list in which a file was being written. */
const settleMs = 1_000;

/**
 * The threads in Amp's folder on this machine, and in more folders of their kind. The index lists and searches them, and reads
 * only what has changed. Nothing is ever written there.
 */
export class LocalThreadSource implements ThreadSource {
  readonly kind = 'local';
  readonly title = 'This machine';
  private readonly store = new DisposableStore();
  private readonly onListenerError = (error: unknown): void =>
    this.options.log.error('A listener of threads failed', error);
  private readonly changes = this.store.add(new Emitter<void>(this.onListenerError));
  readonly onDidChange = this.changes.event;
  private readonly subscriptions: ThreadSubscriptions;
  private readonly history: PromptHistory;
  private readonly relisting: CostThrottle;
  /** Absolute, those with threads. */
  private folders: readonly string[];
  private watches: DisposableStore | undefined;
  private heads: readonly ThreadHead[] | undefined;
  private current: ThreadSourceState = { kind: 'ready' };
  private lookAgain: Disposable | undefined;

  constructor(private readonly options: LocalThreadOptions) {
    const { places, reader, clock, log } = options;
    this.folders = [places.threads];
    this.history = new PromptHistory(places.data);
    const costMs = (threadId: string): number => Math.max(...this.pathsOf(threadId).map((file) => reader.costMs(file)));
    this.subscriptions = this.store.add(new ThreadSubscriptions(clock, costMs, this.onListenerError));
    this.relisting = this.store.add(
      new CostThrottle(
        clock,
        listPace,
        () => this.relist(),
        (error) => {
          if (!this.store.isDisposed) log.warn(`cannot list the threads that have changed: ${messageOf(error)}`);
        },
      ),
    );
  }

  get state(): ThreadSourceState {
    return this.current;
  }

  /** More of the text can be searched. */
  get onDidChangeCoverage(): Event<TextCoverage> {
    return this.options.index.onDidChangeCoverage;
  }

  /** Watches Amp's folder and these, absolute ones; to be called again when they are others. */
  async use(moreFolders: readonly string[]): Promise<void> {
    const { places } = this.options;
    const folders = [...new Set([places.threads, ...moreFolders.map((folder) => path.resolve(folder))])];
    if (this.store.isDisposed || (this.watches && folders.join('\n') === this.folders.join('\n'))) return;
    this.watches?.dispose();
    const watches = (this.watches = new DisposableStore());
    this.folders = folders;
    this.heads = undefined;
    await Promise.all(folders.map((folder) => watches.add(this.watchOf(folder)).start()));
    this.changes.fire();
  }

  /** After a change it is as new as the pace of listing allows; `onDidChange` tells when there is more. */
  async list(signal?: AbortSignal): Promise<readonly ThreadHead[]> {
    if (this.heads && this.relisting.isResting) return this.heads;
    return await this.listNow(signal);
  }

  /** Through prompts, answers and titles of what is indexed. @throws ThreadError */
  async search(query: string, limit: number): Promise<TextHits> {
    return await this.options.index.search(query, limit);
  }

  async read(threadId: string, signal?: AbortSignal, onFirst?: (thread: OpenThread) => void): Promise<OpenThread> {
    return await this.inFolders(threadId, (file) => this.options.reader.read(file, signal, onFirst));
  }

  async rawJson(threadId: string, entryId: string): Promise<string | undefined> {
    return await this.inFolders(threadId, (file) => this.options.reader.rawJson(file, entryId));
  }

  subscribe(threadId: string, listener: () => void): Disposable {
    return this.subscriptions.add(threadId, listener);
  }

  async currentHint(): Promise<string | undefined> {
    return await currentThread(this.options.places);
  }

  dispose(): void {
    this.store.dispose();
    this.watches?.dispose();
    this.lookAgain?.dispose();
    this.options.index.dispose();
  }

  /** What it took, in milliseconds. */
  private async relist(): Promise<number> {
    const { clock } = this.options;
    const startedAt = clock.monotonicNow();
    await this.listNow();
    this.changes.fire();
    return clock.monotonicNow() - startedAt;
  }

  private async listNow(signal?: AbortSignal): Promise<readonly ThreadHead[]> {
    const { folders } = this;
    const { index, log } = this.options;
    const list = await index.list(folders, signal);
    for (const { folder, message } of list.problems) log.warn(`Cannot read the folder ${folder}: ${message}`);
    const heads = await this.withKnownFolders(list.heads);
    this.scheduleLook(list.isUnsettled, heads);
    if (folders !== this.folders) return heads;
    this.heads = heads;
    this.setState(stateOf(folders, list));
    return heads;
  }

  /** For threads that do not say where they worked, Amp's history may know where their first prompt was written. */
  private async withKnownFolders(heads: readonly ThreadHead[]): Promise<readonly ThreadHead[]> {
    if (heads.every(({ folders, firstPrompt }) => folders.length > 0 || firstPrompt === undefined)) return heads;
    const known = await this.history.folders();
    return heads.map((head) => {
      const { folders, firstPrompt } = head;
      const folder = folders.length === 0 && firstPrompt !== undefined ? known.get(firstPrompt) : undefined;
      return folder === undefined ? head : { ...head, folders: [folder] };
    });
  }

  /** Nobody tells when a file has been written to its end, or when the first thread that runs becomes stale. */
  private scheduleLook(isUnsettled: boolean, heads: readonly ThreadHead[]): void {
    const { clock } = this.options;
    this.lookAgain?.dispose();
    const waitMs = Math.min(isUnsettled ? settleMs : Infinity, (nextStaleAt(heads) ?? Infinity) - clock.now());
    this.lookAgain =
      waitMs === Infinity || this.store.isDisposed ? undefined : clock.setTimer(waitMs, () => this.relisting.touch());
  }

  private setState(state: ThreadSourceState): void {
    const isSame = JSON.stringify(state) === JSON.stringify(this.current);
    this.current = state;
    if (!isSame) this.changes.fire();
  }

  private watchOf(folder: string): FolderWatch {
    const { clock, log } = this.options;
    return new FolderWatch({
      folder,
      accepts: isThreadFileName,
      onChange: (names) => {
        this.subscriptions.changed(names && new Set([...names].map((name) => path.basename(name, '.json'))));
        this.relisting.touch();
      },
      clock,
      log,
    });
  }

  private pathsOf(threadId: string): readonly string[] {
    return this.folders.map((folder) => path.join(folder, `${threadId}.json`));
  }

  /** Of files of the same thread the one that the list shows: the newest that can be read. */
  private async inFolders<T>(threadId: string, work: (file: ThreadFile) => Promise<T>): Promise<T> {
    const gone = new ThreadError('notFound', `There is no thread ${threadId} on this machine. Refresh the list.`);
    if (!isThreadId(threadId)) throw gone;
    let problem: ThreadError | undefined;
    for (const file of await filesByTime(this.pathsOf(threadId))) {
      try {
        return await work({ path: file, source: 'local', threadId });
      } catch (error) {
        if (!(error instanceof ThreadError) || error.code === 'cancelled') throw error;
        if (error.code !== 'notFound') problem ??= error;
      }
    }
    throw problem ?? gone;
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
  return await stat(file).then(
    ({ mtimeMs }) => mtimeMs,
    () => -1,
  );
}

function stateOf(all: readonly string[], { folders, problems }: ThreadList): ThreadSourceState {
  if (folders.length > 0) return { kind: 'ready' };
  const unreadable = problems.filter(({ isFolder }) => isFolder).map(({ folder }) => folder);
  if (unreadable.length > 0) {
    return {
      kind: 'failed',
      summary: 'a folder cannot be read',
      message: `This folder may not be read: ${unreadable.join(', ')}. Look at its permissions.`,
    };
  }
  return {
    kind: 'absent',
    message: `There are no Amp threads on this machine (looked in ${all.join(', ')}). Since April 2026 Amp keeps them on its server: sign in with the amp CLI to see those.`,
  };
}
