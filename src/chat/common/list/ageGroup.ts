const dayMs = 24 * 60 * 60 * 1000;

/** A group of what was at about the same time. */
interface TimeGroup {
  /** The day or month if it is one, and else the title: a day keeps its key when it is no longer today. */
  readonly key: string;
  readonly title: string;
}

/** Returns how long ago it was, for the heading of a group. Both times in milliseconds since the epoch. */
export function ageGroup(at: number, now: number): TimeGroup {
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  if (at >= midnight) return { key: dayKey(now), title: 'Today' };
  if (at >= midnight - dayMs) return { key: dayKey(at), title: 'Yesterday' };
  const title = at >= midnight - 7 * dayMs ? 'Last 7 days' : at >= midnight - 30 * dayMs ? 'Last 30 days' : 'Older';
  return { key: `age ${title}`, title };
}

/** Returns the day, or for what is older than a week the month, for the heading of a group. */
export function dayGroup(at: number, now: number): TimeGroup {
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  if (at >= midnight - dayMs) return ageGroup(at, now);
  const format = (options: Intl.DateTimeFormatOptions): string => new Date(at).toLocaleDateString('en', options);
  if (at >= midnight - 6 * dayMs) return { key: dayKey(at), title: format({ weekday: 'long' }) };
  const title = format({ month: 'long', year: 'numeric' });
  return { key: `month ${title}`, title };
}

function dayKey(at: number): string {
  return `day ${new Date(at).setHours(0, 0, 0, 0)}`;
}
