import type { BackendSession } from '../../../session/common/sessionBackend';
import { isPromptTurn } from '../../../session/common/sessionTurn';
import type { SessionEvent, SessionEventName } from '../../../session/common/sessionEvents';

/** Events that describe the current state of the session, even during a replay. */
const stateEvents: ReadonlySet<SessionEventName> = new Set([
  'config:update',
  'commands:update',
  'usage:update',
  'session:info',
  'session:end',
  'notice',
]);

/** Filters out the replayed history of a loaded session, which is already in the transcript. */
export class HistoryFilter {
  private hasHistoryEnded = false;
  private isInReplayedTurn = false;
  /** Whether a turn already ran when the session was loaded. */
  private readonly wasInTurn: boolean;

  /** `session` has just been loaded. */
  constructor(private readonly session: Pick<BackendSession, 'turn'>) {
    this.wasInTurn = session.turn !== 'none';
  }

  /** From now on, treats all events as new. */
  endHistory(): void {
    this.hasHistoryEnded = true;
  }

  isHistory(event: SessionEvent): boolean {
    if (this.hasHistoryEnded || stateEvents.has(event.event)) return false;
    if (event.event === 'session:start') return true;
    if (event.event === 'prompt:submit') {
      this.isInReplayedTurn = event.data.replayed === true;
      this.hasHistoryEnded = !this.isInReplayedTurn;
      return this.isInReplayedTurn;
    }
    const isEnd = event.event === 'prompt:complete' || event.event === 'error';
    if (this.isInReplayedTurn) {
      if (isEnd) this.isInReplayedTurn = false;
      return true;
    }
    // Events before the next prompt are history, unless a turn was already running, for which no prompt is reported. What
    // seems to be a turn of the agent afterwards is a history that comes late.
    this.hasHistoryEnded = this.wasInTurn || isPromptTurn(this.session.turn);
    return !this.hasHistoryEnded;
  }
}
