import type { Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';
import type { RunningProviderNote } from './runningProviderNote';

const intervalMs = 125;
/** Number of intervals without a heartbeat after which a provider counts as blocking the worker. */
const maxIntervals = 2;
/** The same limit while a module is loaded, which happens once and can take longer. */
const maxLoadIntervals = 8;

interface BlockedWorkerMonitorDeps {
  readonly clock: Clock;
  readonly note: RunningProviderNote;
  /** Whether other providers wait for the running one. Undefined if no question is open. Monitoring then ends. */
  readonly isDelayingOthers: (running: number | undefined) => boolean | undefined;
  readonly onBlocked: (running: number | undefined) => void;
}

/** Detects that code of one provider blocks a shared worker, so that it cannot run the others. */
export class BlockedWorkerMonitor implements Disposable {
  private timer: Disposable | undefined;
  private lastProgress = '';
  private stalledIntervalCount = 0;
  private hasEnded = false;

  constructor(private readonly deps: BlockedWorkerMonitorDeps) {}

  /** Monitors the worker until all requests to it are answered. */
  start(): void {
    if (this.timer || this.hasEnded || this.deps.isDelayingOthers(undefined) === undefined) return;
    this.lastProgress = progressOf(this.deps.note.read());
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
    const notes = this.deps.note.read();
    const { heartbeatCount, running, isLoading } = notes;
    const progress = progressOf(notes);
    const isDelayingOthers = this.deps.isDelayingOthers(running);
    if (isDelayingOthers === undefined || this.hasEnded) return;
    // Before the first heartbeat, the program has not started yet.
    const isStill = heartbeatCount !== 0 && progress === this.lastProgress;
    this.stalledIntervalCount = isStill && isDelayingOthers ? this.stalledIntervalCount + 1 : 0;
    this.lastProgress = progress;
    if (this.stalledIntervalCount >= (isLoading ? maxLoadIntervals : maxIntervals)) this.deps.onBlocked(running);
    else this.schedule();
  }
}

/**
 * Modules are loaded one after another, so a module that never finishes loading delays the others without blocking the
 * worker.
 */
function progressOf({ isLoading, loadCount, heartbeatCount }: ReturnType<RunningProviderNote['read']>): string {
  return isLoading ? `module ${loadCount}` : `sign ${heartbeatCount}`;
}
