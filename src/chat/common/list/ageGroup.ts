const dayMs = 24 * 60 * 60 * 1000;

/** Returns how long ago it was, for the heading of a group. Both times in milliseconds since the epoch. */
export function ageGroup(at: number, now: number): string {
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  if (at >= midnight) return 'Today';
  if (at >= midnight - dayMs) return 'Yesterday';
  if (at >= midnight - 7 * dayMs) return 'Last 7 days';
  return at >= midnight - 30 * dayMs ? 'Last 30 days' : 'Older';
}

/** Returns the day, or for what is older than a week the month, for the heading of a group. */
export function dayGroup(at: number, now: number): string {
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  if (at >= midnight - dayMs) return ageGroup(at, now);
  const format: Intl.DateTimeFormatOptions =
    at >= midnight - 6 * dayMs ? { weekday: 'long' } : { month: 'long', year: 'numeric' };
  return new Date(at).toLocaleDateString('en', format);
}
