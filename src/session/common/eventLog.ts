import { approximateUtf16Units } from '../../base/common/text/approximateUtf16Units';
import { withoutUndefined } from '../../base/common/withoutUndefined';
import { createGrammarCheck } from './normalize/grammarWatch';
import { SessionNormalizer, type NormalizerOptions } from './normalize/sessionNormalizer';
import type { SessionEvent } from './sessionEvents';
import type { ReadEventsOptions, SequencedEvent } from './sessionBackend';

export interface EventLogLimits {
  /** Maximum number of kept events; default 50,000. */
  readonly maxEvents?: number;
  /** Maximum length of all strings in the kept events, in UTF-16 units; about 32 Mi by default, or 64 MiB. */
  readonly maxUnits?: number;
  /** The same for events that all present readers have read, while one of them stores them; 256 Ki by default. */
  readonly maxReadUnits?: number;
}

type EventLogOptions = EventLogLimits & NormalizerOptions;

/** Number of events that a reader gets before it yields to other tasks. */
const eventsPerYield = 256;
/** The same for a reader that is far behind. More than arrive meanwhile, because the oldest events are dropped next. */
const maxEventsPerYield = 2048;

interface Reader {
  /** The number of the event that it reads next. */
  next: number;
  readonly isStoring: boolean;
}

/**
 * The normalized events of a session, numbered from 1. Old events are dropped, and slow readers skip them. While a reader
 * stores what it reads, most are dropped as soon as all present readers have read them. Otherwise, as many as possible are
 * kept. An update of a call that was superseded keeps its number, but not what the later one repeats.
 */
export class EventLog {
  private readonly maxEvents: number;
  private readonly maxUnits: number;
  private readonly maxReadUnits: number;
  private keptEvents: (SessionEvent | undefined)[] = [];
  /** Approximate size of each event in `keptEvents`, in UTF-16 units. Same order as `keptEvents`. */
  private eventSizes: number[] = [];
  /** Number of empty slots at the front of `keptEvents`. They are removed in blocks. */
  private emptySlotCount = 0;
  private firstSequence = 1;
  private totalUnits = 0;
  private hasEnded = false;
  private readonly waitingReaders = new Set<() => void>();
  private readonly readers = new Set<Reader>();
  /** The sequence number of the last update of each open call. */
  private readonly updateByCall = new Map<string, number>();
  private readonly normalizer: SessionNormalizer;
  private readonly checkGrammar = createGrammarCheck();

  /** `yieldToOthers` lets other tasks run while a reader catches up. */
  constructor(
    private readonly yieldToOthers: () => Promise<void>,
    { maxEvents = 50_000, maxUnits = 32 * 1024 * 1024, maxReadUnits = 256 * 1024, ...how }: EventLogOptions = {},
  ) {
    this.normalizer = new SessionNormalizer((event) => this.keepEvent(event), how);
    this.maxEvents = maxEvents;
    this.maxUnits = maxUnits;
    this.maxReadUnits = maxReadUnits;
  }

  /** Normalizes and adds an event. Does nothing after the end. */
  append(event: SessionEvent): void {
    if (!this.hasEnded) this.normalizer.normalize(event);
  }

  private keepEvent(event: SessionEvent): void {
    this.checkGrammar?.(event);
    this.emptySupersededUpdate(event);
    const units = approximateUtf16Units(event.data);
    this.keptEvents.push(event);
    this.eventSizes.push(units);
    this.totalUnits += units;
    // Always keep the newest event, whatever its size.
    while (this.keptCount > 1 && (this.keptCount > this.maxEvents || this.totalUnits > this.maxUnits))
      this.dropOldest();
    if (this.totalUnits > this.maxReadUnits) this.dropRead();
    this.wakeReaders();
  }

  private dropRead(): void {
    const readers = [...this.readers];
    if (!readers.some(({ isStoring }) => isStoring)) return;
    const firstUnread = Math.min(...readers.map(({ next }) => next));
    while (this.keptCount > 1 && this.firstSequence < firstUnread && this.totalUnits > this.maxReadUnits)
      this.dropOldest();
  }

  /** Ends the log. Readers get the remaining events and then end. */
  end(): void {
    this.hasEnded = true;
    this.wakeReaders();
  }

  async *read({ afterSequence = 0, isStoring = false, signal }: ReadEventsOptions = {}): AsyncGenerator<
    SequencedEvent,
    void,
    undefined
  > {
    const reader: Reader = { next: afterSequence + 1, isStoring };
    this.readers.add(reader);
    let given = 0;
    try {
      while (!signal?.aborted) {
        const sequence = Math.max(reader.next, this.firstSequence);
        const event = this.keptEvents[this.emptySlotCount + sequence - this.firstSequence];
        if (event) {
          reader.next = sequence + 1;
          yield { sequence, event };
          if (++given >= (this.isFarBehind(reader.next) ? maxEventsPerYield : eventsPerYield)) {
            given = 0;
            await this.yieldToOthers();
          }
        } else if (this.hasEnded) {
          return;
        } else {
          await this.waitForChange(signal);
        }
      }
    } finally {
      this.readers.delete(reader);
    }
  }

  private isFarBehind(next: number): boolean {
    const isFull = this.keptCount > this.maxEvents / 2 || this.totalUnits > this.maxUnits / 2;
    return isFull && next - this.firstSequence < this.keptCount / 2;
  }

  private emptySupersededUpdate({ event, data }: SessionEvent): void {
    if (event !== 'tool:update' && event !== 'tool:post' && event !== 'tool:error') return;
    const { call_id: call = '' } = data;
    const before = this.updateByCall.get(call);
    if (event === 'tool:update') this.updateByCall.set(call, this.firstSequence + this.keptCount);
    else this.updateByCall.delete(call);
    const slot = before === undefined ? -1 : this.emptySlotCount + before - this.firstSequence;
    const superseded = this.keptEvents[slot];
    if (superseded?.event !== 'tool:update') return;
    const { content, input, locations, ...others } = superseded.data;
    const emptied = {
      ...others,
      ...withoutUndefined({
        content: data.content ? undefined : content,
        input: data.input ? undefined : input,
        locations: data.locations ? undefined : locations,
      }),
    };
    this.keptEvents[slot] = { ...superseded, data: emptied };
    this.totalUnits -= this.eventSizes[slot] ?? 0;
    this.eventSizes[slot] = approximateUtf16Units(emptied);
    this.totalUnits += this.eventSizes[slot] ?? 0;
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
