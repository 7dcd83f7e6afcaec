import { KeyedQueue, type Clock } from '../../../base/common/async';
import { backoffMs, type Backoff } from '../../../base/common/backoff';
import { DisposableStore, toDisposable, type Disposable } from '../../../base/common/disposable';
import type { Logger } from '../../../base/common/log';
import { ThreadError } from '../../common/threadPorts';
import { WorkerEndedError, WorkerLink } from './workerLink';

interface ThreadWorkerPorts {
  /** `dist/thread-index-worker.js`, absolute. */
  readonly workerFile: string;
  readonly clock: Clock;
  readonly log: Logger;
}

type WorkerState =
  /** `failures`: so many workers in a row ended before they had answered anything. `startsAt` is of the monotonic clock. */
  | { readonly kind: 'ended'; readonly failures: number; readonly startsAt: number }
  | { readonly kind: 'running'; readonly failures: number; readonly link: WorkerLink }
  | { readonly kind: 'closed' };

/** A worker that nobody asks, and of which nobody needs what it has in memory, is ended after so long. */
const idleMs = 60_000;
/** The second try comes at once: a file that is too much for one worker need not be for the next. */
const pauses: Backoff = { firstMs: 250, maxMs: 10_000 };

/** The one worker that lists, searches and reads threads. It starts when it is asked something, and again when it has ended. */
export class ThreadWorkerOwner implements Disposable {
  private state: WorkerState = { kind: 'ended', failures: 0, startsAt: -Infinity };
  private readonly store = new DisposableStore();
  private readonly queue = new KeyedQueue();
  private users = 0;
  private idleTimer: Disposable | undefined;

  constructor(private readonly ports: ThreadWorkerPorts) {}

  /**
   * Runs `work` with the worker of the moment, and once more with the next one when the worker ended while it also did
   * something else, which may have ended it.
   * @throws ThreadError `cancelled` after the end; WorkerEndedError
   */
  async use<Result>(work: (link: WorkerLink) => Promise<Result>): Promise<Result> {
    try {
      return await this.useOnce(work);
    } catch (error) {
      if (!(error instanceof WorkerEndedError) || !error.wasShared) throw error;
      return await this.queue.run('again', () => this.useOnce(work));
    }
  }

  /** The same without a second try. */
  async useOnce<Result>(work: (link: WorkerLink) => Promise<Result>): Promise<Result> {
    const holding = this.hold();
    try {
      return await work(await this.running());
    } finally {
      holding.dispose();
    }
  }

  /** Somebody needs what the worker has in memory: it is not ended before the result is disposed. */
  hold(): Disposable {
    this.users++;
    this.idleTimer?.dispose();
    return toDisposable(() => {
      this.users--;
      if (this.users === 0 && this.state.kind !== 'closed')
        this.idleTimer = this.ports.clock.setTimer(idleMs, () => this.rest());
    });
  }

  dispose(): void {
    const { state } = this;
    this.state = { kind: 'closed' };
    this.idleTimer?.dispose();
    this.store.dispose();
    if (state.kind === 'running') state.link.dispose();
  }

  private async running(): Promise<WorkerLink> {
    for (;;) {
      const state = this.look();
      if (state.kind === 'closed') throw new ThreadError('cancelled', 'The threads were closed.');
      if (state.kind === 'running') return state.link;
      const pauseMs = state.startsAt - this.ports.clock.monotonicNow();
      if (pauseMs <= 0) this.start(state.failures);
      else await this.pause(pauseMs);
    }
  }

  /** What became of the worker meanwhile. */
  private look(): WorkerState {
    const { state } = this;
    if (state.kind !== 'running' || !state.link.isOver) return state;
    const failures = state.link.hasAnswered ? 0 : state.failures + 1;
    const pauseMs = failures < 2 ? 0 : backoffMs(pauses, failures - 1);
    this.state = { kind: 'ended', failures, startsAt: this.ports.clock.monotonicNow() + pauseMs };
    return this.state;
  }

  private start(failures: number): void {
    const link = new WorkerLink(this.ports.workerFile, this.ports.log);
    link.start();
    this.state = { kind: 'running', failures, link };
  }

  /** Ends early with this. */
  private pause(pauseMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.ports.clock.setTimer(pauseMs, () => {
        this.store.release(end);
        resolve();
      });
      const end = toDisposable(() => {
        timer.dispose();
        resolve();
      });
      this.store.add(end);
    });
  }

  private rest(): void {
    if (this.state.kind !== 'running') return;
    this.state.link.dispose();
    this.state = { kind: 'ended', failures: 0, startsAt: -Infinity };
  }
}
