/**
 * RFC 3339 in UTC of a time as a server wrote it. One without a zone is local time: the server that writes so runs on this
 * machine. Undefined for what is no time.
 */
export function toRfc3339(text: string | undefined): string | undefined {
  const timeMs = text === undefined ? NaN : Date.parse(text);
  return Number.isNaN(timeMs) ? undefined : new Date(timeMs).toISOString();
}

/** RFC 3339 in UTC, to the second, as the API reference writes times. */
export function wireTime(timeMs: number): string {
  return new Date(timeMs).toISOString().replace(/\.\d{3}Z$/u, 'Z');
}
