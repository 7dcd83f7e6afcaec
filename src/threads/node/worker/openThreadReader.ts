import { KeyedQueue, type Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';
import * as z from 'zod';
import type { Entry } from '../../../transcript/common/entries';
import { ThreadError, type ThreadWithEntries } from '../../common/threadPorts';
import type { ThreadFile } from '../../common/threadReader';
import type { ThreadWorkerOwner } from './threadWorkerOwner';
import type { WorkerConnection } from './workerConnection';
import { EntryCountAnswer, EntriesAnswer, OpenAnswer } from './threadWorkerMessages';

interface ReadOptions {
  /** Called at most once, before the first read of a longer thread is complete. Receives the last entries. */
  readonly onFirst?: ((thread: ThreadWithEntries) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface ThreadReadingDeps {
  readonly clock: Clock;
  readonly worker: Pick<ThreadWorkerOwner, 'runWithWorker'>;
}

/** Reads one open thread in a worker, and reads it again after each change of its file. */
export class OpenThreadReader implements Disposable {
  private entries: readonly Entry[] = [];
  /** The worker's revision number for `entries`. 0 before the first complete read. */
  private lastReadRevision = 0;
  private isClosed = false;
  private lastCostMs = 0;
  private readonly readQueue = new KeyedQueue();
  private lastConnection: WorkerConnection | undefined;

  /** `id` identifies this thread in requests to the worker. */
  constructor(
    private readonly id: number,
    private readonly file: ThreadFile,
    private readonly deps: ThreadReadingDeps,
  ) {}

  /** Processor time of the last read, in milliseconds. */
  get costMs(): number {
    return this.lastCostMs;
  }

  /** Reads the thread. Unchanged entries are the same objects as in the last read. @throws ThreadError */
  async read(options: ReadOptions = {}): Promise<ThreadWithEntries> {
    return await this.readQueue.run('read', () =>
      this.deps.worker.runWithWorker((connection) => this.readNow(connection, options)),
    );
  }

  /** Returns an entry's source as indented JSON. Undefined if there is no such entry. @throws ThreadError */
  async rawJson(entryId: string): Promise<string | undefined> {
    return await this.readQueue.run('read', () =>
      this.deps.worker.runWithWorker(async (connection) => {
        // A restarted worker has not loaded the thread.
        if (this.lastConnection !== connection) await this.readNow(connection, {});
        const request = { method: 'raw', thread: this.id, entryId } as const;
        return await connection.sendRequest(request, z.string().optional());
      }),
    );
  }

  dispose(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.entries = [];
    if (this.lastConnection && !this.lastConnection.hasEnded)
      this.lastConnection.sendRequest({ method: 'close', thread: this.id }, z.unknown()).catch(() => undefined);
  }

  private async readNow(connection: WorkerConnection, { onFirst, signal }: ReadOptions): Promise<ThreadWithEntries> {
    this.throwIfClosed(signal);
    const { file, id: thread, lastReadRevision: revision } = this;
    const request = { method: 'open', thread, file, revision, nowMs: this.deps.clock.now() } as const;
    const { summary, lastEntries, ...opened } = await connection.sendRequest(request, OpenAnswer);
    this.lastConnection = connection;
    this.throwIfClosed(signal);
    if (lastEntries.length > 0 && lastEntries.length < summary.head.messageCount)
      onFirst?.({ ...summary, entries: lastEntries });
    const counted = await connection.sendRequest({ method: 'count', thread }, EntryCountAnswer);
    const startedAt = this.deps.clock.monotonicNow();
    const { unchangedCount, entryCount } = counted;
    const middle = await this.fetchEntries(connection, unchangedCount, entryCount - lastEntries.length, signal);
    this.entries = [...this.entries.slice(0, unchangedCount), ...middle, ...lastEntries];
    this.lastReadRevision = opened.revision;
    this.lastCostMs = opened.costMs + counted.costMs + this.deps.clock.monotonicNow() - startedAt;
    return { ...summary, entries: this.entries };
  }

  private async fetchEntries(
    connection: WorkerConnection,
    from: number,
    end: number,
    signal?: AbortSignal,
  ): Promise<Entry[]> {
    const parts: (readonly Entry[])[] = [];
    for (let to = end; to > from;) {
      this.throwIfClosed(signal);
      // Requested one after another, because answers to parallel requests would arrive together and block the extension
      // host.
      const part = await connection.sendRequest({ method: 'entries', thread: this.id, from, to }, EntriesAnswer);
      parts.push(part.entries);
      to = part.from;
    }
    return parts.reverse().flat();
  }

  private throwIfClosed(signal?: AbortSignal): void {
    if (this.isClosed || signal?.aborted === true) throw new ThreadError('cancelled', 'The thread was closed.');
  }
}
