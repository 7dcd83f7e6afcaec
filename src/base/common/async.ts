import type { Disposable } from './disposable';
import { TimeoutError } from './errors';

/** The clocks and timers a piece of pure code needs; tests hand in a fake. */
export interface Clock {
  /** The time of day, in milliseconds since the epoch: to be shown, stored, or compared with files. It can be set back. */
  now(): number;
  /** Milliseconds since some moment: for limits, pauses and durations. It never goes back. */
  monotonicNow(): number;
  /** Calls back once after `delayMs`; disposing the result cancels it. */
  setTimer(delayMs: number, callback: () => void): Disposable;
}

/**
 * Runs `work` with a signal that fires at the deadline, and rejects then whether or not the work obeys it.
 * @throws TimeoutError after `timeoutMs`.
 */
export async function withDeadline<T>(
  clock: Clock,
  what: string,
  timeoutMs: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  let timer: Disposable | undefined;
  const deadline = new Promise<never>((_resolve, reject) => {
    timer = clock.setTimer(timeoutMs, () => {
      const error = new TimeoutError(what, timeoutMs);
      // First, so that the caller hears of the time and not of what the work makes of its signal.
      reject(error);
      controller.abort(error);
    });
  });
  try {
    return await Promise.race([work(controller.signal), deadline]);
  } finally {
    timer?.dispose();
  }
}

/**
 * Settles as the work does, or rejects as soon as the signal fires; the work goes on.
 * @throws what `reason` gives
 */
export async function raceSignal<T>(
  work: Promise<T>,
  signal: AbortSignal | undefined,
  reason: () => Error,
): Promise<T> {
  if (!signal) return await work;
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(reason());
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([promise, work]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/**
 * Calls `flush` once, `delayMs` after the first of a burst of `schedule` calls. It is not pushed back by later calls, so
 * a steady stream of them cannot starve it, and the last state is never lost: `flush` reads it when it runs.
 */
export class Coalescer implements Disposable {
  private timer: Disposable | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly delayMs: number,
    private readonly flush: () => void,
  ) {}

  schedule(): void {
    this.timer ??= this.clock.setTimer(this.delayMs, () => {
      this.timer = undefined;
      this.flush();
    });
  }

  /** Flushes now if a flush is waiting. */
  flushNow(): void {
    if (!this.timer) return;
    this.dispose();
    this.flush();
  }

  dispose(): void {
    this.timer?.dispose();
    this.timer = undefined;
  }
}

/** Runs tasks with the same key one after another, in the order of the calls; different keys do not wait for each other. */
export class KeyedQueue {
  private readonly tails = new Map<string, Promise<void>>();

  /** Whether anything with this key is running or waiting. */
  isBusy(key: string): boolean {
    return this.tails.has(key);
  }

  /** Settles, never rejects, when all that was queued for `key` at the time of the call has ended. */
  async idle(key: string): Promise<void> {
    await this.tails.get(key);
  }

  async run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const result = (this.tails.get(key) ?? Promise.resolve()).then(task);
    const tail = result.then(
      () => undefined,
      () => undefined,
    );
    this.tails.set(key, tail);
    try {
      return await result;
    } finally {
      if (this.tails.get(key) === tail) this.tails.delete(key);
    }
  }
}

const awakeStepMs = 30_000;

/**
 * Calls back once when the machine has been awake for `delayMs`: the time is counted in steps, so that a sleep is at most one
 * of them. For what the user has left alone; a timer's own clock goes on over a sleep on some systems. Disposing the result
 * cancels it.
 */
export function setAwakeTimer(clock: Pick<Clock, 'setTimer'>, delayMs: number, callback: () => void): Disposable {
  let timer: Disposable;
  const wait = (leftMs: number): void => {
    const stepMs = Math.min(leftMs, awakeStepMs);
    timer = clock.setTimer(stepMs, () => (leftMs > stepMs ? wait(leftMs - stepMs) : callback()));
  };
  wait(delayMs);
  return { dispose: () => timer.dispose() };
}
