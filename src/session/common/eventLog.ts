import { roughUnits } from '../../base/common/roughUnits';
import { watchGrammar } from './normalize/grammarWatch';
import { SessionNormalizer, type NormalizerOptions } from './normalize/normalizeSession';
import type { SessionEvent } from './sessionEvents';
import type { SequencedEvent } from './sessionBackend';

export interface EventLogLimits {
  /** Default 50,000. */
  readonly maxEvents?: number;
  /** Approximate length of all strings in the events, in UTF-16 units; default 32 Mi, which is 64 MiB. */
  readonly maxUnits?: number;
}

type EventLogOptions = EventLogLimits & NormalizerOptions;

/** Number of events that a reader gets before it yields to other tasks. */
const eventsPerYield = 256;

/**
 * The normalized events of a session, numbered from 1, for any number of readers. Each reader only holds a position. If
 * its next event was dropped, it continues with the oldest one kept.
 */
export class EventLog {
  private readonly maxEvents: number;
  private readonly maxUnits: number;
  private kept: (SessionEvent | undefined)[] = [];
  /** Approximate size of each event in `kept`, in UTF-16 units. */
  private sizes: number[] = [];
  /** Number of empty slots at the front of `kept`, which are removed in blocks. */
  private dropped = 0;
  private firstSequence = 1;
  private units = 0;
  private ended = false;
  private readonly waiting = new Set<() => void>();
  private readonly normalizer: SessionNormalizer;
  private readonly watch = watchGrammar();

  /** `breathe` yields to other tasks while a reader catches up. */
  constructor(
    private readonly breathe: () => Promise<void>,
    { maxEvents = 50_000, maxUnits = 32 * 1024 * 1024, ...how }: EventLogOptions = {},
  ) {
    this.normalizer = new SessionNormalizer((event) => this.keep(event), how);
    this.maxEvents = maxEvents;
    this.maxUnits = maxUnits;
  }

  /** Normalizes and adds an event. Does nothing after the end. */
  append(event: SessionEvent): void {
    if (!this.ended) this.normalizer.normalize(event);
  }

  private keep(event: SessionEvent): void {
    this.watch?.(event);
    const units = roughUnits(event.data);
    this.kept.push(event);
    this.sizes.push(units);
    this.units += units;
    // Always keep the newest event, whatever its size.
    while (this.count > 1 && (this.count > this.maxEvents || this.units > this.maxUnits)) this.dropOldest();
    this.wake();
  }

  /** Ends readers after the remaining events. */
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
        if (++given % eventsPerYield === 0) await this.breathe();
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
    // Copy rarely, to keep the cost per event low.
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
