import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { Coalescer, KeyedQueue, maxExtensions, pause, raceSignal, withDeadline } from '../../../src/base/common/async';
import { TimeoutError } from '../../../src/base/common/errors';
import { FakeClock } from '../../fake/fakeClock';
import { turns } from '../../support/turns';

describe('withDeadline', () => {
  it('returns the result of the work and leaves no timer', async () => {
    const clock = new FakeClock();
    assert.equal(await withDeadline(clock, 'work', 100, () => Promise.resolve(7)), 7);
    assert.equal(clock.pending, 0);
  });

  it('rejects at the deadline and aborts the work, even if it never ends', async () => {
    const clock = new FakeClock();
    let seen: AbortSignal | undefined;
    const result = withDeadline(clock, 'reading', 100, (signal) => {
      seen = signal;
      return new Promise(() => undefined);
    });
    clock.advance(100);
    await assert.rejects(
      result,
      (error: unknown) => error instanceof TimeoutError && error.message.includes('reading'),
    );
    assert.equal(seen?.aborted, true);
  });

  it('rethrows the error of the work', async () => {
    const clock = new FakeClock();
    await assert.rejects(
      withDeadline(clock, 'work', 100, () => Promise.reject(new Error('no'))),
      /no/,
    );
    assert.equal(clock.pending, 0);
  });

  it('gives work its time again while it makes progress, but not for ever', async () => {
    const never = () => new Promise<never>(() => undefined);
    const clock = new FakeClock();
    let done = 0;
    let isOver = false;
    const note = (): void => void (isOver = true);
    const stalls = withDeadline(clock, 'loading', 100, never, { progress: () => done }).catch(note);
    for (let round = 0; round < 5; round++) {
      done++;
      clock.advance(100);
      await turns();
      assert.equal(isOver, false);
    }
    clock.advance(100);
    await stalls;
    assert.equal(isOver, true);

    isOver = false;
    const endless = withDeadline(clock, 'loading', 100, never, { progress: () => done++ }).catch(note);
    clock.advance(100 * maxExtensions);
    await turns();
    assert.equal(isOver, false);
    clock.advance(100);
    await endless;
    assert.equal(clock.pending, 0);
  });
});

describe('pause', () => {
  it('resolves when the time is over, and not before', async () => {
    const clock = new FakeClock();
    let isOver = false;
    const paused = pause(clock, 500).then(() => (isOver = true));
    clock.advance(499);
    await turns();
    assert.equal(isOver, false);
    clock.advance(1);
    await paused;
  });

  it('rejects when the signal fires, with its reason or a given one, and leaves no timer', async () => {
    const clock = new FakeClock();
    const controller = new AbortController();
    const own = pause(clock, 500, controller.signal);
    const given = pause(clock, 500, controller.signal, () => new Error('given'));
    controller.abort(new Error('own'));
    await assert.rejects(own, /^Error: own$/);
    await assert.rejects(given, /^Error: given$/);
    await assert.rejects(pause(clock, 500, AbortSignal.abort('text')), /^Error: text$/);
    assert.equal(clock.pending, 0);
  });
});

describe('raceSignal', () => {
  const tooLate = (): Error => new Error('too late');
  const never = new Promise<never>(() => undefined);

  it('settles with the work and stops listening to the signal', async () => {
    const { signal } = new AbortController();
    assert.equal(await raceSignal(Promise.resolve(7), signal, tooLate), 7);
    await assert.rejects(raceSignal(Promise.reject(new Error('no')), signal, tooLate), /^Error: no$/);
    assert.equal(getEventListeners(signal, 'abort').length, 0);
  });

  it('rejects when the signal fires, even if the work continues', async () => {
    const controller = new AbortController();
    const work = Promise.withResolvers<never>();
    const result = raceSignal(work.promise, controller.signal, tooLate);
    controller.abort();
    await assert.rejects(result, /too late/);
    work.reject(new Error('nobody hears of it'));
  });

  it('rejects when the signal has fired before', async () => {
    await assert.rejects(raceSignal(never, AbortSignal.abort(), tooLate), /too late/);
    await assert.rejects(raceSignal(Promise.resolve(7), AbortSignal.abort(), tooLate), /too late/);
  });

  it('waits for the work without a signal', async () =>
    assert.equal(await raceSignal(Promise.resolve(7), undefined, tooLate), 7));
});

describe('Coalescer', () => {
  it('flushes once for a burst', () => {
    const clock = new FakeClock();
    let flushes = 0;
    const coalescer = new Coalescer(clock, 10, () => flushes++);
    for (let i = 0; i < 5; i++) coalescer.schedule();
    clock.advance(10);
    assert.equal(flushes, 1);
  });

  it('is not starved by calls that never stop', () => {
    const clock = new FakeClock();
    let flushes = 0;
    const coalescer = new Coalescer(clock, 10, () => flushes++);
    for (let i = 0; i < 20; i++) {
      coalescer.schedule();
      clock.advance(5);
    }
    assert.equal(flushes, 10);
  });

  it('flushes immediately on request, and not again afterwards', () => {
    const clock = new FakeClock();
    let flushes = 0;
    const coalescer = new Coalescer(clock, 10, () => flushes++);
    coalescer.flushNow();
    assert.equal(flushes, 0);
    coalescer.schedule();
    coalescer.flushNow();
    clock.advance(100);
    assert.equal(flushes, 1);
  });

  it('does not flush after dispose', () => {
    const clock = new FakeClock();
    const coalescer = new Coalescer(clock, 10, () => assert.fail('flushed'));
    coalescer.schedule();
    coalescer.dispose();
    clock.advance(100);
  });
});

describe('KeyedQueue', () => {
  const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it('runs tasks of one key in order, and other keys concurrently', async () => {
    const queue = new KeyedQueue();
    const seen: string[] = [];
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    const first = queue.run('a', async () => {
      await gate;
      seen.push('a1');
    });
    const second = queue.run('a', () => Promise.resolve(seen.push('a2')));
    await queue.run('b', () => Promise.resolve(seen.push('b1')));
    assert.deepEqual(seen, ['b1']);
    release();
    await Promise.all([first, second]);
    assert.deepEqual(seen, ['b1', 'a1', 'a2']);
  });

  it('continues after a failed task and rejects only its caller', async () => {
    const queue = new KeyedQueue();
    const failed = queue.run('a', () => Promise.reject(new Error('broken')));
    const next = queue.run('a', () => Promise.resolve('fine'));
    await assert.rejects(failed, /broken/);
    assert.equal(await next, 'fine');
  });

  it('forgets keys that are idle', async () => {
    const queue = new KeyedQueue();
    const run = queue.run('a', () => Promise.resolve());
    assert.equal(queue.isBusy('a'), true);
    assert.equal(queue.isBusy('b'), false);
    await run;
    await tick();
    assert.equal(queue.isBusy('a'), false);
    await queue.whenIdle('a');
  });
});
