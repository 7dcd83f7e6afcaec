import type { Entry } from '../../../transcript/common/entries';
import type { OutlineItem } from './threadApi';

const maxUnits = 140;

/** Returns all prompts of the user in reading order. */
export function threadOutline(entries: readonly Entry[]): OutlineItem[] {
  return entries.flatMap((entry): OutlineItem[] => {
    if (entry.kind !== 'prompt' || entry.parent !== undefined) return [];
    const { id, turn, at } = entry;
    return [{ entryId: id, turn, text: lineOf(entry.text), ...(at === undefined ? {} : { at }) }];
  });
}

function lineOf(text: string): string {
  // The text is truncated first, because a prompt may be a whole file.
  const line = text
    .slice(0, 4 * maxUnits)
    .replace(/\s+/g, ' ')
    .trim();
  if (line === '') return 'Attachments only';
  return line.length <= maxUnits ? line : `${line.slice(0, maxUnits).toWellFormed()}…`;
}
