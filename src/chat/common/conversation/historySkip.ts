import type { SessionEvent, SessionEventName } from '../../../session/common/sessionEvents';

/** Events that describe the current state of the session, even during a replay. */
const present: ReadonlySet<SessionEventName> = new Set([
  'config:update',
  'commands:update',
  'usage:update',
  'session:info',
  'session:end',
  'notice',
]);

/** Filters out the replayed history of a loaded session, which is already in the transcript. */
export class HistorySkip {
  private isOver = false;
  private inReplayedTurn = false;

  constructor(private readonly session: { readonly isBusy: boolean }) {}

  /** Treats all further events as new. */
  end(): void {
    this.isOver = true;
  }

  skips(event: SessionEvent): boolean {
    if (this.isOver || present.has(event.event)) return false;
    if (event.event === 'session:start') return true;
    if (event.event === 'prompt:submit') {
      this.inReplayedTurn = event.data.replayed === true;
      this.isOver = !this.inReplayedTurn;
      return this.inReplayedTurn;
    }
    const isEnd = event.event === 'prompt:complete' || event.event === 'error';
    if (this.inReplayedTurn) {
      if (isEnd) this.inReplayedTurn = false;
      return true;
    }
    // An event while no turn runs is history. A turn that was already running reports no prompt.
    this.isOver = this.session.isBusy;
    return !this.isOver;
  }
}
