import type { SessionEvent, SessionEventName } from '../../../../session/common/sessionEvents';
import { isSessionState } from '../../../../session/common/sessionState';

/** From where a client goes on that loads a session: behind its past, at the beginning of the turn that runs. */
export class LoadPoint {
  private readonly state = new Map<SessionEventName, SessionEvent>();
  private lastEventId = 0;
  private beforeTurn: number | undefined;

  constructor(private readonly sessionId: string) {}

  /** An event that is about to be told, and the id that it has in the session's feed. */
  take(event: SessionEvent, id: number): void {
    if (event.event === 'prompt:submit') this.beforeTurn = this.lastEventId;
    if (event.event === 'prompt:complete' || event.event === 'error') this.beforeTurn = undefined;
    if (isSessionState(event)) this.state.set(event.event, event);
    this.lastEventId = id;
  }

  /** What the status of the session says of it: the id to go on after, and what of the past still holds. */
  get fields(): { readonly last_event_id: number; readonly state: readonly object[] } {
    const { beforeTurn, lastEventId, sessionId, state } = this;
    return {
      last_event_id: beforeTurn ?? lastEventId,
      state: [...state.values()].map(({ event, data }) => ({ event, data: { ...data, session_id: sessionId } })),
    };
  }
}
