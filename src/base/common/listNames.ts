import { countOf } from './countOf';

const maxNames = 3;

/** For example `“a.ts”, “b.ts”, “c.ts” and 2 more files`. */
export function listNames(names: readonly string[]): string {
  const shown = names.slice(0, maxNames).map((name) => `“${name}”`);
  const rest = names.length - shown.length;
  const last = rest > 0 ? countOf(rest, 'more file') : shown.pop();
  return [shown.join(', '), last].filter((part) => part !== '').join(' and ');
}
