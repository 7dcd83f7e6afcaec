import type { SessionEvent, SessionEventName } from '../../../../session/common/sessionEvents';
import { isSessionStateEvent } from '../../../../session/common/sessionStateEvents';

/** Tracks after which event a loading client continues: the one before the running turn, or else the last one. */
export class ResumePointTracker {
  private readonly stateEventByName = new Map<SessionEventName, SessionEvent>();
  private lastEventId = 0;
  private eventIdBeforeTurn: number | undefined;

  constructor(private readonly sessionId: string) {}

  /** Call before each event is sent. `id` is the number of the event in the session's feed. */
  recordEvent(event: SessionEvent, id: number): void {
    if (event.event === 'prompt:submit') this.eventIdBeforeTurn = this.lastEventId;
    if (event.event === 'prompt:complete' || event.event === 'error') this.eventIdBeforeTurn = undefined;
    if (isSessionStateEvent(event)) this.stateEventByName.set(event.event, event);
    this.lastEventId = id;
  }

  /** The id of the event after which the client continues, and events that describe the state at that point. */
  get fieldsForSessionStatus(): { readonly last_event_id: number; readonly state: readonly object[] } {
    const events = [...this.stateEventByName.values()];
    return {
      last_event_id: this.eventIdBeforeTurn ?? this.lastEventId,
      state: events.map(({ event, data }) => ({ event, data: { ...data, session_id: this.sessionId } })),
    };
  }
}
