import type { SessionEvent, SessionEventName } from '../../../../session/common/sessionEvents';
import { isSessionState } from '../../../../session/common/sessionState';

/** Tracks where a client that loads a session resumes: at the start of the running turn, else after the last event. */
export class LoadPoint {
  private readonly state = new Map<SessionEventName, SessionEvent>();
  private lastEventId = 0;
  private beforeTurn: number | undefined;

  constructor(private readonly sessionId: string) {}

  /** Call before each event is sent, with its id in the session's feed. */
  take(event: SessionEvent, id: number): void {
    if (event.event === 'prompt:submit') this.beforeTurn = this.lastEventId;
    if (event.event === 'prompt:complete' || event.event === 'error') this.beforeTurn = undefined;
    if (isSessionState(event)) this.state.set(event.event, event);
    this.lastEventId = id;
  }

  /** Fields for the session's status: the event id to resume after, and the events that describe the current state. */
  get fields(): { readonly last_event_id: number; readonly state: readonly object[] } {
    const { beforeTurn, lastEventId, sessionId, state } = this;
    return {
      last_event_id: beforeTurn ?? lastEventId,
      state: [...state.values()].map(({ event, data }) => ({ event, data: { ...data, session_id: sessionId } })),
    };
  }
}
