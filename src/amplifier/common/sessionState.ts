import type { AmplifierEvent, AmplifierEventName } from './events';

const names: ReadonlySet<AmplifierEventName> = new Set(['config:update', 'commands:update', 'usage:update']);

/** Whether the event says, whole, what a session is now: the last one of its name holds, in whatever turn it was told. */
export function isSessionState({ event }: AmplifierEvent): boolean {
  return names.has(event);
}
