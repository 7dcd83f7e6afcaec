import { approximateUtf16Units } from '../../base/common/approximateUtf16Units';
import { createGrammarCheck } from './normalize/grammarWatch';
import { SessionNormalizer, type NormalizerOptions } from './normalize/sessionNormalizer';
import type { SessionEvent } from './sessionEvents';
import type { SequencedEvent } from './sessionBackend';

export interface EventLogLimits {
  /** Maximum number of kept events; default 50,000. */
  readonly maxEvents?: number;
  /** Maximum length of all strings in the kept events, in UTF-16 units; about 32 Mi by default, or 64 MiB. */
  readonly maxUnits?: number;
}

type EventLogOptions = EventLogLimits & NormalizerOptions;

/** Number of events that a reader gets before it yields to other tasks. */
const eventsPerYield = 256;

/** The normalized events of a session, numbered from 1. Old events are dropped, and slow readers skip them. */
export class EventLog {
  private readonly maxEvents: number;
  private readonly maxUnits: number;
  private keptEvents: (SessionEvent | undefined)[] = [];
  /** Approximate size of each event in `keptEvents`, in UTF-16 units. Same order as `keptEvents`. */
  private eventSizes: number[] = [];
  /** Number of empty slots at the front of `keptEvents`. They are removed in blocks. */
  private emptySlotCount = 0;
  private firstSequence = 1;
  private totalUnits = 0;
  private hasEnded = false;
  private readonly waitingReaders = new Set<() => void>();
  private readonly normalizer: SessionNormalizer;
  private readonly checkGrammar = createGrammarCheck();

  /** `yieldToOthers` lets other tasks run while a reader catches up. */
  constructor(
    private readonly yieldToOthers: () => Promise<void>,
    { maxEvents = 50_000, maxUnits = 32 * 1024 * 1024, ...how }: EventLogOptions = {},
  ) {
    this.normalizer = new SessionNormalizer((event) => this.keepEvent(event), how);
    this.maxEvents = maxEvents;
    this.maxUnits = maxUnits;
  }

  /** Normalizes and adds an event. Does nothing after the end. */
  append(event: SessionEvent): void {
    if (!this.hasEnded) this.normalizer.normalize(event);
  }

  private keepEvent(event: SessionEvent): void {
    this.checkGrammar?.(event);
    const units = approximateUtf16Units(event.data);
    this.keptEvents.push(event);
    this.eventSizes.push(units);
    this.totalUnits += units;
    // Always keep the newest event, whatever its size.
    while (this.keptCount > 1 && (this.keptCount > this.maxEvents || this.totalUnits > this.maxUnits))
      this.dropOldest();
    this.wakeReaders();
  }

  /** Ends the log. Readers get the remaining events and then end. */
  end(): void {
    this.hasEnded = true;
    this.wakeReaders();
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
      const event = this.keptEvents[this.emptySlotCount + next - this.firstSequence];
      if (event) {
        yield { sequence: next, event };
        next++;
        if (++given % eventsPerYield === 0) await this.yieldToOthers();
      } else if (this.hasEnded) {
        return;
      } else {
        await this.waitForChange(signal);
      }
    }
  }

  private get keptCount(): number {
    return this.keptEvents.length - this.emptySlotCount;
  }

  private dropOldest(): void {
    this.totalUnits -= this.eventSizes[this.emptySlotCount] ?? 0;
    this.keptEvents[this.emptySlotCount] = undefined;
    this.emptySlotCount++;
    this.firstSequence++;
    // Shortens the array only rarely, because copying it is slow.
    if (this.emptySlotCount < this.keptEvents.length / 4) return;
    this.keptEvents = this.keptEvents.slice(this.emptySlotCount);
    this.eventSizes = this.eventSizes.slice(this.emptySlotCount);
    this.emptySlotCount = 0;
  }

  private waitForChange(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        this.waitingReaders.delete(done);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      this.waitingReaders.add(done);
      signal?.addEventListener('abort', done, { once: true });
    });
  }

  private wakeReaders(): void {
    if (this.waitingReaders.size === 0) return;
    for (const resume of [...this.waitingReaders]) resume();
  }
}
