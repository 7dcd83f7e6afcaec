import type { SessionEvent, SessionEventName } from './sessionEvents';

const names: ReadonlySet<SessionEventName> = new Set(['config:update', 'commands:update', 'usage:update']);

/** Whether the event says, whole, what a session is now: the last one of its name holds, in whatever turn it was told. */
export function isSessionState({ event }: SessionEvent): boolean {
  return names.has(event);
}
