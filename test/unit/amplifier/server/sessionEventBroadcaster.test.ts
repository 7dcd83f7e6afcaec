import assert from 'node:assert/strict';
import {
  SessionEventBroadcaster,
  type EventSink,
} from '../../../../src/amplifier/node/server/streams/sessionEventBroadcaster';
import type { EventBatch } from '../../../../src/amplifier/node/server/streams/eventBatch';
import { FakeClock } from '../../../fake/fakeClock';
import { until } from '../../../support/eventually';

/** Reads at once, or only when it is told to. */
class RecordingSink implements EventSink {
  readonly batches: EventBatch[] = [];
  private waiting: (() => void) | undefined;

  constructor(private isSlow = false) {}

  write(batch: EventBatch, done: () => void): void {
    this.batches.push(batch);
    if (this.isSlow) this.waiting = done;
    else done();
  }

  readOn(): void {
    this.isSlow = false;
    this.waiting?.();
  }

  keepAlive(): void {
    return;
  }

  end(): void {
    return;
  }

  terminate(): void {
    return;
  }
}

describe('SessionEventBroadcaster', () => {
  it('makes each batch once, also for a subscriber that gets it later than the others', async () => {
    const limits = { keepAliveMs: 1_000, stallTimeoutMs: 1_000, maxKeptEvents: 100, maxKeptLength: 1_000_000 };
    const feed = new SessionEventBroadcaster({ ...limits, sessionId: 's', clock: new FakeClock() });
    const [fast, slow] = [new RecordingSink(), new RecordingSink(true)];
    const subscriptions = [fast, slow].map((sink) => feed.subscribe(sink, 0));
    for (let event = 1; event <= 4; event++) {
      feed.append('notice', { event });
      await until('the fast one has it', () => fast.batches.at(-1)?.nextSequence === event + 1);
    }
    assert.equal(slow.batches.length, 1);
    slow.readOn();
    await until('the slow one has all', () => slow.batches.at(-1)?.nextSequence === 5);
    assert.equal(fast.batches.length, 4);
    for (const [index, batch] of slow.batches.entries()) assert.equal(batch, fast.batches[index]);
    for (const subscription of subscriptions) subscription.dispose();
  });

  it('collects events for milliseconds after a write that took one, so that many subscribers get few large batches', async () => {
    const limits = { keepAliveMs: 1_000, stallTimeoutMs: 1_000, maxKeptEvents: 100, maxKeptLength: 1_000_000 };
    const feed = new SessionEventBroadcaster({ ...limits, sessionId: 's', clock: new FakeClock() });
    const writes: { readonly startMs: number; readonly endMs: number }[] = [];
    const sink = new RecordingSink();
    sink.write = (_batch, done) => {
      const startMs = performance.now();
      while (performance.now() - startMs < 1) continue;
      writes.push({ startMs, endMs: performance.now() });
      // As a socket does.
      setImmediate(done);
    };
    const subscription = feed.subscribe(sink, 0);
    for (let event = 1; writes.length < 4; event++) {
      feed.append('notice', { event });
      await new Promise((resolve) => setImmediate(resolve));
    }
    subscription.dispose();
    const pauses = writes.slice(1).map(({ startMs }, index) => startMs - (writes[index]?.endMs ?? 0));
    // Timers count whole milliseconds.
    for (const pause of pauses) assert.ok(pause >= 3.5, `${pause} ms`);
  });
});
