import { roughUnits } from '../../base/common/roughUnits';
import { watchGrammar } from './normalize/grammarWatch';
import { SessionNormalizer, type NormalizerOptions } from './normalize/normalizeSession';
import type { SessionEvent } from './sessionEvents';
import type { SequencedEvent } from './sessionBackend';

export interface EventLogLimits {
  /** Default 50,000. */
  readonly maxEvents?: number;
  /** Of the strings in the events, roughly, in UTF-16 units; default 32 Mi, which is 64 MiB. */
  readonly maxUnits?: number;
}

type EventLogOptions = EventLogLimits & NormalizerOptions;

/** How many events a reader gets at a stretch before it lets others run. */
const stretch = 256;

/**
 * The events of a session in the normal form, numbered from 1. Any number of readers follow it, each at its own pace: a slow one holds
 * nothing but its place, and continues with the oldest event kept when its own has been dropped.
 */
export class EventLog {
  private readonly maxEvents: number;
  private readonly maxUnits: number;
  private kept: (SessionEvent | undefined)[] = [];
  /** Of each event in `kept`, in units. */
  private sizes: number[] = [];
  /** How many places at the front of `kept` are empty; they are cut off in blocks. */
  private dropped = 0;
  private firstSequence = 1;
  private units = 0;
  private ended = false;
  private readonly waiting = new Set<() => void>();
  private readonly normalizer: SessionNormalizer;
  private readonly watch = watchGrammar();

  /** `breathe` lets other work run; it is awaited now and then while a reader catches up. */
  constructor(
    private readonly breathe: () => Promise<void>,
    { maxEvents = 50_000, maxUnits = 32 * 1024 * 1024, ...how }: EventLogOptions = {},
  ) {
    this.normalizer = new SessionNormalizer((event) => this.keep(event), how);
    this.maxEvents = maxEvents;
    this.maxUnits = maxUnits;
  }

  /** Adds what the event is in the normal form of a session: often itself. After the end nothing is added. */
  append(event: SessionEvent): void {
    if (!this.ended) this.normalizer.normalize(event);
  }

  private keep(event: SessionEvent): void {
    this.watch?.(event);
    const units = roughUnits(event.data);
    this.kept.push(event);
    this.sizes.push(units);
    this.units += units;
    // The newest event stays, however large it is.
    while (this.count > 1 && (this.count > this.maxEvents || this.units > this.maxUnits)) this.dropOldest();
    this.wake();
  }

  /** Readers get what is left and end. */
  end(): void {
    this.ended = true;
    this.wake();
  }

  async *read({ afterSequence = 0, signal }: { afterSequence?: number; signal?: AbortSignal } = {}): AsyncGenerator<
    SequencedEvent,
    void,
    undefined
  > {
    let next = afterSequence + 1;
    let given = 0;
    while (!signal?.aborted) {
      next = Math.max(next, this.firstSequence);
      const event = this.kept[this.dropped + next - this.firstSequence];
      if (event) {
        yield { sequence: next, event };
        next++;
        if (++given % stretch === 0) await this.breathe();
      } else if (this.ended) {
        return;
      } else {
        await this.change(signal);
      }
    }
  }

  private get count(): number {
    return this.kept.length - this.dropped;
  }

  private dropOldest(): void {
    this.units -= this.sizes[this.dropped] ?? 0;
    this.kept[this.dropped] = undefined;
    this.dropped++;
    this.firstSequence++;
    // Seldom enough that the copying costs next to nothing per event.
    if (this.dropped < this.kept.length / 4) return;
    this.kept = this.kept.slice(this.dropped);
    this.sizes = this.sizes.slice(this.dropped);
    this.dropped = 0;
  }

  private change(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.waiting.delete(done);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      this.waiting.add(done);
      signal?.addEventListener('abort', done, { once: true });
    });
  }

  private wake(): void {
    if (this.waiting.size === 0) return;
    for (const resume of [...this.waiting]) resume();
  }
}
