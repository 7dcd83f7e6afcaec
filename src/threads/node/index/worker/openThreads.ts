import { statSync } from 'node:fs';
import type { Entry } from '../../../../transcript/common/entries';
import type { MappedThread } from '../../../common/mapping/mapThread';
import { readThread } from '../../../common/readThread';
import { ThreadError } from '../../../common/threadPorts';
import type { OpenAnswer, ThreadFile } from '../workerMessages';
import { readDocument } from './threadDocument';

/** What the host takes in at once without anybody noticing. */
const chunkUnits = 128 * 1024;
const chunkEntries = 250;

/** A file that has not changed is not read again for so long; then a thread that ran may be stale. */
const heldForMs = 60_000;

interface HeldThread {
  readonly thread: MappedThread;
  readonly revision: number;
  readonly readAt: number;
}

/** The threads that somebody looks at, as they were last read. */
export class OpenThreads {
  private readonly held = new Map<number, HeldThread>();
  private lastRevision = 0;

  /** `revision` is what the host has. @throws ThreadError; what was read before stays */
  open(id: number, file: ThreadFile, revision: number, nowMs: number): OpenAnswer {
    const startedAt = performance.now();
    const before = this.held.get(id);
    const now = before && isHeld(before, file, nowMs) ? before : this.read(file, before?.thread, nowMs);
    this.held.set(id, now);
    const { head, facts, notes, entries } = now.thread;
    const kept = before?.revision === revision ? sameFromStart(before.thread.entries, entries) : 0;
    return {
      revision: now.revision,
      summary: { head, facts, notes },
      entryCount: entries.length,
      kept,
      chunks: chunksOf(entries, kept),
      costMs: performance.now() - startedAt,
    };
  }

  entries(id: number, from: number, to: number): Entry[] {
    return this.known(id).entries.slice(from, to);
  }

  rawJson(id: number, entryId: string): string | undefined {
    return this.known(id).rawOf(entryId);
  }

  close(id: number): void {
    this.held.delete(id);
  }

  private read({ path, source, threadId }: ThreadFile, previous: MappedThread | undefined, nowMs: number): HeldThread {
    const { document, sizeBytes, mtimeMs } = readDocument(path);
    const from = { source, ...(threadId === undefined ? {} : { threadId }), path, sizeBytes, mtimeMs, nowMs };
    return { thread: readThread(document, from, previous), revision: ++this.lastRevision, readAt: nowMs };
  }

  private known(id: number): MappedThread {
    const thread = this.held.get(id)?.thread;
    if (!thread) throw new ThreadError('notFound', 'This thread has not been read. Open it again.');
    return thread;
  }
}

function isHeld({ thread: { head }, readAt }: HeldThread, { path }: ThreadFile, nowMs: number): boolean {
  if (nowMs - readAt > heldForMs) return false;
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats?.size === head.sizeBytes && stats?.mtimeMs === head.mtimeMs;
}

function sameFromStart(before: readonly Entry[], now: readonly Entry[]): number {
  const changed = now.findIndex((entry, index) => entry !== before[index]);
  return changed < 0 ? now.length : changed;
}

/** From the end to `first`. */
function chunksOf(entries: readonly Entry[], first: number): [number, number][] {
  const chunks: [number, number][] = [];
  let to = entries.length;
  let units = 0;
  for (let from = to - 1; from >= first; from--) {
    units += unitsOf(entries[from]);
    if (from > first && units < chunkUnits && to - from < chunkEntries) continue;
    chunks.push([from, to]);
    to = from;
    units = 0;
  }
  return chunks;
}

/** About how much text is in it. */
function unitsOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 8;
  let units = 16;
  for (const item of Object.values(value)) units += unitsOf(item);
  return units;
}
