import type { Clock } from '../../../../base/common/async';
import type { Disposable } from '../../../../base/common/disposable';
import type { ServerLimits } from '../serverLimits';
import { EventBatch } from './eventBatch';

/** Where the events of one subscriber go. */
export interface EventSink {
  /** Calls back when the batch has left this process; until then nothing more is written. */
  write(batch: EventBatch, done: () => void): void;
  /** A sign of life that is no event. */
  keepAlive(): void;
  /** Closes after what was written. */
  end(): void;
  /** Closes at once. */
  cut(): void;
}

interface SubscriberFeedOptions extends Pick<
  ServerLimits,
  'keepAliveMs' | 'stallTimeoutMs' | 'maxKeptEvents' | 'maxKeptLength'
> {
  readonly sessionId: string;
  readonly clock: Clock;
}

/** Time without writing for each stretch of writing; what is too short for a timer counts as none. */
const restShare = 2;
const minRestMs = 1;
const maxRestMs = 5;

/**
 * The events of one session on their way to its subscribers. Each is numbered from 1 and turned into JSON once, however
 * many read it. A subscriber holds its place and one batch that is being written, nothing else: one that reads slowly
 * makes nobody wait, and goes on after a `notice` with the oldest event kept when its own is gone.
 */
export class SubscriberFeed {
  private readonly kept = new Map<number, string>();
  private keptLength = 0;
  private firstSequence = 1;
  private nextSequence = 1;
  private readonly subscribers = new Set<Subscriber>();
  private latest: EventBatch | undefined;
  private isFlushing = false;
  private restUntilMs = 0;
  private hasEnded = false;
  private timer: Disposable | undefined;

  constructor(private readonly options: SubscriberFeedOptions) {}

  get subscriberCount(): number {
    return this.subscribers.size;
  }

  /** Of the event that is appended next. */
  get nextId(): number {
    return this.nextSequence;
  }

  append(event: string, data: object): void {
    if (this.hasEnded) return;
    const json = JSON.stringify({ event, data });
    this.kept.set(this.nextSequence++, json);
    this.keptLength += json.length;
    const { maxKeptEvents, maxKeptLength } = this.options;
    // The newest event stays, however large it is.
    while (this.kept.size > 1 && (this.kept.size > maxKeptEvents || this.keptLength > maxKeptLength)) this.dropOldest();
    this.flushSoon();
  }

  /** Sends what follows `afterSequence`, then what comes. Dispose the result when the subscriber has gone. */
  subscribe(sink: EventSink, afterSequence: number): Disposable {
    const subscriber = new Subscriber(this, sink, Math.min(afterSequence, this.nextSequence - 1) + 1);
    this.subscribers.add(subscriber);
    this.timer ??= this.keepAliveLater();
    this.flushSoon();
    return { dispose: () => this.forget(subscriber) };
  }

  /** Subscribers get what is left and are closed. */
  end(): void {
    this.hasEnded = true;
    this.flushSoon();
  }

  // What subscribers ask for.

  get isOver(): boolean {
    return this.hasEnded;
  }

  monotonicNow(): number {
    return this.options.clock.monotonicNow();
  }

  /** What comes at `sequence`: events, a notice of events that are gone, or nothing yet. */
  batchAt(sequence: number): EventBatch | undefined {
    if (sequence >= this.nextSequence) return undefined;
    if (sequence < this.firstSequence) return this.gap(sequence);
    if (this.latest?.first !== sequence) this.latest = EventBatch.of(this.kept, sequence);
    return this.latest;
  }

  private gap(sequence: number): EventBatch {
    const count = this.firstSequence - sequence;
    const message = `${count} events are not told here: they are no longer kept. Read faster, or come back sooner.`;
    const data = { session_id: this.options.sessionId, level: 'warning', message };
    return EventBatch.unnumbered(JSON.stringify({ event: 'notice', data }), this.firstSequence);
  }

  private dropOldest(): void {
    const sequence = this.firstSequence++;
    this.keptLength -= this.kept.get(sequence)?.length ?? 0;
    this.kept.delete(sequence);
  }

  /**
   * After everything that is at hand, so that a burst of events leaves in one write. Writing takes a third of the time
   * or so: with many subscribers what comes meanwhile leaves in fewer, larger writes.
   */
  flushSoon(): void {
    if (this.isFlushing || this.subscribers.size === 0) return;
    this.isFlushing = true;
    const restMs = Math.min(maxRestMs, this.restUntilMs - performance.now());
    if (restMs >= minRestMs) setTimeout(this.flush, restMs);
    else setImmediate(this.flush);
  }

  private readonly flush = (): void => {
    this.isFlushing = false;
    const startMs = performance.now();
    for (const subscriber of this.subscribers) subscriber.flush();
    const endMs = performance.now();
    this.restUntilMs = endMs + restShare * (endMs - startMs);
  };

  private forget(subscriber: Subscriber): void {
    this.subscribers.delete(subscriber);
    if (this.subscribers.size > 0) return;
    this.timer?.dispose();
    this.timer = undefined;
  }

  private keepAliveLater(): Disposable {
    return this.options.clock.setTimer(this.options.keepAliveMs, () => {
      this.timer = this.keepAliveLater();
      for (const subscriber of this.subscribers) subscriber.beat(this.options.stallTimeoutMs);
    });
  }
}

class Subscriber {
  /** When the batch that is on its way was written. */
  private waitingSinceMs: number | undefined;

  constructor(
    private readonly feed: SubscriberFeed,
    readonly sink: EventSink,
    private next: number,
  ) {}

  flush(): void {
    if (this.waitingSinceMs !== undefined) return;
    const batch = this.feed.batchAt(this.next);
    if (batch) {
      this.next = batch.next;
      this.waitingSinceMs = this.feed.monotonicNow();
      this.sink.write(batch, () => {
        this.waitingSinceMs = undefined;
        this.feed.flushSoon();
      });
    } else if (this.feed.isOver) {
      this.sink.end();
    }
  }

  beat(stallTimeoutMs: number): void {
    if (this.waitingSinceMs === undefined) this.sink.keepAlive();
    else if (this.feed.monotonicNow() - this.waitingSinceMs >= stallTimeoutMs) this.sink.cut();
  }
}
