/** Converts a server's time to RFC 3339 in UTC; undefined if invalid. Without a zone, it is the local time. */
export function toRfc3339(text: string | undefined): string | undefined {
  const timeMs = text === undefined ? NaN : Date.parse(text);
  return Number.isNaN(timeMs) ? undefined : new Date(timeMs).toISOString();
}

/** Formats a time in RFC 3339, UTC, with seconds precision, as the API reference does. */
export function formatWireTime(timeMs: number): string {
  return new Date(timeMs).toISOString().replace(/\.\d{3}Z$/u, 'Z');
}
