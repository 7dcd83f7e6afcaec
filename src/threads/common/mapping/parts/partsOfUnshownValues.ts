import type { Part } from '../../../../transcript/common/entries';
import { asNonEmptyText, type JsonRecord } from '../../model/jsonValues';
import { displayJson } from '../../model/displayJson';
import { plainTextPart } from './entryWithRawJson';

/** Keys that occur in all kinds of results. They are shown in other places or not at all. */
const ignoredKeys: ReadonlySet<string> = new Set(['discoveredGuidanceFiles', '~debug']);

/** Returns parts for the values of a result that are not in `shownKeys`, so that unknown data is not lost. */
export function partsOfUnshownValues(result: JsonRecord, shownKeys: readonly string[]): readonly Part[] {
  const unread = Object.entries(result).filter(
    ([key, value]) => !shownKeys.includes(key) && !ignoredKeys.has(key) && hasContent(key, value),
  );
  const [first, ...others] = unread;
  if (!first) return [];
  const text = others.length === 0 ? asNonEmptyText(first[1]) : undefined;
  return [text === undefined ? { type: 'json', json: displayJson(Object.fromEntries(unread)) } : plainTextPart(text)];
}

function hasContent(key: string, value: unknown): boolean {
  if (value === undefined || value === null || value === '') return false;
  return !(key === 'success' && value === true);
}
