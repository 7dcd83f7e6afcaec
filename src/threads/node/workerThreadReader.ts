import type { Disposable } from '../../base/common/disposable';
import type { OpenThread } from '../common/threadPorts';
import type { ThreadFile, ThreadReader } from '../common/threadReader';
import type { ThreadReader as ThreadWorker, ThreadReading } from './index/threadReader';

/** Threads that are kept for the next reading: those that somebody looks at, and a few more. */
const maxKept = 6;

/** Reads threads in a worker, so that a huge one keeps nobody waiting. */
export class WorkerThreadReader implements ThreadReader, Disposable {
  /** By path, the one used last at the end. */
  private readonly readings = new Map<string, { readonly reading: ThreadReading; busy: number }>();

  constructor(private readonly worker: ThreadWorker) {}

  async read(file: ThreadFile, signal?: AbortSignal): Promise<OpenThread> {
    return await this.withReading(file, (reading) => reading.read(signal ? { signal } : {}));
  }

  async rawJson(file: ThreadFile, entryId: string): Promise<string | undefined> {
    return await this.withReading(file, (reading) => reading.rawJson(entryId));
  }

  costMs(path: string): number {
    return this.readings.get(path)?.reading.costMs ?? 0;
  }

  dispose(): void {
    for (const { reading } of this.readings.values()) reading.dispose();
    this.readings.clear();
    this.worker.dispose();
  }

  private async withReading<Result>(
    file: ThreadFile,
    work: (reading: ThreadReading) => Promise<Result>,
  ): Promise<Result> {
    const kept = this.readings.get(file.path) ?? { reading: this.worker.open(file), busy: 0 };
    this.readings.delete(file.path);
    this.readings.set(file.path, kept);
    kept.busy++;
    try {
      return await work(kept.reading);
    } finally {
      kept.busy--;
      this.tidy();
    }
  }

  private tidy(): void {
    for (const [path, { reading, busy }] of this.readings) {
      if (this.readings.size <= maxKept) return;
      if (busy > 0) continue;
      this.readings.delete(path);
      reading.dispose();
    }
  }
}
