import { KeyedQueue, raceSignal, type Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';
import { messageOf } from '../../../base/common/errors';
import { Emitter } from '../../../base/common/event';
import type { Logger } from '../../../base/common/log';
import * as z from 'zod';
import { problemHead } from '../../common/heads/heads';
import { newestFirst } from '../../common/heads/newestFirst';
import { ThreadError, type TextCoverage, type TextHits, type ThreadHead } from '../../common/threadPorts';
import type { FileKey } from '../files/fileKey';
import type { StoredHead } from '../files/headFile';
import { HeadCache } from './headCache';
import { CostThrottle } from '../../common/costThrottle';
import { scanFolders, type FolderProblem } from './storeScan';
import { maxThreadBytes, tooLarge } from '../files/threadFile';
import type { ThreadWorkerOwner } from '../worker/threadWorkerOwner';
import { WorkerEndedError, type WorkerLink } from '../worker/workerLink';
import { CoveragePart, HeadPart, Hits, TextsBuilt } from '../worker/threadWorkerMessages';

interface ThreadIndexPorts {
  /** Where the index is kept, absolute; made when needed. Several windows may share it. */
  readonly folder: string;
  readonly worker: Pick<ThreadWorkerOwner, 'use' | 'useOnce' | 'hold'>;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface ThreadList {
  /** Newest prompt first, each thread once. */
  readonly heads: readonly ThreadHead[];
  readonly folders: readonly string[];
  readonly problems: readonly FolderProblem[];
  /** A file changed while it was read: another list may say more in a moment. */
  readonly isUnsettled: boolean;
}

const textPace = { minMs: 100, share: 0.04 };
/** Another window builds the text index: its work is there then. Or something else has ended the worker. */
const retryTextsMs = 5_000;
/** Files that end the worker; more of them are a fault of ours. */
const maxDeadlyFiles = 5;

/**
 * What is known of the threads in a few folders, kept on disk by path, size and time of change, and the text of all of them
 * for a search. The host reads names and stats; the worker reads files.
 */
export class ThreadIndex implements Disposable {
  private readonly cache: HeadCache;
  private readonly queue = new KeyedQueue();
  private readonly coverageChanged = new Emitter<TextCoverage>((error) =>
    this.ports.log.error('A listener of the thread index failed', error),
  );
  /** More of the store can be searched. */
  readonly onDidChangeCoverage = this.coverageChanged.event;
  private readonly texts: CostThrottle;
  private loaded: Promise<void> | undefined;
  private store: { readonly files: readonly FileKey[]; readonly folders: readonly string[] } = {
    files: [],
    folders: [],
  };
  private told: { readonly link: WorkerLink; readonly files: readonly FileKey[] } | undefined;
  private coverage: TextCoverage = { indexed: 0, total: 0 };
  /** Read by a worker that ended before it had saved them; for the next one. */
  private unsaved: StoredHead[] = [];
  /** Of the worker, as long as only it has texts that cannot be kept on disk. */
  private textsInMemory: Disposable | undefined;
  private retryTimer: Disposable | undefined;
  private isDisposed = false;

  constructor(private readonly ports: ThreadIndexPorts) {
    this.cache = new HeadCache(ports.folder, ports.log);
    this.texts = new CostThrottle(
      ports.clock,
      textPace,
      () => this.buildTexts(),
      (error) => {
        this.complain('The text of threads could not be indexed', error);
        if (error instanceof WorkerEndedError && error.wasShared) this.retryTexts();
      },
    );
  }

  /**
   * What is in the folders now. Files that have not changed are not read; the text of those that have is indexed afterwards.
   * @throws ThreadError `cancelled`; `unreadable` when the worker cannot be had
   */
  async list(folders: readonly string[], signal?: AbortSignal): Promise<ThreadList> {
    return await this.queue.run('list', () => this.listNow(folders, signal));
  }

  /** Through all text that has been indexed; see `parseQuery`. `limit` counts threads. @throws ThreadError */
  async search(query: string, limit = 50): Promise<TextHits> {
    const { folder, clock } = this.ports;
    this.checkOpen();
    const request = { method: 'search', folder, query, limit, nowMs: clock.now() } as const;
    const hits = await this.ports.worker.use((link) => this.informed(link).call(request, Hits));
    return { hits, coverage: this.coverage };
  }

  dispose(): void {
    this.isDisposed = true;
    this.texts.dispose();
    this.retryTimer?.dispose();
    this.textsInMemory?.dispose();
    this.coverageChanged.dispose();
  }

  private async listNow(folders: readonly string[], signal: AbortSignal | undefined): Promise<ThreadList> {
    this.checkOpen();
    checkGoesOn(signal);
    this.loaded ??= this.cache.load();
    const [{ files, folders: read, problems }] = await Promise.all([scanFolders(folders), this.loaded]);
    checkGoesOn(signal);
    const nowMs = this.ports.clock.now();
    const changed = files.filter((file) => file.sizeBytes <= maxThreadBytes && !this.cache.holds(file, nowMs));
    // What is in a folder that cannot be read just now is not gone.
    const readable = folders.filter((folder) => !problems.some((problem) => problem.folder === folder));
    const gone = this.cache.goneFrom(new Set(readable), files);
    for (const file of gone) this.cache.delete(file);
    const hasChanged = changed.length + gone.length > 0;
    const isUnsettled = hasChanged && (await this.readHeads(latestFirst(changed), gone, signal));
    this.store = { files: files.filter((file) => this.mayHaveTexts(file)), folders: readable };
    if (hasChanged || this.coverage.total === 0) this.texts.touch();
    return { heads: this.headsOf(files), folders: read, problems, isUnsettled };
  }

  /** One that could not be read for the list cannot be for the search: it might end the worker again. */
  private mayHaveTexts(file: FileKey): boolean {
    return file.sizeBytes <= maxThreadBytes && this.cache.get(file)?.head?.problem === undefined;
  }

  /**
   * A file that ends the worker, because it is too much for it, is marked, and the rest is read by another one. Resolves to
   * whether a file was being written: what was known of it before stays, and the next list reads it again.
   */
  private async readHeads(
    changed: readonly FileKey[],
    gone: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    const { folder, clock } = this.ports;
    const received: StoredHead[] = [];
    const left = new Map(changed.map((file) => [file.path, file]));
    let isUnsettled = false;
    const take = (value: unknown): void => {
      for (const stored of HeadPart.parse(value)) {
        left.delete(stored.file.path);
        if (stored.head?.isBeingWritten) {
          isUnsettled = true;
          if (!this.cache.get(stored.file)) this.cache.set({ ...stored, file: { ...stored.file, mtimeMs: -1 } });
          continue;
        }
        this.cache.set(stored);
        received.push(stored);
      }
    };
    for (let deadly = 0; ; deadly++) {
      const files = [...left.values()];
      const read = this.unsaved;
      const request = { method: 'heads' as const, folder, files, read, gone: [...gone], nowMs: clock.now() };
      try {
        const asked = this.ports.worker.use((link) => this.informed(link).call(request, z.unknown(), take));
        await raceSignal(asked, signal, cancelled);
        for (const file of left.keys()) this.cache.delete(file);
        this.unsaved = [];
        return isUnsettled;
      } catch (error) {
        if (error instanceof WorkerEndedError) this.unsaved = [...read, ...received.splice(0)];
        const [file] = left.values();
        if (!(error instanceof WorkerEndedError) || this.isDisposed || !file || deadly >= maxDeadlyFiles) throw error;
        this.complain(`Reading ${file.path} ended the reader`, error);
        left.delete(file.path);
        const marked = { file, head: unreadable(file, 'Reading this thread takes more memory than there is.') };
        this.cache.set(marked);
        this.unsaved.push(marked);
      }
    }
  }

  private headsOf(files: readonly FileKey[]): readonly ThreadHead[] {
    const heads = files.flatMap((file) =>
      file.sizeBytes > maxThreadBytes
        ? unreadable(file, tooLarge(file.sizeBytes).message)
        : (this.cache.get(file)?.head ?? []),
    );
    return newestFirst(heads);
  }

  /** Resolves to what it cost. */
  private async buildTexts(): Promise<number> {
    const { clock, folder } = this.ports;
    const startedAt = clock.monotonicNow();
    const isFirst = this.coverage.total === 0;
    const onPart = (value: unknown): void => {
      this.coverage = CoveragePart.parse(value);
      this.coverageChanged.fire(this.coverage);
    };
    const request = { method: 'texts', folder } as const;
    const asked = this.ports.worker.useOnce((link) => this.informed(link).call(request, TextsBuilt, onPart));
    const { isDone, isKept } = await asked;
    this.textsInMemory?.dispose();
    this.textsInMemory = isKept || this.isDisposed ? undefined : this.ports.worker.hold();
    if (!isDone) this.retryTexts();
    // The whole store is no measure of what comes after it.
    return isFirst ? 0 : clock.monotonicNow() - startedAt;
  }

  private retryTexts(): void {
    if (!this.isDisposed) this.retryTimer = this.ports.clock.setTimer(retryTextsMs, () => this.texts.touch());
  }

  /** The worker, once it knows which files there are, for the texts: requests are answered in their order. */
  private informed(link: WorkerLink): WorkerLink {
    const { files, folders } = this.store;
    if (files.length === 0 || (this.told?.link === link && this.told.files === files)) return link;
    // What only the one before had in memory is gone with it.
    if (this.textsInMemory && this.told?.link !== link) this.texts.touch();
    this.told = { link, files };
    link.call({ method: 'know', files: [...files], folders: [...folders] }, z.unknown()).catch(() => undefined);
    return link;
  }

  private checkOpen(): void {
    if (this.isDisposed) throw new ThreadError('cancelled', 'The index of threads was closed.');
  }

  private complain(what: string, error: unknown): void {
    if (!this.isDisposed) this.ports.log.warn(`${what}: ${messageOf(error)}`);
  }
}

function unreadable({ path, sizeBytes, mtimeMs }: FileKey, problem: string): ThreadHead {
  const threadId = path.replace(/^.*[\\/]/, '').replace(/\.json$/, '');
  return problemHead({ source: 'local', threadId, path, sizeBytes, mtimeMs, nowMs: mtimeMs }, problem);
}

function latestFirst(files: readonly FileKey[]): readonly FileKey[] {
  return [...files].sort((one, other) => other.mtimeMs - one.mtimeMs);
}

function checkGoesOn(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw cancelled();
}

/** What was begun goes on in the worker, and is there the next time. */
function cancelled(): ThreadError {
  return new ThreadError('cancelled', 'The list of threads was not waited for.');
}
