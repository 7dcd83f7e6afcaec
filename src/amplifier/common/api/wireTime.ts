/** Converts a server's time to RFC 3339 in UTC. Undefined if it is invalid. A time without a zone is local time. */
export function toRfc3339(text: string | undefined): string | undefined {
  const timeMs = text === undefined ? NaN : Date.parse(text);
  return Number.isNaN(timeMs) ? undefined : new Date(timeMs).toISOString();
}

/** Formats a time as RFC 3339 in UTC with a precision of seconds, like the API reference. */
export function formatWireTime(timeMs: number): string {
  return new Date(timeMs).toISOString().replace(/\.\d{3}Z$/u, 'Z');
}
