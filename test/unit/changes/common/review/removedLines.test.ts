import assert from 'node:assert/strict';
import { hunksBetween } from '../../../../../src/changes/common/review/hunks';
import { splitLines } from '../../../../../src/changes/common/review/lines';
import { removedLines, type RemovedLines } from '../../../../../src/changes/common/review/removedLines';

describe('the removed lines of a change', () => {
  const between = (before: string, after: string): (RemovedLines | undefined)[] =>
    hunksBetween(before, after).map((hunk) => removedLines(hunk, splitLines(before)));

  it('are none where lines were only added', () => {
    assert.deepEqual(between('a\nb\n', 'a\nnew\nb\n'), [undefined]);
    assert.deepEqual(between('', 'a\nb'), [undefined]);
  });

  it('are those that are gone or replaced, with any line ending', () => {
    assert.deepEqual(between('a\r\nb\r\nc\r\nd\r\n', 'a\r\nB\r\nd\r\n'), [{ count: 2, text: 'b\nc', more: 0 }]);
  });

  it('are shown as far as a hover has room, and counted', () => {
    const lines = Array.from({ length: 100 }, (_, index) => `line ${index}`);
    const [removed] = between(['first', ...lines, 'last'].join('\n'), 'first\nlast');
    assert.deepEqual([removed?.count, removed?.text.split('\n').length, removed?.more], [100, 30, 70]);
    assert.ok(removed?.text.startsWith('line 0\n'));
  });
});
