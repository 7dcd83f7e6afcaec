import { KeyedQueue, type Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';
import type { Logger } from '../../../base/common/log';
import * as z from 'zod';
import type { Entry } from '../../../transcript/common/entries';
import { ThreadError, type OpenThread } from '../../common/threadPorts';
import { WorkerEndedError, WorkerLink } from './workerLink';
import { EntriesAnswer, OpenAnswer, type ThreadFile } from './workerMessages';

export interface ThreadReaderPorts {
  /** `dist/thread-index-worker.js`, absolute. */
  readonly workerFile: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** A piece of a thread that is being read; the last one comes first. */
export interface ThreadPart {
  readonly thread: Omit<OpenThread, 'entries'>;
  /** Of the whole thread. */
  readonly entryCount: number;
  /** Where `entries` begin. */
  readonly from: number;
  readonly entries: readonly Entry[];
}

export interface ReadOptions {
  /** Called at once with what a first screen needs, then with what is before it. Not called for what has not changed. */
  readonly onPart?: (part: ThreadPart) => void;
  readonly signal?: AbortSignal;
}

/** Reads threads in a worker that lives as long as any of them is open, so that a huge one keeps nobody waiting. */
export class ThreadReader implements Disposable {
  private link: WorkerLink | undefined;
  private lastId = 0;
  private readonly readings = new Set<ThreadReading>();

  constructor(private readonly ports: ThreadReaderPorts) {}

  /** The caller disposes it; nothing is read yet. */
  open(file: ThreadFile): ThreadReading {
    const reading: ThreadReading = new ThreadReading(++this.lastId, file, {
      clock: this.ports.clock,
      link: () => this.worker(),
      onClose: () => this.close(reading),
    });
    this.readings.add(reading);
    return reading;
  }

  dispose(): void {
    this.readings.clear();
    this.link?.dispose();
    this.link = undefined;
  }

  private worker(): WorkerLink {
    if (!this.link || this.link.isOver) {
      this.link = new WorkerLink(this.ports.workerFile, this.ports.log);
      this.link.start();
    }
    return this.link;
  }

  private close(reading: ThreadReading): void {
    if (!this.readings.delete(reading) || this.readings.size > 0) return;
    this.link?.dispose();
    this.link = undefined;
  }
}

interface ReadingPorts {
  readonly clock: Clock;
  readonly link: () => WorkerLink;
  readonly onClose: () => void;
}

/** One open thread, read as often as its file changes. */
export class ThreadReading implements Disposable {
  private entries: readonly Entry[] = [];
  /** Of what `entries` are; what was cut short does not count. */
  private revision = 0;
  private isClosed = false;
  private cost = 0;
  private readonly queue = new KeyedQueue();
  private readBy: WorkerLink | undefined;

  constructor(
    private readonly id: number,
    private readonly file: ThreadFile,
    private readonly ports: ReadingPorts,
  ) {}

  /** What the last reading took of a processor, in milliseconds. */
  get costMs(): number {
    return this.cost;
  }

  /** Entries that have not changed since the last reading are the same objects. @throws ThreadError */
  async read(options: ReadOptions = {}): Promise<OpenThread> {
    return await this.queue.run('read', () => this.asThreadError(() => this.readNow(options)));
  }

  /** As indented JSON; undefined when there is no such entry. @throws ThreadError */
  async rawJson(entryId: string): Promise<string | undefined> {
    return await this.queue.run('read', () =>
      this.asThreadError(async () => {
        const link = await this.linkThatRead();
        const request = { method: 'raw', thread: this.id, entryId } as const;
        return await link.call(request, z.string().optional());
      }),
    );
  }

  dispose(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    if (this.readBy && !this.readBy.isOver)
      this.readBy.call({ method: 'close', thread: this.id }, z.unknown()).catch(ignore);
    this.ports.onClose();
  }

  private async readNow({ onPart, signal }: ReadOptions): Promise<OpenThread> {
    this.checkOpen(signal);
    const link = this.ports.link();
    const { file, id, revision } = this;
    const request = { method: 'open', thread: id, file, revision, nowMs: this.ports.clock.now() } as const;
    const answer = await link.call(request, OpenAnswer);
    const { summary: thread, entryCount, kept, chunks, costMs } = answer;
    this.readBy = link;
    const startedAt = this.ports.clock.now();
    const parts: (readonly Entry[])[] = [];
    if (chunks.length === 0) onPart?.({ thread, entryCount, from: kept, entries: [] });
    for (const [from, to] of chunks) {
      this.checkOpen(signal);
      // One after another: what is asked for at once arrives at once, and blocks the host as long as one large piece.
      const entries = await link.call({ method: 'entries', thread: id, from, to }, EntriesAnswer);
      parts.push(entries);
      onPart?.({ thread, entryCount, from, entries });
    }
    this.entries = [...this.entries.slice(0, kept), ...parts.reverse().flat()];
    this.revision = answer.revision;
    this.cost = costMs + this.ports.clock.now() - startedAt;
    return { ...thread, entries: this.entries };
  }

  /** The worker forgets with its life what it has read. */
  private async linkThatRead(): Promise<WorkerLink> {
    if (!this.readBy || this.readBy.isOver) await this.readNow({});
    return this.readBy ?? this.ports.link();
  }

  private checkOpen(signal?: AbortSignal): void {
    if (this.isClosed || signal?.aborted === true) throw new ThreadError('cancelled', 'The thread was closed.');
  }

  private async asThreadError<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof WorkerEndedError)) throw error;
      if (this.isClosed) throw new ThreadError('cancelled', 'The thread was closed.', { cause: error });
      throw new ThreadError('unreadable', `The thread could not be read: ${error.message}`, { cause: error });
    }
  }
}

function ignore(): void {
  // It ended with its worker.
}
