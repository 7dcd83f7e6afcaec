import type { Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';
import { messageOf } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';
import { ThreadError, type OpenThread, type ThreadHead } from '../../common/threadPorts';
import type { ThreadFile, ThreadReader } from '../../common/threadReader';
import { ThreadReading } from './threadReading';
import { WorkerEndedError, WorkerLink } from './workerLink';
import { HeadAnswer } from './threadWorkerMessages';

interface ThreadReaderPorts {
  /** `dist/thread-index-worker.js`, absolute. */
  readonly workerFile: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Threads that are kept for the next reading: those that somebody looks at, and a few more. */
const maxKept = 4;
/** What nobody has asked for in all this time is forgotten, and the worker with it. */
const idleMs = 5 * 60_000;

interface Kept {
  readonly reading: ThreadReading;
  busy: number;
}

/** Reads threads in a worker, so that a huge one keeps nobody waiting. It starts with the first reading. */
export class WorkerThreadReader implements ThreadReader, Disposable {
  private link: WorkerLink | undefined;
  private lastId = 0;
  /** By path, the one used last at the end. */
  private readonly readings = new Map<string, Kept>();
  private idleTimer: Disposable | undefined;
  private isDisposed = false;

  constructor(private readonly ports: ThreadReaderPorts) {}

  async read(file: ThreadFile, signal?: AbortSignal, onFirst?: (thread: OpenThread) => void): Promise<OpenThread> {
    return await this.withReading(file, (reading) => reading.read({ signal, onFirst }));
  }

  async head(file: ThreadFile): Promise<ThreadHead | undefined> {
    try {
      return await this.worker().call({ method: 'head', file, nowMs: this.ports.clock.now() }, HeadAnswer);
    } catch (error) {
      if (!(error instanceof WorkerEndedError)) throw error;
      throw new ThreadError('unreadable', `The thread could not be read: ${messageOf(error)}`, { cause: error });
    } finally {
      this.rest();
    }
  }

  async rawJson(file: ThreadFile, entryId: string): Promise<string | undefined> {
    return await this.withReading(file, (reading) => reading.rawJson(entryId));
  }

  costMs(path: string): number {
    return this.readings.get(path)?.reading.costMs ?? 0;
  }

  dispose(): void {
    this.isDisposed = true;
    this.forget();
  }

  private async withReading<Result>(
    file: ThreadFile,
    work: (reading: ThreadReading) => Promise<Result>,
  ): Promise<Result> {
    const kept = this.readings.get(file.path) ?? this.open(file);
    this.readings.delete(file.path);
    this.readings.set(file.path, kept);
    kept.busy++;
    try {
      return await work(kept.reading);
    } finally {
      kept.busy--;
      this.tidy();
      this.rest();
    }
  }

  private open(file: ThreadFile): Kept {
    const ports = { clock: this.ports.clock, link: () => this.worker() };
    return { reading: new ThreadReading(++this.lastId, file, ports), busy: 0 };
  }

  private worker(): WorkerLink {
    if (this.isDisposed) throw new ThreadError('cancelled', 'The reader of threads was closed.');
    if (!this.link || this.link.isOver) {
      this.link = new WorkerLink(this.ports.workerFile, this.ports.log);
      this.link.start();
    }
    return this.link;
  }

  private tidy(): void {
    for (const [path, { reading, busy }] of this.readings) {
      if (this.readings.size <= maxKept) return;
      if (busy > 0) continue;
      this.readings.delete(path);
      reading.dispose();
    }
  }

  private rest(): void {
    this.idleTimer?.dispose();
    if (this.isDisposed) return;
    this.idleTimer = this.ports.clock.setTimer(idleMs, () => {
      if (this.link?.isBusy !== true) this.forget();
    });
  }

  private forget(): void {
    this.idleTimer?.dispose();
    for (const { reading } of this.readings.values()) reading.dispose();
    this.readings.clear();
    this.link?.dispose();
    this.link = undefined;
  }
}
