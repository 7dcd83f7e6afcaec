import type { SessionEvent, SessionEventName } from './sessionEvents';

const names: ReadonlySet<SessionEventName> = new Set(['config:update', 'commands:update', 'usage:update']);

/** Whether the event replaces a part of the session's state, so that only the last one of its name matters. */
export function isSessionStateEvent({ event }: SessionEvent): boolean {
  return names.has(event);
}
