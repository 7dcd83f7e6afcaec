import { statSync } from 'node:fs';
import { withoutUndefined } from '../../../../base/common/withoutUndefined';
import { roughUnits } from '../../../../base/common/roughUnits';
import type { Entry } from '../../../../transcript/common/entries';
import type { MappedThread } from '../../../common/mapping/mapThread';
import { readThread } from '../../../common/mapping/readThread';
import { isFresh } from '../../../common/model/threadState';
import { ThreadError } from '../../../common/threadPorts';
import type { ThreadFile } from '../../../common/threadReader';
import { readThreadFile } from '../../files/threadFile';
import type { CountAnswer, EntriesAnswer, OpenAnswer } from '../threadWorkerMessages';

/** What the host takes in at once without anybody noticing. */
const chunkUnits = 128 * 1024;
const chunkEntries = 250;

/** As many as fill a screen, and some more. */
const firstEntries = 40;

interface HeldThread {
  readonly thread: MappedThread;
  readonly revision: number;
  /** What the host has of the reading before, until all is mapped. */
  readonly before: readonly Entry[];
}

/** The threads that somebody looks at, as they were last read. */
export class OpenThreads {
  private readonly held = new Map<number, HeldThread>();
  private lastRevision = 0;

  /** `revision` is what the host has. @throws ThreadError; what was read before stays */
  open(id: number, file: ThreadFile, revision: number, nowMs: number): OpenAnswer {
    const startedAt = performance.now();
    const known = this.held.get(id);
    const now = known && isHeld(known, file, nowMs) ? known : this.read(file, known?.thread, nowMs);
    const before = known?.revision === revision ? known.thread.entries : [];
    this.held.set(id, { ...now, before });
    const { head, facts, notes } = now.thread;
    return {
      revision: now.revision,
      summary: { head, facts, notes },
      last: before.length > 0 ? [] : chunkAtEnd(now.thread.lastEntries(firstEntries), firstEntries),
      costMs: performance.now() - startedAt,
    };
  }

  /** Maps all of it. */
  count(id: number): CountAnswer {
    const startedAt = performance.now();
    const held = this.known(id);
    const { entries } = held.thread;
    const kept = sameFromStart(held.before, entries);
    this.held.set(id, { ...held, before: [] });
    return { entryCount: entries.length, kept, costMs: performance.now() - startedAt };
  }

  /** The last ones of those from `from` to before `to`, as many as the host takes in at once, and one at least. */
  entries(id: number, from: number, to: number): EntriesAnswer {
    const entries = chunkAtEnd(this.known(id).thread.entries.slice(from, to), chunkEntries);
    return { from: to - entries.length, entries };
  }

  rawJson(id: number, entryId: string): string | undefined {
    return this.known(id).thread.rawOf(entryId);
  }

  close(id: number): void {
    this.held.delete(id);
  }

  private read({ path, source, threadId }: ThreadFile, previous: MappedThread | undefined, nowMs: number): HeldThread {
    const { json, sizeBytes, mtimeMs } = readThreadFile(path);
    const from = { source, ...withoutUndefined({ threadId }), path, sizeBytes, mtimeMs, nowMs };
    return { thread: readThread(json, from, previous), revision: ++this.lastRevision, before: [] };
  }

  private known(id: number): HeldThread {
    const held = this.held.get(id);
    if (!held) throw new ThreadError('notFound', 'This thread has not been read. Open it again.');
    return held;
  }
}

/** Its file is the same, and it has not become stale meanwhile. */
function isHeld({ thread: { head } }: HeldThread, { path }: ThreadFile, nowMs: number): boolean {
  if (head.state === 'running' && !isFresh(head.mtimeMs, nowMs)) return false;
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats?.size === head.sizeBytes && stats?.mtimeMs === head.mtimeMs;
}

function sameFromStart(before: readonly Entry[], now: readonly Entry[]): number {
  const changed = now.findIndex((entry, index) => entry !== before[index]);
  return changed < 0 ? now.length : changed;
}

/** As many from the end as the host takes in at once, `max` at most, and one at least. */
function chunkAtEnd(entries: readonly Entry[], max: number): Entry[] {
  let start = entries.length;
  for (let units = 0; start > 0 && units < chunkUnits && entries.length - start < max;)
    units += roughUnits(entries[--start]);
  return entries.slice(start);
}
