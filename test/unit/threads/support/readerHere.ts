import type { Entry } from '../../../../src/transcript/common/entries';
import type { ThreadWithEntries, ThreadHead } from '../../../../src/threads/common/threadPorts';
import type { ThreadFile, ThreadReader } from '../../../../src/threads/common/threadReader';
import { readHead } from '../../../../src/threads/node/worker/program/headReader';
import { OpenThreads } from '../../../../src/threads/node/worker/program/openThreads';
import { toThreadError } from '../../../../src/threads/node/files/threadFile';
import { IncrementalThreadFileReader } from '../../../../src/threads/node/files/incrementalThreadFileReader';

/** What the worker does, without a worker: each file is one of its open threads. */
export class ReaderHere implements ThreadReader {
  private readonly files = new IncrementalThreadFileReader();
  private readonly threads = new OpenThreads(this.files);
  private readonly ids = new Map<string, number>();

  read(file: ThreadFile, signal?: AbortSignal): Promise<ThreadWithEntries> {
    return Promise.resolve().then(() => {
      if (signal?.aborted === true) throw toThreadError(signal.reason, signal);
      const id = this.idOf(file);
      const { summary } = this.threads.open(id, file, 0, Date.now());
      const { entryCount } = this.threads.takeEntryCounts(id);
      return { ...summary, entries: this.allOf(id, entryCount) };
    });
  }

  head(file: ThreadFile): Promise<ThreadHead | undefined> {
    return Promise.resolve(readHead(this.files, file, Date.now()));
  }

  async rawJson(file: ThreadFile, entryId: string): Promise<string | undefined> {
    await this.read(file);
    return this.threads.rawJson(this.idOf(file), entryId);
  }

  costMs(): number {
    return 0;
  }

  private allOf(id: number, entryCount: number): readonly Entry[] {
    const parts: (readonly Entry[])[] = [];
    for (let to = entryCount; to > 0;) {
      const { from, entries } = this.threads.entries(id, 0, to);
      parts.unshift(entries);
      to = from;
    }
    return parts.flat();
  }

  private idOf({ path }: ThreadFile): number {
    const id = this.ids.get(path) ?? this.ids.size + 1;
    this.ids.set(path, id);
    return id;
  }
}
