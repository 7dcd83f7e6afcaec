const countFormat = new Intl.NumberFormat('en');
const compactFormat = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const dateTimeFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const relativeFormat = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** Formats a number, for example `1,234`. */
export function formatCount(count: number): string {
  return countFormat.format(count);
}

/** Formats a count with its noun, for example `1 line` or `1,234 lines`. */
export function formatCountWithNoun(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** Formats a number in short form, for example `12.3K`. */
export function formatTokens(count: number): string {
  return compactFormat.format(count);
}

/** Formats a duration, for example `0.3 s`, `12 s`, `3 min 5 s` or `2 h 1 min`. */
export function formatDuration(ms: number): string {
  if (ms < 10 * secondMs) return withUnit(Math.max(0.1, Math.round(ms / 100) / 10), 's');
  if (ms < minuteMs) return withUnit(Math.round(ms / secondMs), 's');
  if (ms < hourMs)
    return `${withUnit(Math.floor(ms / minuteMs), 'min')} ${withUnit(Math.floor((ms % minuteMs) / secondMs), 's')}`;
  return `${withUnit(Math.floor(ms / hourMs), 'h')} ${withUnit(Math.floor((ms % hourMs) / minuteMs), 'min')}`;
}

function withUnit(amount: number, unit: string): string {
  return `${amount}\u00a0${unit}`;
}

/** Formats the size of a text in UTF-16 units, for example `900 characters`, `12 KB` or `1.5 MB`. */
export function formatTextSize(units: number): string {
  if (units < 10_000) return formatCountWithNoun(units, 'character');
  if (units < 1_000_000) return `${Math.round(units / 1_000)} KB`;
  return `${(units / 1_000_000).toFixed(1)} MB`;
}

export function formatDateTime(at: number): string {
  return dateTimeFormat.format(at);
}

/** Formats an age, for example `now`, `5 min. ago` or `yesterday`. After a week, returns the date. */
export function formatAge(at: number, now: number): string {
  const age = Math.max(0, now - at);
  if (age < minuteMs) return 'now';
  if (age < hourMs) return relativeFormat.format(-Math.floor(age / minuteMs), 'minute');
  if (age < dayMs) return relativeFormat.format(-Math.floor(age / hourMs), 'hour');
  if (age < 7 * dayMs) return relativeFormat.format(-Math.floor(age / dayMs), 'day');
  return formatDateTime(at);
}

/** Formats an age in few letters, for example `now`, `5 min`, `3 h`, `2 d`, `Nov 3` or `Nov 2024`. */
export function formatShortAge(at: number, now: number): string {
  const age = Math.max(0, now - at);
  if (age < minuteMs) return 'now';
  if (age < hourMs) return withUnit(Math.floor(age / minuteMs), 'min');
  if (age < dayMs) return withUnit(Math.floor(age / hourMs), 'h');
  if (age < 7 * dayMs) return withUnit(Math.floor(age / dayMs), 'd');
  const isThisYear = new Date(at).getFullYear() === new Date(now).getFullYear();
  return new Date(at).toLocaleDateString('en', {
    month: 'short',
    ...(isThisYear ? { day: 'numeric' } : { year: 'numeric' }),
  });
}

/** Returns the number of milliseconds until the result of `formatAge` changes. Undefined if it never changes. */
export function msUntilAgeChanges(at: number, now: number): number | undefined {
  const age = Math.max(0, now - at);
  if (age >= 7 * dayMs) return undefined;
  const step = age < hourMs ? minuteMs : age < dayMs ? hourMs : dayMs;
  return step - (age % step);
}

/** Formats a cost with its currency sign, or with the unit of the backend. */
export function formatCost({ amount, currency }: { amount: number; currency: string }): string {
  if (!/^[A-Z]{3}$/.test(currency)) return `${Number(amount.toPrecision(3))} ${currency}`;
  return new Intl.NumberFormat('en', { style: 'currency', currency, maximumFractionDigits: 4 }).format(amount);
}

/** Formats a cost in whole cents, for a list. Undefined if there is none. */
export function formatRoughCost({ amount, currency }: { amount: number; currency: string }): string | undefined {
  if (amount <= 0) return undefined;
  if (!/^[A-Z]{3}$/.test(currency)) return formatCost({ amount, currency });
  const format = new Intl.NumberFormat('en', { style: 'currency', currency });
  return amount < 0.01 ? `< ${format.format(0.01)}` : format.format(amount);
}
