import type { SessionEvent, SessionEventName } from '../../../session/common/sessionEvents';

/** What a session is now, also when it is told among its history. */
const present: ReadonlySet<SessionEventName> = new Set([
  'config:update',
  'commands:update',
  'usage:update',
  'session:info',
  'session:end',
  'notice',
]);

/** Tells apart what a loaded session says of its past, which is in the transcript already, and what is new. */
export class HistorySkip {
  private isOver = false;
  private inReplayedTurn = false;

  constructor(private readonly session: { readonly isBusy: boolean }) {}

  /** It is known from elsewhere that what comes now is new. */
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
    // Told while nothing runs, it is past; a turn that was running all along tells no prompt.
    this.isOver = this.session.isBusy;
    return !this.isOver;
  }
}
