import { isRecord } from './isRecord';

/** Deeper than anything a tool takes; what is deeper must not exhaust the stack. */
const maxDepth = 64;

/**
 * The one text of a value of JSON: members sorted by name, no spaces. Undefined for what has no such text: it is too deep,
 * no JSON, or has a member that objects treat in a way of their own (`__proto__`).
 */
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
    const text = isPlainName(name) ? canonicalJson(member, depth + 1) : undefined;
    if (text === undefined) return undefined;
    members.push(`${JSON.stringify(name)}:${text}`);
  }
  return `{${members.join(',')}}`;
}

/** By the names, in the order of their UTF-16 units. */
export function sortedEntries<T>(record: Readonly<Record<string, T>>): [string, T][] {
  return Object.entries(record).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}

/** Whether an object can have a member of that name like any other. */
export function isPlainName(name: string): boolean {
  return name !== '__proto__';
}
