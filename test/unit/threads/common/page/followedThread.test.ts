import assert from 'node:assert/strict';
import { toDisposable } from '../../../../../src/base/common/disposable';
import { FollowedThread, refreshWhenStale } from '../../../../../src/threads/common/page/followedThread';
import { ThreadError, type ThreadWithEntries } from '../../../../../src/threads/common/threadPorts';
import type { Entry } from '../../../../../src/transcript/common/entries';
import type { TranscriptPatch } from '../../../../../src/transcript/common/patch';
import { FakeClock } from '../../../../fake/fakeClock';
import { head } from '../../support/threadHead';

const answer = (n: number, text = `Answer ${n}`): Entry => ({ kind: 'answer', id: `a${n}`, turn: 1, text });
const all: readonly Entry[] = Array.from({ length: 100 }, (_, n) => answer(n));
const open = (entries: readonly Entry[]): ThreadWithEntries => ({ head: head('T-1'), entries, facts: [], notes: [] });

interface Reading {
  readonly signal: AbortSignal | undefined;
  readonly first: ((thread: ThreadWithEntries) => void) | undefined;
  readonly done: (thread: ThreadWithEntries) => void;
  readonly failed: (error: Error) => void;
}

/** Readings that end when the test says so. */
class FakeThreads {
  readonly readings: Reading[] = [];
  readonly listeners = new Set<() => void>();

  read(_id: string, signal?: AbortSignal, first?: (thread: ThreadWithEntries) => void): Promise<ThreadWithEntries> {
    return new Promise((done, failed) => void this.readings.push({ signal, first, done, failed }));
  }

  subscribe(_id: string, listener: () => void) {
    this.listeners.add(listener);
    return toDisposable(() => void this.listeners.delete(listener));
  }

  reading(index: number): Reading {
    const reading = this.readings[index];
    assert.ok(reading, `there is no reading ${index}`);
    return reading;
  }
}

