import * as z from 'zod';
import type { Memento } from '../../../base/common/memento';
import type { ThreadHead } from '../threadPorts';

const StoredMarks = z.object({
  /** When the user first viewed the list, in milliseconds since the epoch. Older threads count as read. */
  since: z.number().optional(),
  seen: z.record(z.string(), z.object({ count: z.number(), last: z.string().optional() })),
});

interface ReadMark {
  /** Number of messages that the user has seen. */
  readonly count: number;
  /** Id of the last entry that the user has seen. */
  readonly last?: string | undefined;
}

interface Marks {
  readonly since: number | undefined;
  /** Marks by thread id, least recently read first. */
  readonly seen: Map<string, ReadMark>;
}

const storageKey = 'threads.read';
const maxMarks = 1000;

/**
 * Stores how much of each thread the user has read. Threads from before the first use count as read. All windows share
 * the stored marks. They merge them before writing.
 */
export class ReadMarks {
  private cachedMarks: Marks | undefined;

  constructor(
    private readonly memento: Memento,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** A thread that is running or waiting is not finished, so it is never unread. */
  readonly isUnread = ({ id, messageCount, lastPromptAt, state, problem }: ThreadHead): boolean => {
    const { since, seen } = this.marks;
    if (problem !== undefined || state === 'running' || state === 'waiting' || since === undefined) return false;
    const known = seen.get(id);
    return known === undefined ? lastPromptAt >= since : messageCount > known.count;
  };

  /** Call when the user views the list. */
  startTracking(nowMs: number): void {
    if (this.marks.since !== undefined) return;
    const { since = nowMs, seen } = this.mergedMarks();
    this.save({ since, seen });
  }

  /** Returns the id of the last entry that the user has seen. */
  lastSeenEntryId(threadId: string): string | undefined {
    return this.marks.seen.get(threadId)?.last;
  }

  /** Marks a thread as read until the entry with the id `last`. Returns whether anything was unread. */
  markRead({ id, messageCount }: ThreadHead, lastEntryId: string | undefined): boolean {
    const known = this.marks.seen.get(id);
    if (known && known.count >= messageCount && known.last === lastEntryId) return false;
    const { since, seen } = this.mergedMarks();
    const stored = seen.get(id);
    const hasSeenMoreElsewhere = stored && stored !== known && stored.count > messageCount;
    seen.delete(id);
    seen.set(id, hasSeenMoreElsewhere ? stored : { count: messageCount, last: lastEntryId });
    this.save({ since, seen });
    return true;
  }

  private get marks(): Marks {
    this.cachedMarks ??= this.loadMarks();
    return this.cachedMarks;
  }

  private loadMarks(): Marks {
    const { since, seen } = StoredMarks.catch({ seen: {} }).parse(this.memento.get(storageKey));
    return { since, seen: new Map(Object.entries(seen)) };
  }

  /** Merges the marks with those that other windows have stored in the meantime. The mark with more messages wins. */
  private mergedMarks(): Marks {
    const [mine, theirs] = [this.marks, this.loadMarks()];
    const onlyMine = [...mine.seen].filter(([id]) => !theirs.seen.has(id));
    const both = [...theirs.seen].map(([id, seen]) => [id, newerMark(mine.seen.get(id), seen)] as const);
    return { since: theirs.since ?? mine.since, seen: new Map([...onlyMine, ...both]) };
  }

  private save(marks: Marks): void {
    this.cachedMarks = marks;
    const { since, seen } = marks;
    for (const id of seen.keys()) {
      if (seen.size <= maxMarks) break;
      seen.delete(id);
    }
    this.memento.update(storageKey, { since, seen: Object.fromEntries(seen) }).then(undefined, this.onError);
  }
}

function newerMark(mine: ReadMark | undefined, theirs: ReadMark): ReadMark {
  return mine && mine.count >= theirs.count ? mine : theirs;
}
