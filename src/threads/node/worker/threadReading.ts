import { KeyedQueue, type Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';
import * as z from 'zod';
import type { Entry } from '../../../transcript/common/entries';
import { ThreadError, type OpenThread } from '../../common/threadPorts';
import type { ThreadFile } from '../../common/threadReader';
import type { ThreadWorkerOwner } from './threadWorkerOwner';
import type { WorkerLink } from './workerLink';
import { CountAnswer, EntriesAnswer, OpenAnswer } from './threadWorkerMessages';

interface ReadOptions {
  /** Called once with the last entries of a thread of which nothing is here yet, when there are more. */
  readonly onFirst?: ((thread: OpenThread) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface ReadingPorts {
  readonly clock: Clock;
  readonly worker: Pick<ThreadWorkerOwner, 'use'>;
}

/** One open thread, read in a worker as often as its file changes. */
export class ThreadReading implements Disposable {
  private entries: readonly Entry[] = [];
  /** Of what `entries` are; what was cut short does not count. */
  private revision = 0;
  private isClosed = false;
  private cost = 0;
  private readonly queue = new KeyedQueue();
  private readBy: WorkerLink | undefined;

  /** `id` is its own among those of a worker. */
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
    return await this.queue.run('read', () => this.ports.worker.use((link) => this.readNow(link, options)));
  }

  /** As indented JSON; undefined when there is no such entry. @throws ThreadError */
  async rawJson(entryId: string): Promise<string | undefined> {
    return await this.queue.run('read', () =>
      this.ports.worker.use(async (link) => {
        // A worker forgets with its life what it has read.
        if (this.readBy !== link) await this.readNow(link, {});
        const request = { method: 'raw', thread: this.id, entryId } as const;
        return await link.call(request, z.string().optional());
      }),
    );
  }

  dispose(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.entries = [];
    if (this.readBy && !this.readBy.isOver)
      this.readBy.call({ method: 'close', thread: this.id }, z.unknown()).catch(ignore);
  }

  private async readNow(link: WorkerLink, { onFirst, signal }: ReadOptions): Promise<OpenThread> {
    this.checkOpen(signal);
    const { file, id: thread, revision } = this;
    const request = { method: 'open', thread, file, revision, nowMs: this.ports.clock.now() } as const;
    const { summary, last, ...opened } = await link.call(request, OpenAnswer);
    this.readBy = link;
    this.checkOpen(signal);
    if (last.length > 0 && last.length < summary.head.messageCount) onFirst?.({ ...summary, entries: last });
    const counted = await link.call({ method: 'count', thread }, CountAnswer);
    const startedAt = this.ports.clock.monotonicNow();
    const middle = await this.entriesBetween(link, counted.kept, counted.entryCount - last.length, signal);
    this.entries = [...this.entries.slice(0, counted.kept), ...middle, ...last];
    this.revision = opened.revision;
    this.cost = opened.costMs + counted.costMs + this.ports.clock.monotonicNow() - startedAt;
    return { ...summary, entries: this.entries };
  }

  private async entriesBetween(link: WorkerLink, from: number, end: number, signal?: AbortSignal): Promise<Entry[]> {
    const parts: (readonly Entry[])[] = [];
    for (let to = end; to > from;) {
      this.checkOpen(signal);
      // One after another: what is asked for at once arrives at once, and blocks the host as long as one large piece.
      const part = await link.call({ method: 'entries', thread: this.id, from, to }, EntriesAnswer);
      parts.push(part.entries);
      to = part.from;
    }
    return parts.reverse().flat();
  }

  private checkOpen(signal?: AbortSignal): void {
    if (this.isClosed || signal?.aborted === true) throw new ThreadError('cancelled', 'The thread was closed.');
  }
}

function ignore(): void {
  // It ended with its worker.
}
