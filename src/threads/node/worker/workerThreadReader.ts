import type { Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';
import { ThreadError, type ThreadWithEntries, type ThreadHead } from '../../common/threadPorts';
import type { ThreadFile, ThreadReader } from '../../common/threadReader';
import { OpenThreadReader } from './openThreadReader';
import { HeadAnswer } from './threadWorkerMessages';
import type { ThreadWorkerOwner } from './threadWorkerOwner';

interface WorkerThreadReaderDeps {
  readonly worker: Pick<ThreadWorkerOwner, 'runWithWorker' | 'keepAlive'>;
  readonly clock: Clock;
}

/** Number of threads that stay loaded for the next read. Threads that are being read do not count. */
const maxReadings = 4;
/** Time without a request after which all threads are unloaded. */
const idleMs = 5 * 60_000;

interface CachedReading {
  readonly reading: OpenThreadReader;
  useCount: number;
}

/** Reads threads in a worker, so that a large thread does not block the extension host. */
export class WorkerThreadReader implements ThreadReader, Disposable {
  /** Keeps the worker running as long as it has loaded threads. */
  private workerHold: Disposable | undefined;
  private lastId = 0;
  /** Loaded threads by path, the least recently used first. */
  private readonly cachedReaderByPath = new Map<string, CachedReading>();
  private idleTimer: Disposable | undefined;
  private isDisposed = false;

  constructor(private readonly deps: WorkerThreadReaderDeps) {}

  async read(
    file: ThreadFile,
    signal?: AbortSignal,
    onFirst?: (thread: ThreadWithEntries) => void,
  ): Promise<ThreadWithEntries> {
    return await this.withReader(file, (reading) => reading.read({ signal, onFirst }));
  }

  async head(file: ThreadFile): Promise<ThreadHead | undefined> {
    const request = { method: 'head', file, nowMs: this.deps.clock.now() } as const;
    return await this.deps.worker.runWithWorker((connection) => connection.sendRequest(request, HeadAnswer));
  }

  async rawJson(file: ThreadFile, entryId: string): Promise<string | undefined> {
    return await this.withReader(file, (reading) => reading.rawJson(entryId));
  }

  costMs(path: string): number {
    return this.cachedReaderByPath.get(path)?.reading.costMs ?? 0;
  }

  dispose(): void {
    this.isDisposed = true;
    this.closeAll();
  }

  private async withReader<Result>(
    file: ThreadFile,
    work: (reading: OpenThreadReader) => Promise<Result>,
  ): Promise<Result> {
    const cached = this.cachedReaderByPath.get(file.path) ?? this.createReader(file);
    this.cachedReaderByPath.delete(file.path);
    this.cachedReaderByPath.set(file.path, cached);
    cached.useCount++;
    try {
      return await work(cached.reading);
    } finally {
      cached.useCount--;
      this.evictUnused();
      this.restartIdleTimer();
    }
  }

  private createReader(file: ThreadFile): CachedReading {
    if (this.isDisposed) throw new ThreadError('cancelled', 'The threads were closed.');
    this.workerHold ??= this.deps.worker.keepAlive();
    return { reading: new OpenThreadReader(++this.lastId, file, this.deps), useCount: 0 };
  }

  private evictUnused(): void {
    for (const [path, { reading, useCount }] of this.cachedReaderByPath) {
      if (this.cachedReaderByPath.size <= maxReadings) return;
      if (useCount > 0) continue;
      this.cachedReaderByPath.delete(path);
      reading.dispose();
    }
  }

  private restartIdleTimer(): void {
    this.idleTimer?.dispose();
    if (this.isDisposed) return;
    this.idleTimer = this.deps.clock.setTimer(idleMs, () => {
      if ([...this.cachedReaderByPath.values()].every(({ useCount }) => useCount === 0)) this.closeAll();
    });
  }

  private closeAll(): void {
    this.idleTimer?.dispose();
    for (const { reading } of this.cachedReaderByPath.values()) reading.dispose();
    this.cachedReaderByPath.clear();
    this.workerHold?.dispose();
    this.workerHold = undefined;
  }
}
