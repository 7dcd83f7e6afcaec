import type { Disposable } from './disposable';
import { TimeoutError } from './errors';

/** The clocks and timers that pure code uses. Tests pass a fake. */
export interface Clock {
  /** Milliseconds since the epoch, to show, to store, or to compare with file times. It can jump backwards. */
  now(): number;
  /** Milliseconds since an arbitrary moment. Use it for limits, pauses and durations. It never goes backwards. */
  monotonicNow(): number;
  /** Calls back once after `delayMs`. Disposing the result cancels the timer. */
  setTimer(delayMs: number, callback: () => void): Disposable;
}

/** How often work that makes progress gets its time again, so that it ends even if a peer never does. */
export const maxExtensions = 30;

interface Cancellation {
  /** Also ends the work, with the same reason. */
  readonly signal?: AbortSignal;
  /** Creates the error of the caller when `signal` fires. By default, it is the reason of the signal. */
  readonly reason?: () => Error;
  /** Returns a value that changes while the work makes progress. Then it gets its time again, `maxExtensions` times. */
  readonly progress?: () => unknown;
}

/**
 * Runs `work` with a signal that fires at the deadline, or with the caller's signal.
 * @throws TimeoutError, or the error of the cancellation, even if the work ignores its signal
 */
export async function withDeadline<T>(
  clock: Clock,
  what: string,
  timeoutMs: number,
  work: (signal: AbortSignal) => Promise<T>,
  { signal, reason, progress }: Cancellation = {},
): Promise<T> {
  // One controller for both, because users wait for this, and `AbortSignal.any` is slow.
  const controller = new AbortController();
  const { promise: ended, reject } = Promise.withResolvers<never>();
  // The work may throw before anything waits for this.
  ended.catch(() => undefined);
  // Rejects first, so that the caller gets this error and not the one that the aborted work throws.
  const end = (error: Error, workReason: unknown = error): void => {
    reject(error);
    controller.abort(workReason);
  };
  const cancel = (): void => {
    if (signal) end(reason?.() ?? abortReason(signal), signal.reason);
  };
  let extensions = 0;
  let lastProgress = progress?.();
  const startTimer = (): Disposable =>
    clock.setTimer(timeoutMs, () => {
      const current = progress?.();
      if (current === lastProgress || extensions === maxExtensions) end(new TimeoutError(what, timeoutMs));
      else {
        extensions++;
        lastProgress = current;
        timer = startTimer();
      }
    });
  let timer = startTimer();
  if (signal?.aborted) cancel();
  signal?.addEventListener('abort', cancel, { once: true });
  try {
    return await Promise.race([ended, work(controller.signal)]);
  } finally {
    timer.dispose();
    signal?.removeEventListener('abort', cancel);
  }
}

/** Settles with `work`, or rejects as soon as the signal fires: with `reason()`, or its own. Does not stop the work. */
export async function raceSignal<T>(
  work: Promise<T>,
  signal: AbortSignal | undefined,
  reason?: () => Error,
): Promise<T> {
  if (!signal) return await work;
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(reason?.() ?? abortReason(signal));
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([promise, work]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** Returns the reason with which a signal fired, as an error. */
function abortReason({ reason }: AbortSignal): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}

/** Resolves after `delayMs`, or rejects like `raceSignal`. */
export async function pause(
  clock: Pick<Clock, 'setTimer'>,
  delayMs: number,
  signal?: AbortSignal,
  reason?: () => Error,
): Promise<void> {
  let timer: Disposable | undefined;
  const over = new Promise<void>((resolve) => (timer = clock.setTimer(delayMs, resolve)));
  try {
    await raceSignal(over, signal, reason);
  } finally {
    timer?.dispose();
  }
}

/** Calls `work` with each item, the last one first, at most `limit` times in parallel. Rejects with the first error. */
export async function inParallel<Item>(
  items: readonly Item[],
  limit: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = [...items];
  const next = async (): Promise<void> => {
    for (let item = waiting.pop(); item !== undefined; item = waiting.pop()) await work(item);
  };
  await Promise.all(Array.from({ length: limit }, next));
}

/** Calls `flush` once for a burst of `schedule` calls, `delayMs` after the first. Later calls do not delay it. */
export class Coalescer implements Disposable {
  private timer: Disposable | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly delayMs: number,
    private readonly task: () => void,
  ) {}

  schedule(): void {
    this.timer ??= this.clock.setTimer(this.delayMs, () => {
      this.timer = undefined;
      this.task();
    });
  }

  /** Calls `flush` immediately if a call is scheduled. */
  flushNow(): void {
    if (!this.timer) return;
    this.dispose();
    this.task();
  }

  dispose(): void {
    this.timer?.dispose();
    this.timer = undefined;
  }
}

/** Runs tasks with the same key one after another, in call order. Tasks with different keys run concurrently. */
export class KeyedQueue {
  private readonly lastRunByKey = new Map<string, Promise<void>>();

  isBusy(key: string): boolean {
    return this.lastRunByKey.has(key);
  }

  /** Resolves when all tasks queued for `key` at the time of the call have settled. Never rejects. */
  async whenIdle(key: string): Promise<void> {
    await this.lastRunByKey.get(key);
  }

  async run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const result = (this.lastRunByKey.get(key) ?? Promise.resolve()).then(task);
    const tail = result.then(
      () => undefined,
      () => undefined,
    );
    this.lastRunByKey.set(key, tail);
    try {
      return await result;
    } finally {
      if (this.lastRunByKey.get(key) === tail) this.lastRunByKey.delete(key);
    }
  }
}

const awakeStepMs = 30_000;

/**
 * Calls back once after the machine was awake for `delayMs`. The wait is divided into steps; a sleep of the machine
 * counts as one step at most.
 */
export function setTimerExcludingSleep(
  clock: Pick<Clock, 'setTimer'>,
  delayMs: number,
  callback: () => void,
): Disposable {
  let timer: Disposable;
  const wait = (leftMs: number): void => {
    const stepMs = Math.min(leftMs, awakeStepMs);
    timer = clock.setTimer(stepMs, () => (leftMs > stepMs ? wait(leftMs - stepMs) : callback()));
  };
  wait(delayMs);
  return { dispose: () => timer.dispose() };
}