/** Until all that was promised has gone on. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a thread that is followed', () => {
  let threads: FakeThreads;
  let followed: FollowedThread;
  let changes: number;
  let clock: FakeClock;

  beforeEach(() => {
    threads = new FakeThreads();
    clock = new FakeClock();
    followed = new FollowedThread('T-1', threads, clock, (error) => {
      throw error;
    });
    changes = 0;
    followed.onDidChange(() => changes++);
  });
  afterEach(() => followed.dispose());

  const shown = (): readonly string[] => [...followed.transcript.entries()].map(({ id }) => id);
  const reply = async (index: number, entries: readonly Entry[]): Promise<void> => {
    threads.reading(index).done(open(entries));
    await settled();
  };
  async function read(entries: readonly Entry[]): Promise<void> {
    void followed.start();
    await reply(0, entries);
    await reply(1, entries);
  }

  it('shows the last entries of a long one before all of it is here', async () => {
    void followed.start();
    threads.reading(0).first?.(open(all.slice(-10)));
    assert.deepEqual(
      shown(),
      all.slice(-10).map(({ id }) => id),
    );
    assert.equal(followed.thread?.entries.length, 10);
    assert.equal(changes, 1);
    await reply(0, all);
    assert.equal(shown().length, 100);
    assert.equal(changes, 2);
  });

  it('gives a page that has the last entries the others as older ones, and those it has not again', async () => {
    const feed = followed.transcript.createFeed(40);
    void followed.start();
    threads.reading(0).first?.(open(all.slice(-10)));
    const first: TranscriptPatch = feed.takePatch();
    assert.equal(first.put?.length, 10);
    await reply(0, all);
    const second = feed.takePatch();
    assert.deepEqual(second.put ?? [], []);
    assert.ok(!second.reset);
    assert.equal(second.before, 90);
    feed.showOlder(5);
    assert.deepEqual(
      feed.takePatch().older?.map(({ id }) => id),
      all.slice(85, 90).map(({ id }) => id),
    );
  });

  it('asks for the last entries only while there is nothing', async () => {
    await read(all.slice(0, 3));
    assert.ok(threads.reading(0).first);
    assert.equal(threads.reading(1).first, undefined);
  });

  it('keeps the last entries when the rest cannot be read, and explains why', async () => {
    void followed.start();
    threads.reading(0).first?.(open(all.slice(-10)));
    threads.reading(0).failed(new ThreadError('unreadable', 'The file is damaged.'));
    await settled();
    assert.equal(followed.problem, 'The file is damaged.');
    assert.equal(shown().length, 10);
    await reply(1, all);
    assert.equal(followed.problem, undefined);
    assert.equal(shown().length, 100);
  });

  it('is read once more when it is subscribed to, and one reading at a time after', async () => {
    await read(all.slice(0, 3));
    assert.equal(threads.readings.length, 2);
    for (const tell of threads.listeners) for (let times = 0; times < 5; times++) tell();
    assert.equal(threads.readings.length, 3);
    await reply(2, all.slice(0, 4));
    assert.equal(threads.readings.length, 4);
    await reply(3, all.slice(0, 5));
    assert.equal(threads.readings.length, 4);
    assert.equal(shown().length, 5);
  });

  it('tells a page nothing of entries that are the same objects', async () => {
    const feed = followed.transcript.createFeed(40);
    await read(all.slice(0, 3));
    feed.takePatch();
    void followed.refresh();
    await reply(2, [...all.slice(0, 3), answer(3, 'new')]);
    assert.deepEqual(
      feed.takePatch().put?.map(({ id }) => id),
      ['a3'],
    );
  });

  it('stops reading and reporting after dispose', async () => {
    void followed.start();
    followed.dispose();
    assert.equal(threads.reading(0).signal?.aborted, true);
    threads.reading(0).first?.(open(all));
    await reply(0, all);
    assert.equal(changes, 0);
    assert.equal(threads.listeners.size, 0);
    assert.equal(threads.readings.length, 1);
  });

  describe('that runs', () => {
    const running = (mtimeMs: number): ThreadWithEntries => ({
      ...open(all.slice(0, 1)),
      head: head('T-1', { state: 'running', mtimeMs }),
    });
    const answerWith = async (index: number, thread: ThreadWithEntries): Promise<void> => {
      threads.reading(index).done(thread);
      await settled();
    };

    beforeEach(() => {
      refreshWhenStale(followed, clock);
    });

    it('is read again when nobody has written it for so long that it is stale', async () => {
      void followed.start();
      await answerWith(0, running(0));
      await answerWith(1, running(1_000));
      clock.advance(5 * 60_000 + 999);
      assert.equal(threads.readings.length, 2);
      clock.advance(1);
      assert.equal(threads.readings.length, 3);
      await answerWith(2, { ...open(all), head: head('T-1', { state: 'stale', mtimeMs: 1_000 }) });
      assert.equal(clock.pending, 0);
    });

    it('is not read on and on when it cannot be read any more', async () => {
      void followed.start();
      await answerWith(0, running(0));
      await answerWith(1, running(0));
      clock.advance(5 * 60_000);
      let index = 2;
      for (; clock.now() < 6 * 60_000 && index < threads.readings.length; index++) {
        threads.reading(index).failed(new ThreadError('unreadable', 'The file is damaged.'));
        await settled();
        clock.advance(2_000);
      }
      assert.ok(index < 8, `it was read ${index} times`);
      assert.equal(clock.pending, 0);
      assert.equal(followed.problem, 'The file is damaged.');
    });
  });

  describe('whose file is written in place', () => {
    const busy = new ThreadError('beingWritten', 'This file is being written.');
    const damaged = new ThreadError('unreadable', 'The file is damaged.');

    /** Answers each reading of the time with this, and tells how often the problem was to be seen. */
    async function failFor(ms: number, error: (index: number) => ThreadError | undefined): Promise<number> {
      const endMs = clock.monotonicNow() + ms;
      let seen = 0;
      let index = threads.readings.length - 1;
      while (clock.monotonicNow() < endMs) {
        for (; index < threads.readings.length; index++) {
          const failure = error(index);
          if (failure) threads.reading(index).failed(failure);
          else threads.reading(index).done(open(all));
          await settled();
        }
        if (followed.problem !== undefined) seen++;
        clock.advance(100);
      }
      return seen;
    }

    it('does not mention it as long as now and then a reading succeeds', async () => {
      await read(all);
      void followed.refresh();
      assert.equal(await failFor(300_000, (index) => (index % 12 === 0 ? undefined : busy)), 0);
      assert.equal(shown().length, 100);
    });

    it('keeps what was read, says so after half a minute, and continues until it can be read', async () => {
      await read(all);
      void followed.refresh();
      assert.equal(await failFor(30_000, () => busy), 0);
      assert.ok((await failFor(10_000, () => busy)) > 0);
      assert.equal(shown().length, 100);
      await failFor(5_000, () => undefined);
      assert.equal(followed.problem, undefined);
    });

    it('is given its half a minute also when the clock is set', async () => {
      await read(all);
      void followed.refresh();
      assert.equal(await failFor(10_000, () => busy), 0);
      clock.setForward(3_600_000);
      assert.equal(await failFor(20_000, () => busy), 0);
      clock.setBack(7_200_000);
      assert.ok((await failFor(10_000, () => busy)) > 0);
    });

    it('is read again in peace when what was read was only half of it', async () => {
      await read(all);
      void followed.refresh();
      assert.equal(await failFor(1_000, (index) => (index < 4 ? damaged : undefined)), 0);
      assert.equal(clock.pending, 0);
    });

    it('is waited for when it is opened at that moment', async () => {
      void followed.start();
      threads.reading(0).failed(busy);
      await settled();
      assert.equal(followed.problem, undefined);
      clock.advance(250);
      await reply(threads.readings.length - 1, all);
      assert.equal(shown().length, 100);
    });

    it('is not read after dispose', async () => {
      await read(all);
      void followed.refresh();
      threads.reading(2).failed(busy);
      await settled();
      followed.dispose();
      clock.advance(60_000);
      assert.equal(threads.readings.length, 3);
      assert.equal(clock.pending, 0);
    });
  });

  it('is no problem when its reading was cancelled', async () => {
    void followed.start();
    threads.reading(0).failed(new ThreadError('cancelled', 'x'));
    await settled();
    assert.equal(followed.problem, undefined);
  });
});
