import { isRecord } from './isRecord';

/** Maximum nesting depth, which prevents a stack overflow. Input of real tools is never this deep. */
const maxDepth = 64;

/** Returns JSON with sorted members and no spaces. Undefined for deep nesting, invalid JSON, or `__proto__`. */
export function canonicalJson(value: unknown, depth = 0): string | undefined {
  if (depth > maxDepth) return undefined;
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number') return Number.isFinite(value) ? JSON.stringify(value) : undefined;
  if (Array.isArray(value)) {
    const items = value.map((item) => canonicalJson(item, depth + 1));
    return items.includes(undefined) ? undefined : `[${items.join(',')}]`;
  }
  if (!isRecord(value)) return undefined;
  const members: string[] = [];
  for (const [name, member] of sortedEntries(value)) {
    if (member === undefined) continue;
    const text = isSafePropertyName(name) ? canonicalJson(member, depth + 1) : undefined;
    if (text === undefined) return undefined;
    members.push(`${JSON.stringify(name)}:${text}`);
  }
  return `{${members.join(',')}}`;
}

/** The entries sorted by name, in UTF-16 code unit order. */
export function sortedEntries<T>(record: Readonly<Record<string, T>>): [string, T][] {
  return Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Whether objects treat a member of this name as data. False for `__proto__`. */
export function isSafePropertyName(name: string): boolean {
  return name !== '__proto__';
}
