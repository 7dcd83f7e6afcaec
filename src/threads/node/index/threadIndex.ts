import { KeyedQueue, raceSignal, type Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';
import { messageOf } from '../../../base/common/errors';
import { Emitter } from '../../../base/common/event';
import type { Logger } from '../../../base/common/log';
import * as z from 'zod';
import { createProblemHead } from '../../common/heads/heads';
import { toThreadHit } from '../../common/query/textHits';
import { newestFirstWithoutDuplicates } from '../../common/heads/newestFirst';
import { ThreadError, type TextSearchResult, type ThreadHead } from '../../common/threadPorts';
import { type TextCoverage } from '../../../texts/common/searchableText';
import type { FileVersionKey } from '../../../texts/node/files/fileKey';
import type { StoredHead } from '../files/headFile';
import { HeadCache } from './headCache';
import { CostThrottle } from '../../common/costThrottle';
import { processorShares } from '../../common/processorShares';
import { scanFolders, type FolderProblem } from './storeScan';
import { maxThreadBytes, tooLargeError } from '../files/threadFile';
import type { ThreadWorkerOwner } from '../worker/threadWorkerOwner';
import { WorkerEndedError, type WorkerConnection } from '../worker/workerConnection';
import { CoveragePart, SearchAnswer, IndexTextsAnswer } from '../worker/threadWorkerMessages';
import { HeadBatch } from '../worker/threadWorkerRequests';

interface ThreadIndexDeps {
  /** Absolute path of the index folder, which all windows share. Created when needed. */
  readonly folder: string;
  readonly worker: Pick<ThreadWorkerOwner, 'runWithWorker' | 'runWithWorkerOnce' | 'keepAlive'>;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface ThreadList {
  /** The heads without duplicates, newest prompt first. */
  readonly heads: readonly ThreadHead[];
  readonly folders: readonly string[];
  readonly problems: readonly FolderProblem[];
  /** Whether a file changed while it was read, so that the list should soon be read again. */
  readonly isUnsettled: boolean;
}

const textPace = { minMs: 100, share: processorShares.textIndex };
/** Delay before the text index is checked again, while another window builds it or after the worker has ended. */
const retryTextsMs = 5_000;
/** If more files than this end the worker, listing fails. */
const maxFatalFiles = 5;

/**
 * An index on disk of the threads in several folders. Contains heads for the list and texts for the search. The
 * extension host reads only names and stats; a worker reads the files.
 */
export class ThreadIndex implements Disposable {
  private readonly headCache: HeadCache;
  private readonly listQueue = new KeyedQueue();
  private readonly coverageEmitter = new Emitter<TextCoverage>((error) =>
    this.deps.log.error('A listener of the thread index failed', error),
  );
  /** Fires when more threads can be searched. */
  readonly onDidChangeCoverage = this.coverageEmitter.event;
  private readonly textIndexThrottle: CostThrottle;
  private cacheLoad: Promise<void> | undefined;
  private files: readonly FileVersionKey[] = [];
  private folders: readonly string[] = [];
  private workerWithFileList:
    { readonly link: WorkerConnection; readonly files: readonly FileVersionKey[] } | undefined;
  private coverage: TextCoverage = { indexed: 0, total: 0 };
  /** Heads from a worker that ended before it saved them. */
  private unsavedHeads: StoredHead[] = [];
  /** Keeps the worker running as long as texts are only in its memory. */
  private workerHold: Disposable | undefined;
  private retryTimer: Disposable | undefined;
  private isDisposed = false;

  constructor(private readonly deps: ThreadIndexDeps) {
    this.headCache = new HeadCache(deps.folder, deps.log);
    const onError = (error: unknown): void => {
      this.warn('Could not index the text of threads', error);
      if (error instanceof WorkerEndedError && error.wasShared) this.scheduleTextRetry();
    };
    this.textIndexThrottle = new CostThrottle(deps.clock, textPace, () => this.buildTextIndex(), onError);
  }

  /**
   * Lists the threads in the folders. Reads only changed files, and indexes their text afterwards.
   * @throws ThreadError `cancelled`; `unreadable` if the worker is unavailable
   */
  async list(folders: readonly string[], signal?: AbortSignal): Promise<ThreadList> {
    return await this.listQueue.run('list', () => this.listNow(folders, signal));
  }

  /** Searches the indexed text; see `parseQuery`. `limit` is the maximum number of threads. @throws ThreadError */
  async search(query: string, limit = 50): Promise<TextSearchResult> {
    const { folder, clock } = this.deps;
    this.throwIfDisposed();
    const request = { method: 'search', folder, query, limit, nowMs: clock.now() } as const;
    const hits = await this.deps.worker.runWithWorker((link) =>
      this.sendFileList(link).sendRequest(request, SearchAnswer),
    );
    return { hits: hits.map(toThreadHit), coverage: this.coverage };
  }

  dispose(): void {
    this.isDisposed = true;
    this.textIndexThrottle.dispose();
    this.retryTimer?.dispose();
    this.workerHold?.dispose();
    this.coverageEmitter.dispose();
  }

  private async listNow(folders: readonly string[], signal: AbortSignal | undefined): Promise<ThreadList> {
    this.throwIfDisposed();
    throwIfAborted(signal);
    this.cacheLoad ??= this.headCache.load();
    const [{ files, folders: read, problems }] = await Promise.all([scanFolders(folders), this.cacheLoad]);
    throwIfAborted(signal);
    const nowMs = this.deps.clock.now();
    const changed = files.filter(
      (file) => file.sizeBytes <= maxThreadBytes && !this.headCache.isHeadCurrent(file, nowMs),
    );
    // Threads in an unreadable folder are kept.
    const readable = folders.filter((folder) => !problems.some((problem) => problem.folder === folder));
    const gone = this.headCache.findGonePaths(new Set(readable), files);
    for (const file of gone) this.headCache.delete(file);
    const hasChanged = changed.length + gone.length > 0;
    const isUnsettled = hasChanged && (await this.readHeads(latestFirst(changed), gone, signal));
    this.files = files.filter((file) => this.isSearchable(file));
    this.folders = readable;
    if (hasChanged || this.coverage.total === 0) this.textIndexThrottle.schedule();
    return { heads: this.headsOf(files), folders: read, problems, isUnsettled };
  }

  /**
   * Whether the text of a file can be indexed. False for files that could not be read for the list, because they might
   * end the worker again.
   */
  private isSearchable(file: FileVersionKey): boolean {
    return file.sizeBytes <= maxThreadBytes && this.headCache.get(file)?.head?.problem === undefined;
  }

  /**
   * Reads changed files. If a file ends the worker, marks the file and continues with a new worker. Resolves to whether
   * a file was being written. Such a file keeps its previous head and is read again for the next list.
   */
  private async readHeads(
    changed: readonly FileVersionKey[],
    gone: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    const { folder, clock } = this.deps;
    const received: StoredHead[] = [];
    const unread = new Map(changed.map((file) => [file.path, file]));
    let isUnsettled = false;
    const receive = (value: unknown): void => {
      for (const stored of HeadBatch.parse(value)) {
        unread.delete(stored.file.path);
        if (stored.head?.isBeingWritten) {
          isUnsettled = true;
          if (!this.headCache.get(stored.file))
            this.headCache.set({ ...stored, file: { ...stored.file, mtimeMs: -1 } });
          continue;
        }
        this.headCache.set(stored);
        received.push(stored);
      }
    };
    for (let fatalCount = 0; ; fatalCount++) {
      const files = [...unread.values()];
      const known = this.unsavedHeads;
      const request = { method: 'readHeads' as const, folder, files, known, gone: [...gone], nowMs: clock.now() };
      try {
        const answer = this.deps.worker.runWithWorker((link) =>
          this.sendFileList(link).sendRequest(request, z.unknown(), receive),
        );
        await raceSignal(answer, signal, cancelledError);
        for (const file of unread.keys()) this.headCache.delete(file);
        this.unsavedHeads = [];
        return isUnsettled;
      } catch (error) {
        if (error instanceof WorkerEndedError) this.unsavedHeads = [...known, ...received.splice(0)];
        const [file] = unread.values();
        if (!(error instanceof WorkerEndedError) || this.isDisposed || !file || fatalCount >= maxFatalFiles)
          throw error;
        this.warn(`Reading ${file.path} ended the worker`, error);
        unread.delete(file.path);
        const marked = { file, head: unreadableHead(file, 'Not enough memory to read this thread.') };
        this.headCache.set(marked);
        this.unsavedHeads.push(marked);
      }
    }
  }

  private headsOf(files: readonly FileVersionKey[]): readonly ThreadHead[] {
    const heads = files.flatMap((file) =>
      file.sizeBytes > maxThreadBytes
        ? unreadableHead(file, tooLargeError(file.sizeBytes).message)
        : (this.headCache.get(file)?.head ?? []),
    );
    return newestFirstWithoutDuplicates(heads);
  }

  /** Builds the text index. Resolves to the duration in milliseconds. */
  private async buildTextIndex(): Promise<number> {
    const { clock, folder } = this.deps;
    const startedAt = clock.monotonicNow();
    const isFirst = this.coverage.total === 0;
    const onPart = (value: unknown): void => {
      this.coverage = CoveragePart.parse(value);
      this.coverageEmitter.fire(this.coverage);
    };
    const request = { method: 'indexTexts', folder } as const;
    const build = (link: WorkerConnection): Promise<IndexTextsAnswer> =>
      this.sendFileList(link).sendRequest(request, IndexTextsAnswer, onPart);
    const { isDone, isOnDisk } = await this.deps.worker.runWithWorkerOnce(build);
    this.workerHold?.dispose();
    this.workerHold = isOnDisk || this.isDisposed ? undefined : this.deps.worker.keepAlive();
    if (!isDone) this.scheduleTextRetry();
    // The first build takes much longer than later ones, so its duration does not count for the pauses.
    return isFirst ? 0 : clock.monotonicNow() - startedAt;
  }

  private scheduleTextRetry(): void {
    if (!this.isDisposed)
      this.retryTimer = this.deps.clock.setTimer(retryTextsMs, () => this.textIndexThrottle.schedule());
  }

  /**
   * Sends the list of known files to the worker, unless the worker already has it. Workers handle requests in order.
   */
  private sendFileList(connection: WorkerConnection): WorkerConnection {
    const { files, folders, workerWithFileList: informedWorker } = this;
    if (files.length === 0 || (informedWorker?.link === connection && informedWorker.files === files))
      return connection;
    // A new worker does not have the texts that the previous worker kept in memory.
    if (this.workerHold && informedWorker?.link !== connection) this.textIndexThrottle.schedule();
    this.workerWithFileList = { link: connection, files };
    connection
      .sendRequest({ method: 'setFiles', files: [...files], folders: [...folders] }, z.unknown())
      .catch(() => undefined);
    return connection;
  }

  private throwIfDisposed(): void {
    if (this.isDisposed) throw new ThreadError('cancelled', 'The thread index was closed.');
  }

  private warn(message: string, error: unknown): void {
    if (!this.isDisposed) this.deps.log.warn(`${message}: ${messageOf(error)}`);
  }
}

function unreadableHead({ path, sizeBytes, mtimeMs }: FileVersionKey, problem: string): ThreadHead {
  const threadId = path.replace(/^.*[\\/]/, '').replace(/\.json$/, '');
  return createProblemHead({ source: 'local', threadId, path, sizeBytes, mtimeMs, nowMs: mtimeMs }, problem);
}

function latestFirst(files: readonly FileVersionKey[]): readonly FileVersionKey[] {
  return [...files].sort((one, other) => other.mtimeMs - one.mtimeMs);
}

function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw cancelledError();
}

/** Creates the error for a cancelled request. The worker continues, so the next list can use its results. */
function cancelledError(): ThreadError {
  return new ThreadError('cancelled', 'Listing the threads was canceled.');
}
