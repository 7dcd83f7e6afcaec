/** RFC 3339 in UTC, to the second, as the API reference writes times. */
export function wireTime(timeMs: number): string {
  return new Date(timeMs).toISOString().replace(/\.\d{3}Z$/u, 'Z');
}
