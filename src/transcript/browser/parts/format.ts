// Formats numbers, durations and times.

const counts = new Intl.NumberFormat('en');
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const moments = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** Formats a number as `1,234`. */
export function formatCount(count: number): string {
  return counts.format(count);
}

/** Formats a count with its noun: `1 line`, `1,234 lines`. */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** Formats a number in short as `12.3K`. */
export function formatTokens(count: number): string {
  return compact.format(count);
}

/** Formats a duration: `0.3 s`, `12 s`, `3 min 5 s`, `2 h 1 min`. */
export function formatDuration(ms: number): string {
  if (ms < 10 * second) return withUnit(Math.max(0.1, Math.round(ms / 100) / 10), 's');
  if (ms < minute) return withUnit(Math.round(ms / second), 's');
  if (ms < hour)
    return `${withUnit(Math.floor(ms / minute), 'min')} ${withUnit(Math.floor((ms % minute) / second), 's')}`;
  return `${withUnit(Math.floor(ms / hour), 'h')} ${withUnit(Math.floor((ms % hour) / minute), 'min')}`;
}

/** Joins with a non-breaking space. */
function withUnit(amount: number, unit: string): string {
  return `${amount}\u00a0${unit}`;
}

/** Formats a text size in UTF-16 units: `900 characters`, `12 KB`, `1.5 MB`. */
export function formatSize(units: number): string {
  if (units < 10_000) return countOf(units, 'character');
  if (units < 1_000_000) return `${Math.round(units / 1_000)} KB`;
  return `${(units / 1_000_000).toFixed(1)} MB`;
}

/** Formats a date and time in the reader's time zone. */
export function formatMoment(at: number): string {
  return moments.format(at);
}

/** Formats an age: `now`, `5 min. ago`, `yesterday`; the date after a week. */
export function formatAge(at: number, now: number): string {
  const age = Math.max(0, now - at);
  if (age < minute) return 'now';
  if (age < hour) return relative.format(-Math.floor(age / minute), 'minute');
  if (age < day) return relative.format(-Math.floor(age / hour), 'hour');
  if (age < 7 * day) return relative.format(-Math.floor(age / day), 'day');
  return formatMoment(at);
}

/** Milliseconds until the result of `formatAge` changes; undefined if it never does. */
export function ageChangesIn(at: number, now: number): number | undefined {
  const age = Math.max(0, now - at);
  if (age >= 7 * day) return undefined;
  const step = age < hour ? minute : age < day ? hour : day;
  return step - (age % step);
}

/** Formats a cost with its currency sign, or with the backend's own unit. */
export function formatCost({ amount, currency }: { amount: number; currency: string }): string {
  if (!/^[A-Z]{3}$/.test(currency)) return `${Number(amount.toPrecision(3))} ${currency}`;
  return new Intl.NumberFormat('en', { style: 'currency', currency, maximumFractionDigits: 4 }).format(amount);
}
