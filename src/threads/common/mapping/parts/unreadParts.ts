import type { Part } from '../../../../transcript/common/entries';
import { textOf, type JsonRecord } from '../../model/jsonValues';
import { rawJson } from '../../model/rawJson';
import { plainText } from './mapped';

/** What Amp writes beside all kinds of results, and shows or means for itself. */
const notForReaders: ReadonlySet<string> = new Set(['discoveredGuidanceFiles', '~debug']);

/** What is in a result besides what its reader has shown (`known`), so that nothing of another shape is lost. */
export function unreadParts(result: JsonRecord, known: readonly string[]): readonly Part[] {
  const unread = Object.entries(result).filter(
    ([key, value]) => !known.includes(key) && !notForReaders.has(key) && saysSomething(key, value),
  );
  const [first, ...others] = unread;
  if (!first) return [];
  const words = others.length === 0 ? textOf(first[1]) : undefined;
  return [words === undefined ? { type: 'json', json: rawJson(Object.fromEntries(unread)) } : plainText(words)];
}

function saysSomething(key: string, value: unknown): boolean {
  if (value === undefined || value === null || value === '') return false;
  return !(key === 'success' && value === true);
}
