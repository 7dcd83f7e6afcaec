import type { Clock } from '../../../../base/common/async';
import { BoundedMap } from '../../../../base/common/boundedMap';
import type { Disposable } from '../../../../base/common/disposable';
import type { ServerLimits } from '../serverLimits';
import { EventBatch } from './eventBatch';

export interface EventSink {
  /** Writes a batch. `done`: it was handed to the operating system. No other write happens until then. */
  write(batch: EventBatch, done: () => void): void;
  keepAlive(): void;
  end(): void;
  terminate(): void;
}

interface SubscriberFeedOptions extends Pick<
  ServerLimits,
  'keepAliveMs' | 'stallTimeoutMs' | 'maxKeptEvents' | 'maxKeptLength'
> {
  readonly sessionId: string;
  readonly clock: Clock;
}

/**
 * Pause after writing, as a multiple of the duration of the write. A write has a fixed cost for each subscriber, so with
 * many of them and many events, few large writes take less than half the time of many small ones.
 */
const pauseFactor = 8;
const minPauseMs = 1;
const maxPauseMs = 5;
/** Number of batches that are kept for the subscribers that get them later than others. */
const maxSharedBatches = 8;

/**
 * Sends the events of one session, numbered from 1, to its subscribers. Each event is serialized only once. A slow
 * subscriber does not delay others, because it only has a position and one batch. If its next event was dropped, it
 * gets a `notice` and continues with the oldest event that was kept.
 */
export class SessionEventBroadcaster {
  private readonly eventJsonBySequence = new Map<number, string>();
  private keptJsonLength = 0;
  private firstSequence = 1;
  private nextSequence = 1;
  private readonly subscribers = new Set<Subscriber>();
  /**
   * The latest batches by their first event. Every subscriber goes from the end of one batch to the next, so those that are
   * behind find the batches of the others.
   */
  private readonly sharedBatches = new BoundedMap<number, EventBatch>({ maxEntries: maxSharedBatches });
  private isFlushScheduled = false;
  private nextFlushAtMs = 0;
  private hasEnded = false;
  private keepAliveTimer: Disposable | undefined;

  constructor(private readonly options: SubscriberFeedOptions) {}

  get subscriberCount(): number {
    return this.subscribers.size;
  }

  get nextEventId(): number {
    return this.nextSequence;
  }

  append(event: string, data: object): void {
    if (this.hasEnded) return;
    const json = JSON.stringify({ event, data });
    this.eventJsonBySequence.set(this.nextSequence++, json);
    this.keptJsonLength += json.length;
    const { maxKeptEvents, maxKeptLength } = this.options;
    // The newest event is always kept, whatever its size is.
    while (
      this.eventJsonBySequence.size > 1 &&
      (this.eventJsonBySequence.size > maxKeptEvents || this.keptJsonLength > maxKeptLength)
    )
      this.dropOldest();
    this.scheduleFlush();
  }

  /** Sends the events after `afterSequence`, then all new ones. Dispose the result when the subscriber disconnects. */
  subscribe(sink: EventSink, afterSequence: number): Disposable {
    const subscriber = new Subscriber(this, sink, Math.min(afterSequence, this.nextSequence - 1) + 1);
    this.subscribers.add(subscriber);
    this.keepAliveTimer ??= this.scheduleKeepAlive();
    this.scheduleFlush();
    return { dispose: () => this.removeSubscriber(subscriber) };
  }

  /** Ends the subscriptions when the subscribers have received the remaining events. */
  end(): void {
    this.hasEnded = true;
    this.scheduleFlush();
  }

  get isEnded(): boolean {
    return this.hasEnded;
  }

  monotonicNow(): number {
    return this.options.clock.monotonicNow();
  }

  /** Returns the batch at `sequence`: events, or a notice about dropped events. Undefined if there is none yet. */
  batchAt(sequence: number): EventBatch | undefined {
    if (sequence >= this.nextSequence) return undefined;
    if (sequence < this.firstSequence) return this.gapNotice(sequence);
    let batch = this.sharedBatches.get(sequence);
    if (!batch) {
      batch = EventBatch.collectFrom(this.eventJsonBySequence, sequence);
      this.sharedBatches.set(sequence, batch);
    }
    return batch;
  }

  private gapNotice(sequence: number): EventBatch {
    const count = this.firstSequence - sequence;
    const message = `${count} events are missing: the server no longer has them. Read faster or reconnect sooner.`;
    const data = { session_id: this.options.sessionId, level: 'warning', message };
    return EventBatch.createUnnumbered(JSON.stringify({ event: 'notice', data }), this.firstSequence);
  }

  private dropOldest(): void {
    const sequence = this.firstSequence++;
    this.keptJsonLength -= this.eventJsonBySequence.get(sequence)?.length ?? 0;
    this.eventJsonBySequence.delete(sequence);
  }

  /** Combines events in quick succession into one write, and limits writing to a fraction of the time. */
  scheduleFlush(): void {
    if (this.isFlushScheduled || this.subscribers.size === 0) return;
    this.isFlushScheduled = true;
    const pauseMs = Math.min(maxPauseMs, this.nextFlushAtMs - performance.now());
    if (pauseMs >= minPauseMs) setTimeout(this.flushSubscribers, pauseMs);
    else setImmediate(this.flushSubscribers);
  }

  private readonly flushSubscribers = (): void => {
    this.isFlushScheduled = false;
    const startMs = performance.now();
    for (const subscriber of this.subscribers) subscriber.flush();
    const endMs = performance.now();
    this.nextFlushAtMs = endMs + pauseFactor * (endMs - startMs);
  };

  private removeSubscriber(subscriber: Subscriber): void {
    this.subscribers.delete(subscriber);
    if (this.subscribers.size > 0) return;
    this.keepAliveTimer?.dispose();
    this.keepAliveTimer = undefined;
  }

  private scheduleKeepAlive(): Disposable {
    return this.options.clock.setTimer(this.options.keepAliveMs, () => {
      this.keepAliveTimer = this.scheduleKeepAlive();
      for (const subscriber of this.subscribers) subscriber.keepAlive(this.options.stallTimeoutMs);
    });
  }
}

class Subscriber {
  private writeStartedAtMs: number | undefined;

  constructor(
    private readonly feed: SessionEventBroadcaster,
    readonly sink: EventSink,
    private nextSequence: number,
  ) {}

  flush(): void {
    if (this.writeStartedAtMs !== undefined) return;
    const batch = this.feed.batchAt(this.nextSequence);
    if (batch) {
      this.nextSequence = batch.nextSequence;
      this.writeStartedAtMs = this.feed.monotonicNow();
      this.sink.write(batch, () => {
        this.writeStartedAtMs = undefined;
        this.feed.scheduleFlush();
      });
    } else if (this.feed.isEnded) {
      this.sink.end();
    }
  }

  keepAlive(stallTimeoutMs: number): void {
    if (this.writeStartedAtMs === undefined) this.sink.keepAlive();
    else if (this.feed.monotonicNow() - this.writeStartedAtMs >= stallTimeoutMs) this.sink.terminate();
  }
}
