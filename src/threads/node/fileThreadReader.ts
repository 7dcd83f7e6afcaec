import type { Clock } from '../../base/common/async';
import type { ReadFrom } from '../common/heads';
import type { MappedThread } from '../common/mapping/mapThread';
import { readThread } from '../common/readThread';
import type { OpenThread } from '../common/threadPorts';
import type { ThreadFile, ThreadReader } from '../common/threadReader';
import { readThreadFile } from './threadFile';

/** Threads that are kept for the next reading: those that somebody looks at. */
const maxKept = 2;

/** Reads threads in this very process. A large one blocks it: hosts do it in a worker. */
export class FileThreadReader implements ThreadReader {
  private readonly kept = new Map<string, MappedThread>();
  private readonly costs = new Map<string, number>();

  constructor(private readonly clock: Clock) {}

  async read(file: ThreadFile, signal?: AbortSignal): Promise<OpenThread> {
    return this.map(file, signal);
  }

  async rawJson(file: ThreadFile, entryId: string): Promise<string | undefined> {
    const thread = this.kept.get(file.path) ?? (await this.map(file));
    return thread.rawOf(entryId);
  }

  costMs(path: string): number {
    return this.costs.get(path) ?? 0;
  }

  private async map({ path, source, threadId }: ThreadFile, signal?: AbortSignal): Promise<MappedThread> {
    const startedAt = this.clock.now();
    const { json, sizeBytes, mtimeMs } = await readThreadFile(path, signal);
    const named = threadId === undefined ? {} : { threadId };
    const from: ReadFrom = { source, path, sizeBytes, mtimeMs, nowMs: this.clock.now(), ...named };
    const thread = readThread(json, from, this.kept.get(path));
    this.keep(path, thread);
    this.costs.set(path, this.clock.now() - startedAt);
    return thread;
  }

  private keep(path: string, thread: MappedThread): void {
    this.kept.delete(path);
    this.kept.set(path, thread);
    for (const oldest of this.kept.keys()) {
      if (this.kept.size <= maxKept) return;
      this.kept.delete(oldest);
      this.costs.delete(oldest);
    }
  }
}
