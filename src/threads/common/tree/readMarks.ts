import * as z from 'zod';
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

export interface MarksMemento {
  get(name: string): unknown;
  update(name: string, value: unknown): PromiseLike<void>;
}

const name = 'threads.read';
/** Those that were read longest ago go first. */
const maxMarks = 1000;

/** Knows which threads have grown since the user last looked at them. A store of years does not begin as unread. */
export class ReadMarks {
  private kept: { since: number | undefined; readonly seen: Map<string, Seen> } | undefined;

  constructor(
    private readonly memento: MarksMemento,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** What still runs or waits is not unread: it is not finished. */
  readonly isUnread = ({ id, messageCount, lastPromptAt, state, problem }: ThreadHead): boolean => {
    const { since, seen } = this.marks;
    if (problem !== undefined || state === 'running' || state === 'waiting' || since === undefined) return false;
    const known = seen.get(id);
    return known === undefined ? lastPromptAt > since : messageCount > known.count;
  };

  /** The list is looked at. */
  begin(nowMs: number): void {
    if (this.marks.since !== undefined) return;
    this.marks.since = nowMs;
    this.save();
  }

  /** The id of the entry that the user had come to, the last time. */
  lastSeen(threadId: string): string | undefined {
    return this.marks.seen.get(threadId)?.last;
  }

  /** The user looks at the thread, whose last entry is `last`. Whether that is news. */
  read({ id, messageCount }: ThreadHead, last: string | undefined): boolean {
    const { seen } = this.marks;
    const known = seen.get(id);
    if (known && known.count >= messageCount && known.last === last) return false;
    seen.delete(id);
    seen.set(id, { count: messageCount, last });
    this.save();
    return true;
  }

  private get marks(): { since: number | undefined; readonly seen: Map<string, Seen> } {
    if (!this.kept) {
      const { since, seen } = Kept.catch({ seen: {} }).parse(this.memento.get(name));
      this.kept = { since, seen: new Map(Object.entries(seen)) };
    }
    return this.kept;
  }

  private save(): void {
    const { since, seen } = this.marks;
    for (const id of seen.keys()) {
      if (seen.size <= maxMarks) break;
      seen.delete(id);
    }
    this.memento.update(name, { since, seen: Object.fromEntries(seen) }).then(undefined, this.onError);
  }
}
