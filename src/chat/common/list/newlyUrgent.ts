import { countWithNoun } from '../../../base/common/text/countWithNoun';
import { showHiddenCharacters } from '../../../base/common/text/hiddenCharacters';
import type { ConversationRow } from '../chatView';

/** Maximum number of conversations that are named. */
const maxNamed = 2;

/**
 * Returns what a screen reader says of rows that have changed: which conversations have begun to need input, or have failed.
 * Empty if there are none.
 */
export function newlyUrgent(before: ReadonlyMap<string, ConversationRow>, changed: readonly ConversationRow[]): string {
  const begun = (states: readonly ConversationRow['state'][]): ConversationRow[] =>
    changed.filter((row) => states.includes(row.state) && !states.includes(before.get(row.id)?.state ?? 'idle'));
  const waiting = begun(['waiting']);
  const failed = begun(['failed', 'interrupted']);
  const said = [
    ...sentences(waiting, 'need input', ({ need }) => `needs your input${need ? `: ${need.text}` : ''}`),
    ...sentences(failed, 'failed', ({ state }) => (state === 'failed' ? 'failed' : 'was interrupted')),
  ];
  return said.join(' ');
}

function sentences(
  rows: readonly ConversationRow[],
  together: string,
  alone: (row: ConversationRow) => string,
): string[] {
  if (rows.length > maxNamed) return [`${countWithNoun(rows.length, 'conversation')} ${together}.`];
  return rows.map((row) => `“${showHiddenCharacters(row.title)}” ${alone(row)}.`);
}
