import * as z from 'zod';
import type { Memento } from '../../../base/common/memento';
import type { ThreadHead } from '../threadPorts';

const Kept = z.object({
  /** When the list was first looked at: what is older counts as read. Milliseconds since the epoch. */
  since: z.number().optional(),
  seen: z.record(z.string(), z.object({ count: z.number(), last: z.string().optional() })),
});

/** What the user has seen of a thread. */
interface Seen {
  /** Of messages. */
  readonly count: number;
  /** The entry that was the last one then. */
  readonly last?: string | undefined;
}

interface Marks {
  readonly since: number | undefined;
  /** By the id of the thread, the one that was read longest ago first. */
  readonly seen: Map<string, Seen>;
}

const name = 'threads.read';
/** Those that were read longest ago go first. */
const maxMarks = 1000;

/**
 * Knows which threads have grown since the user last looked at them. A store of years does not begin as unread. Several
 * windows keep their marks in one place: what another one has kept there is taken in before more is.
 */
export class ReadMarks {
  private kept: Marks | undefined;

  constructor(
    private readonly memento: Memento,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** What still runs or waits is not unread: it is not finished. */
  readonly isUnread = ({ id, messageCount, lastPromptAt, state, problem }: ThreadHead): boolean => {
    const { since, seen } = this.marks;
    if (problem !== undefined || state === 'running' || state === 'waiting' || since === undefined) return false;
    const known = seen.get(id);
    return known === undefined ? lastPromptAt >= since : messageCount > known.count;
  };

  /** The list is looked at. */
  begin(nowMs: number): void {
    if (this.marks.since !== undefined) return;
    const { since = nowMs, seen } = this.merged();
    this.save({ since, seen });
  }

  /** The id of the entry that the user had come to, the last time. */
  lastSeen(threadId: string): string | undefined {
    return this.marks.seen.get(threadId)?.last;
  }

  /** The user looks at the thread, whose last entry is `last`. Whether that is news. */
  read({ id, messageCount }: ThreadHead, last: string | undefined): boolean {
    const known = this.marks.seen.get(id);
    if (known && known.count >= messageCount && known.last === last) return false;
    const { since, seen } = this.merged();
    const other = seen.get(id);
    const isSeenElsewhere = other && other !== known && other.count > messageCount;
    seen.delete(id);
    seen.set(id, isSeenElsewhere ? other : { count: messageCount, last });
    this.save({ since, seen });
    return true;
  }

  private get marks(): Marks {
    this.kept ??= this.stored();
    return this.kept;
  }

  private stored(): Marks {
    const { since, seen } = Kept.catch({ seen: {} }).parse(this.memento.get(name));
    return { since, seen: new Map(Object.entries(seen)) };
  }

  /** With what other windows have kept since: of a thread that both know, who saw more. */
  private merged(): Marks {
    const [mine, theirs] = [this.marks, this.stored()];
    const onlyMine = [...mine.seen].filter(([id]) => !theirs.seen.has(id));
    const both = [...theirs.seen].map(([id, seen]) => [id, moreOf(mine.seen.get(id), seen)] as const);
    return { since: theirs.since ?? mine.since, seen: new Map([...onlyMine, ...both]) };
  }

  private save(marks: Marks): void {
    this.kept = marks;
    const { since, seen } = marks;
    for (const id of seen.keys()) {
      if (seen.size <= maxMarks) break;
      seen.delete(id);
    }
    this.memento.update(name, { since, seen: Object.fromEntries(seen) }).then(undefined, this.onError);
  }
}

function moreOf(mine: Seen | undefined, theirs: Seen): Seen {
  return mine && mine.count >= theirs.count ? mine : theirs;
}
