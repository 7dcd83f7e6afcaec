import type { Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';
import { ThreadError, type OpenThread, type ThreadHead } from '../../common/threadPorts';
import type { ThreadFile, ThreadReader } from '../../common/threadReader';
import { ThreadReading } from './threadReading';
import { HeadAnswer } from './threadWorkerMessages';
import type { ThreadWorkerOwner } from './threadWorkerOwner';

interface ThreadReaderPorts {
  readonly worker: Pick<ThreadWorkerOwner, 'use' | 'hold'>;
  readonly clock: Clock;
}

/** Threads that are kept for the next reading: those that somebody looks at, and a few more. */
const maxKept = 4;
/** What nobody has asked for in all this time is forgotten. */
const idleMs = 5 * 60_000;

interface Kept {
  readonly reading: ThreadReading;
  busy: number;
}

/** Reads threads in a worker, so that a huge one keeps nobody waiting. */
export class WorkerThreadReader implements ThreadReader, Disposable {
  /** Of the worker, which has what was read. */
  private hold: Disposable | undefined;
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
    const request = { method: 'head', file, nowMs: this.ports.clock.now() } as const;
    return await this.ports.worker.use((link) => link.call(request, HeadAnswer));
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
    if (this.isDisposed) throw new ThreadError('cancelled', 'The threads were closed.');
    this.hold ??= this.ports.worker.hold();
    return { reading: new ThreadReading(++this.lastId, file, this.ports), busy: 0 };
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
      if ([...this.readings.values()].every(({ busy }) => busy === 0)) this.forget();
    });
  }

  private forget(): void {
    this.idleTimer?.dispose();
    for (const { reading } of this.readings.values()) reading.dispose();
    this.readings.clear();
    this.hold?.dispose();
    this.hold = undefined;
  }
}
