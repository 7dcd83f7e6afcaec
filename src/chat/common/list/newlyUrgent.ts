import { countWithNoun } from '../../../base/common/text/countWithNoun';
import { showHiddenCharacters } from '../../../base/common/text/hiddenCharacters';
import type { ConversationRow } from '../chatView';

/** Maximum number of conversations that are named. */
const maxNamed = 2;

/**
 * Returns what a screen reader says of rows that have changed: which conversations have begun to need input, ask for something
 * else, have failed or were interrupted. Empty if there are none. What was not known before is only listed, and not said.
 */
export function newlyUrgent(before: ReadonlyMap<string, ConversationRow>, changed: readonly ConversationRow[]): string {
  const news = changed.filter((row) => {
    const known = before.get(row.id);
    return known && (urgencyOf(known) !== urgencyOf(row) || asksForOther(known, row));
  });
  const inState = (wanted: ConversationRow['state']) => news.filter(({ state }) => state === wanted);
  return [
    ...sentences(inState('waiting'), 'need input', ({ need }) => `needs your input${need ? `: ${need.text}` : ''}`),
    ...sentences(inState('failed'), 'failed', () => 'failed'),
    ...sentences(inState('interrupted'), 'were interrupted', () => 'was interrupted'),
  ].join(' ');
}

/** A conversation that has failed or was interrupted has ended, whichever of them is said. */
function urgencyOf({ state }: ConversationRow): string {
  return state === 'interrupted' ? 'failed' : state;
}

/** Whether it still waits, but for something else. */
function asksForOther({ need: before }: ConversationRow, { need }: ConversationRow): boolean {
  return need?.text !== before?.text || need?.answer?.approvalId !== before?.answer?.approvalId;
}

function sentences(
  rows: readonly ConversationRow[],
  together: string,
  alone: (row: ConversationRow) => string,
): string[] {
  if (rows.length > maxNamed) return [`${countWithNoun(rows.length, 'conversation')} ${together}.`];
  return rows.map((row) => `“${showHiddenCharacters(row.title)}” ${alone(row)}.`);
}
