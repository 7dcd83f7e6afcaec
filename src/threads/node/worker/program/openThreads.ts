import { statSync } from 'node:fs';
import { withoutUndefined } from '../../../../base/common/withoutUndefined';
import type { Disposable } from '../../../../base/common/disposable';
import { approximateUtf16Units } from '../../../../base/common/text/approximateUtf16Units';
import type { Entry } from '../../../../transcript/common/entries';
import type { MappedThread } from '../../../common/mapping/mapThread';
import { mapThreadJson } from '../../../common/mapping/mapThreadJson';
import { isRecentlyWritten } from '../../../common/model/threadState';
import { ThreadError } from '../../../common/threadPorts';
import type { ThreadFile } from '../../../common/threadReader';
import type { IncrementalThreadFileReader } from '../../files/incrementalThreadFileReader';
import type { EntryCountAnswer, EntriesAnswer, OpenAnswer } from '../threadWorkerMessages';

/**
 * Maximum size of one message to the extension host, in UTF-16 units, so that receiving it causes no noticeable delay.
 */
const chunkUnits = 128 * 1024;
const chunkEntries = 250;

/** Number of entries that are sent first. They more than fill a screen. */
const firstEntries = 40;

interface ReadThread {
  readonly thread: MappedThread;
  readonly revision: number;
}

interface LoadedThread extends ReadThread {
  /** Keeps the thread's file in the cache until disposed. */
  readonly file: Disposable;
  /**
   * The entries that the extension host has from the previous read. Needed only once, by `takeEntryCounts`, which drops
   * them to free memory.
   */
  readonly hostEntries: readonly Entry[];
}

/** Keeps the last state of the threads that the extension host has open. */
export class OpenThreads {
  private readonly threadById = new Map<number, LoadedThread>();
  private lastRevision = 0;

  constructor(private readonly fileReader: IncrementalThreadFileReader) {}

  /**
   * Reads a thread. `revision` is the one that the extension host already has, so that unchanged entries are not sent
   * again. If reading fails, keeps the previous state. @throws ThreadError
   */
  open(id: number, file: ThreadFile, revision: number, nowMs: number): OpenAnswer {
    const startedAt = performance.now();
    const known = this.threadById.get(id);
    const kept = known?.file ?? this.fileReader.keep(file.path);
    let current: ReadThread;
    try {
      current = known && isUnchanged(known, file, nowMs) ? known : this.read(file, known?.thread, nowMs);
    } catch (error) {
      if (!known) kept.dispose();
      throw error;
    }
    const hostEntries = known?.revision === revision ? known.thread.entries : [];
    this.threadById.set(id, { ...current, hostEntries, file: kept });
    const { head, facts, notes } = current.thread;
    return {
      revision: current.revision,
      summary: { head, facts, notes },
      lastEntries: hostEntries.length > 0 ? [] : lastChunk(current.thread.lastEntries(firstEntries), firstEntries),
      costMs: performance.now() - startedAt,
    };
  }

  /**
   * Maps the whole thread. Counts its entries, and those at its start that the extension host already has. Call once after
   * `open`: later calls count no entry as unchanged.
   */
  takeEntryCounts(id: number): EntryCountAnswer {
    const startedAt = performance.now();
    const loaded = this.requireThread(id);
    const { entries } = loaded.thread;
    const unchangedCount = commonStart(loaded.hostEntries, entries);
    this.threadById.set(id, { ...loaded, hostEntries: [] });
    return { entryCount: entries.length, unchangedCount, costMs: performance.now() - startedAt };
  }

  /**
   * Returns the last entries between `from` (inclusive) and `to` (exclusive). At least one entry, and at most as many
   * as one message can contain.
   */
  entries(id: number, from: number, to: number): EntriesAnswer {
    const entries = lastChunk(this.requireThread(id).thread.entries.slice(from, to), chunkEntries);
    return { from: to - entries.length, entries };
  }

  rawJson(id: number, entryId: string): string | undefined {
    return this.requireThread(id).thread.rawJsonOf(entryId);
  }

  close(id: number): void {
    this.threadById.get(id)?.file.dispose();
    this.threadById.delete(id);
  }

  private read({ path, source, threadId }: ThreadFile, previous: MappedThread | undefined, nowMs: number): ReadThread {
    const { json, sizeBytes, mtimeMs } = this.fileReader.read(path);
    const from = { source, ...withoutUndefined({ threadId }), path, sizeBytes, mtimeMs, nowMs };
    return { thread: mapThreadJson(json, from, previous), revision: ++this.lastRevision };
  }

  private requireThread(id: number): LoadedThread {
    const loaded = this.threadById.get(id);
    if (!loaded) throw new ThreadError('notFound', 'This thread is not loaded. Open it again.');
    return loaded;
  }
}

/** Whether the file is unchanged and the thread has not become stale. */
function isUnchanged({ thread: { head } }: ReadThread, { path }: ThreadFile, nowMs: number): boolean {
  if (head.state === 'running' && !isRecentlyWritten(head.mtimeMs, nowMs)) return false;
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats?.size === head.sizeBytes && stats?.mtimeMs === head.mtimeMs;
}

/** Returns the number of identical objects at the start of both lists. */
function commonStart(before: readonly Entry[], after: readonly Entry[]): number {
  const changed = after.findIndex((entry, index) => entry !== before[index]);
  return changed < 0 ? after.length : changed;
}

/** Returns at least one and at most `max` entries from the end, as many as one message can contain. */
function lastChunk(entries: readonly Entry[], max: number): Entry[] {
  let start = entries.length;
  for (let units = 0; start > 0 && units < chunkUnits && entries.length - start < max;)
    units += approximateUtf16Units(entries[--start]);
  return entries.slice(start);
}
