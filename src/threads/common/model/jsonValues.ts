import { isRecord } from '../../../base/common/isRecord';

/** Looks at parsed JSON of unknown shape. */

export type JsonRecord = Readonly<Record<string, unknown>>;

export { isRecord } from '../../../base/common/isRecord';

/** An empty one for what is no array. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** What a table has for a word of a file, which may also be the name of what every object has, as `constructor`. */
export function ownOf<Value>(table: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

/** Undefined for all but texts that say something. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A whole number that is not negative, as of tokens. */
export function countOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** Milliseconds since the epoch, of milliseconds or an ISO date. */
export function timeOf(value: unknown): number | undefined {
  const ms = typeof value === 'string' ? Date.parse(value) : value;
  return typeof ms === 'number' && Number.isFinite(ms) && ms > 0 && ms < 8.64e15 ? ms : undefined;
}

/** The first line with something in it, cut to at most `max` UTF-16 units. */
export function firstLine(text: string, max = 300): string {
  // What comes before it may be long, and so may the line.
  const line = /[^\s][^\r\n]{0,1000}/.exec(text)?.[0].trimEnd() ?? '';
  return line.length > max ? `${line.slice(0, max - 1).replace(/[\ud800-\udbff]$/, '')}…` : line;
}

/** Whether two values are the same JSON. Shared parts cost nothing. */
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
