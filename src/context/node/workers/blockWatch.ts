import type { Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';
import type { RunNote } from './runNote';

const intervalMs = 125;
/** Intervals without a sign of life after which a provider holds up the others for too long. */
const maxIntervals = 2;
/** The same while a module is loaded, which can take a while and happens once. */
const maxLoadIntervals = 8;

interface BlockWatchDeps {
  readonly clock: Clock;
  readonly note: RunNote;
  /** Whether others wait for the provider that runs. Undefined while no question is open, which ends the watch. */
  readonly isHoldingUp: (running: number | undefined) => boolean | undefined;
  readonly onBlocked: (running: number | undefined) => void;
}

/** Notices that code of one provider keeps a shared worker from running the others. */
export class BlockWatch implements Disposable {
  private timer: Disposable | undefined;
  private lastProgress = '';
  private intervals = 0;
  private hasEnded = false;

  constructor(private readonly deps: BlockWatchDeps) {}

  /** Watches until no question is open. */
  start(): void {
    if (this.timer || this.hasEnded || this.deps.isHoldingUp(undefined) === undefined) return;
    this.lastProgress = progressOf(this.deps.note.read());
    this.intervals = 0;
    this.schedule();
  }

  dispose(): void {
    this.hasEnded = true;
    this.timer?.dispose();
  }

  private schedule(): void {
    this.timer = this.deps.clock.setTimer(intervalMs, () => this.look());
  }

  private look(): void {
    this.timer = undefined;
    const notes = this.deps.note.read();
    const { signsOfLife, running, isLoading } = notes;
    const progress = progressOf(notes);
    const isHoldingUp = this.deps.isHoldingUp(running);
    if (isHoldingUp === undefined || this.hasEnded) return;
    // Without any sign, the program has not started yet.
    const isStill = signsOfLife !== 0 && progress === this.lastProgress;
    this.intervals = isStill && isHoldingUp ? this.intervals + 1 : 0;
    this.lastProgress = progress;
    if (this.intervals >= (isLoading ? maxLoadIntervals : maxIntervals)) this.deps.onBlocked(running);
    else this.schedule();
  }
}

/** Modules are loaded one after another, so that one which is never loaded holds up the others without blocking. */
function progressOf({ isLoading, loadCount, signsOfLife }: ReturnType<RunNote['read']>): string {
  return isLoading ? `module ${loadCount}` : `sign ${signsOfLife}`;
}
