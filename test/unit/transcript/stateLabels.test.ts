import assert from 'node:assert/strict';
import { createAnnouncements } from '../../../src/transcript/browser/list/announcer';
import type { EntryOf } from '../../../src/transcript/common/entries';
import { endWords } from '../../../src/transcript/common/stateLabels';
import { turnEndText } from '../../../src/transcript/common/export/exportTexts';

const noon = new Date(2026, 0, 1, 12).getTime();
const hour = 3_600_000;
const end: EntryOf<'end'> = {
  kind: 'end',
  id: 'e',
  turn: 1,
  at: noon,
  outcome: 'failed',
  text: 'The limit is reached.',
};

function resetIn(ms: number): EntryOf<'end'> {
  return { ...end, failure: { kind: 'usageLimit', resetsAt: noon + ms } };
}

describe('The words at the end of a turn', () => {
  it('say when a limit ends, with the day if it is another one', () => {
    assert.match(endWords(resetIn(3 * hour)) ?? '', /^The limit is reached\. It resets at (?:0?3|15)\D00.*\.$/u);
    assert.match(endWords(resetIn(30 * hour)) ?? '', /^The limit is reached\. It resets on .*2026.*\.$/u);
    assert.equal(endWords(end), 'The limit is reached.');
    assert.equal(endWords({}), undefined);
  });

  it('are the same for the page, aloud and in an export', () => {
    const entry = resetIn(3 * hour);
    assert.deepEqual(createAnnouncements({ addedEntries: [entry], changedEntries: [] }, String), [endWords(entry)]);
    assert.equal(turnEndText(entry), endWords(entry));
  });
});
