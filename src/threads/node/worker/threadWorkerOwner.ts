import { KeyedQueue, type Clock } from '../../../base/common/async';
import { backoffMs, type Backoff } from '../../../base/common/backoff';
import { DisposableStore, toDisposable, type Disposable } from '../../../base/common/disposable';
import type { Logger } from '../../../base/common/log';
import { ThreadError } from '../../common/threadPorts';
import { WorkerEndedError, WorkerConnection } from './workerConnection';

interface ThreadWorkerDeps {
  /** Absolute path of `dist/thread-index-worker.js`. */
  readonly workerFile: string;
  readonly clock: Clock;
  readonly log: Logger;
}

type WorkerState =
  /**
   * The worker has ended. `failureCount` is the number of consecutive workers that ended before any answer. The next
   * may start at `startsAt`, in milliseconds of the monotonic clock.
   */
  | { readonly kind: 'ended'; readonly failureCount: number; readonly startsAt: number }
  | { readonly kind: 'running'; readonly failureCount: number; readonly connection: WorkerConnection }
  | { readonly kind: 'closed' };

/** How long an unused worker is kept running. */
const idleMs = 60_000;
/** Delays before a restart, from the second failure on. The first is immediate, as the next worker may succeed. */
const restartBackoff: Backoff = { firstMs: 250, maxMs: 10_000 };

/** Owns the worker that lists, searches and reads threads. Starts it when needed, and restarts it after failures. */
export class ThreadWorkerOwner implements Disposable {
  private state: WorkerState = { kind: 'ended', failureCount: 0, startsAt: -Infinity };
  private readonly disposables = new DisposableStore();
  /** Runs one retry at a time, so that a request that ends the worker does not end other retries with it. */
  private readonly retryQueue = new KeyedQueue();
  private holdCount = 0;
  private idleTimer: Disposable | undefined;

  constructor(private readonly deps: ThreadWorkerDeps) {}

  /**
   * Runs `work` with the current worker. If the worker ends during several requests, retries once with a new worker,
   * because another request may have caused the end.
   * @throws ThreadError `cancelled` after disposal; WorkerEndedError
   */
  async runWithWorker<Result>(work: (connection: WorkerConnection) => Promise<Result>): Promise<Result> {
    try {
      return await this.runWithWorkerOnce(work);
    } catch (error) {
      if (!(error instanceof WorkerEndedError) || !error.wasShared) throw error;
      return await this.retryQueue.run('retry', () => this.runWithWorkerOnce(work));
    }
  }

  /** Like `runWithWorker`, but without the retry. */
  async runWithWorkerOnce<Result>(work: (connection: WorkerConnection) => Promise<Result>): Promise<Result> {
    const hold = this.keepAlive();
    try {
      return await work(await this.getOrStartConnection());
    } finally {
      hold.dispose();
    }
  }

  /** Keeps the worker and its memory until the result is disposed. */
  keepAlive(): Disposable {
    this.holdCount++;
    this.idleTimer?.dispose();
    return toDisposable(() => {
      this.holdCount--;
      if (this.holdCount === 0 && this.state.kind !== 'closed')
        this.idleTimer = this.deps.clock.setTimer(idleMs, () => this.stopWorker());
    });
  }

  dispose(): void {
    const { state } = this;
    this.state = { kind: 'closed' };
    this.idleTimer?.dispose();
    this.disposables.dispose();
    if (state.kind === 'running') state.connection.dispose();
  }

  private async getOrStartConnection(): Promise<WorkerConnection> {
    for (;;) {
      const state = this.detectWorkerEnd();
      if (state.kind === 'closed') throw new ThreadError('cancelled', 'The threads were closed.');
      if (state.kind === 'running') return state.connection;
      const pauseMs = state.startsAt - this.deps.clock.monotonicNow();
      if (pauseMs <= 0) this.startWorker(state.failureCount);
      else await this.waitBeforeRestart(pauseMs);
    }
  }

  private detectWorkerEnd(): WorkerState {
    const { state } = this;
    if (state.kind !== 'running' || !state.connection.hasEnded) return state;
    const failureCount = state.connection.hasAnswered ? 0 : state.failureCount + 1;
    const pauseMs = failureCount < 2 ? 0 : backoffMs(restartBackoff, failureCount - 1);
    this.state = { kind: 'ended', failureCount, startsAt: this.deps.clock.monotonicNow() + pauseMs };
    return this.state;
  }

  private startWorker(failureCount: number): void {
    const connection = new WorkerConnection(this.deps.workerFile, this.deps.log);
    connection.start();
    this.state = { kind: 'running', failureCount, connection };
  }

  /** Waits for `pauseMs`. Resolves earlier if this object is disposed. */
  private waitBeforeRestart(pauseMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.deps.clock.setTimer(pauseMs, () => {
        this.disposables.removeWithoutDisposing(end);
        resolve();
      });
      const end = toDisposable(() => {
        timer.dispose();
        resolve();
      });
      this.disposables.add(end);
    });
  }

  private stopWorker(): void {
    if (this.state.kind !== 'running') return;
    this.state.connection.dispose();
    this.state = { kind: 'ended', failureCount: 0, startsAt: -Infinity };
  }
}
