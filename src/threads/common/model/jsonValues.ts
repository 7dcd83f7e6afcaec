import { isRecord } from '../../../base/common/isRecord';

/** Helpers for parsed JSON whose structure is unknown. */

export type JsonRecord = Readonly<Record<string, unknown>>;

export { isRecord } from '../../../base/common/isRecord';

/** Returns the value if it is an array, and otherwise an empty list. */
export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Looks up a key from a file, such as `constructor`. Ignores inherited properties. */
export function ownValue<Value>(table: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

/** Returns the value if it is a non-empty text, and otherwise undefined. */
export function asNonEmptyText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Returns the value if it is a non-negative integer, and otherwise undefined. */
export function asCount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** Returns a time in milliseconds since the epoch. Accepts such a number or an ISO date. */
export function asTimeMs(value: unknown): number | undefined {
  const ms = typeof value === 'string' ? Date.parse(value) : value;
  return typeof ms === 'number' && Number.isFinite(ms) && ms > 0 && ms < 8.64e15 ? ms : undefined;
}

/** Returns the first line that is not blank, truncated to `maxUnits` UTF-16 units. */
export function firstLine(text: string, maxUnits = 300): string {
  // The pattern limits the length, because the line may be very long.
  const line = /[^\s][^\r\n]{0,1000}/.exec(text)?.[0].trimEnd() ?? '';
  return line.length > maxUnits ? `${line.slice(0, maxUnits - 1).replace(/[\ud800-\udbff]$/, '')}…` : line;
}

/** Compares two JSON values. Fast if they share objects. */
export function isSameJson(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (Array.isArray(one)) {
    return (
      Array.isArray(other) && one.length === other.length && one.every((item, index) => isSameJson(item, other[index]))
    );
  }
  if (!isRecord(one) || !isRecord(other)) return false;
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => isSameJson(one[key], other[key]));
}
