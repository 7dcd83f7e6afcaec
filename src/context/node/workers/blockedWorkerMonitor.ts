import type { Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';
import type { WorkerProgress } from './workerProgress';

const intervalMs = 125;
/** Number of intervals without a heartbeat after which a worker counts as blocked. */
const maxIntervals = 2;
/** The same limit while a module is loaded, which happens once and can take longer. */
const maxLoadIntervals = 8;

interface BlockedWorkerMonitorDeps {
  readonly clock: Clock;
  readonly progress: WorkerProgress;
  /** Whether several providers are asked. Undefined if no question is open. Monitoring then ends. */
  readonly areSeveralAsked: () => boolean | undefined;
  readonly onBlocked: () => void;
}

/** Detects that a provider blocks a shared worker while others are asked. */
export class BlockedWorkerMonitor implements Disposable {
  private timer: Disposable | undefined;
  private lastProgress = '';
  private stalledIntervalCount = 0;
  private hasEnded = false;

  constructor(private readonly deps: BlockedWorkerMonitorDeps) {}

  /** Monitors the worker until all requests to it are answered. */
  start(): void {
    if (this.timer || this.hasEnded || this.deps.areSeveralAsked() === undefined) return;
    this.lastProgress = progressOf(this.deps.progress.read());
    this.stalledIntervalCount = 0;
    this.schedule();
  }

  dispose(): void {
    this.hasEnded = true;
    this.timer?.dispose();
  }

  private schedule(): void {
    this.timer = this.deps.clock.setTimer(intervalMs, () => this.checkProgress());
  }

  private checkProgress(): void {
    this.timer = undefined;
    const read = this.deps.progress.read();
    const { heartbeatCount, isLoading } = read;
    const progress = progressOf(read);
    const areSeveralAsked = this.deps.areSeveralAsked();
    if (areSeveralAsked === undefined || this.hasEnded) return;
    // Before the first heartbeat, the program has not started yet.
    const isStill = heartbeatCount !== 0 && progress === this.lastProgress;
    this.stalledIntervalCount = isStill && areSeveralAsked ? this.stalledIntervalCount + 1 : 0;
    this.lastProgress = progress;
    if (this.stalledIntervalCount >= (isLoading ? maxLoadIntervals : maxIntervals)) this.deps.onBlocked();
    else this.schedule();
  }
}

/**
 * Modules are loaded one after another, so a module that never finishes loading delays the others without blocking the
 * worker.
 */
function progressOf({ isLoading, loadCount, heartbeatCount }: ReturnType<WorkerProgress['read']>): string {
  return isLoading ? `module ${loadCount}` : `sign ${heartbeatCount}`;
}
