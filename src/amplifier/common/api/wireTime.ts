/**
 * Converts a server's time to RFC 3339 in UTC; undefined if it is invalid. A time without a zone is local time: the
 * server that omits the zone runs on this machine.
 */
export function toRfc3339(text: string | undefined): string | undefined {
  const timeMs = text === undefined ? NaN : Date.parse(text);
  return Number.isNaN(timeMs) ? undefined : new Date(timeMs).toISOString();
}

/** Formats a time in RFC 3339, UTC, with seconds precision, as the API reference does. */
export function formatWireTime(timeMs: number): string {
  return new Date(timeMs).toISOString().replace(/\.\d{3}Z$/u, 'Z');
}
