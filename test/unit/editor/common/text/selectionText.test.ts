import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { truncateRangeEnd } from '../../../../../src/editor/common/text/selectionText';
import { LineIndex, splitsSurrogatePair } from '../../../../../src/editor/common/text/textOffsets';

function cut(text: string, from: number, to: number, maxUnits: number): string {
  const index = new LineIndex(text);
  const lines = {
    lineAt: (line: number) => ({ text: index.lineText(line) }),
    lineEndingLength: text.includes('\r\n') ? 2 : 1,
  } as const;
  const range = index.rangeAt(from, to);
  return text.slice(from, index.offsetAt(truncateRangeEnd(lines, range, maxUnits)));
}

describe('truncateRangeEnd', () => {
  it('does not change a range that fits', () => {
    assert.equal(cut('one\ntwo', 1, 6, 5), 'ne\ntw');
  });

  it('cuts in the middle of a line, of the first, a later and the last one', () => {
    assert.equal(cut('abcdef', 1, 6, 3), 'bcd');
    assert.equal(cut('ab\ncdef\ng', 0, 9, 5), 'ab\ncd');
    assert.equal(cut('ab\ncdef', 0, 7, 6), 'ab\ncde');
  });

  it('cuts before a line ending that does not fit whole', () => {
    assert.equal(cut('ab\r\ncd', 0, 6, 3), 'ab');
    assert.equal(cut('ab\r\ncd', 0, 6, 4), 'ab\r\n');
  });

  it('cuts before a character that does not fit whole', () => {
    assert.equal(cut('a😀b', 0, 4, 2), 'a');
  });

  it('returns the longest beginning that fits', () => {
    const piece = fc.constantFrom('a', 'bc', '\n', '😀');
    const anyText = fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(anyText, fc.nat(20), (text, maxUnits) => {
        const whole = Math.min(maxUnits, text.length);
        const expected = splitsSurrogatePair(text, whole) ? whole - 1 : whole;
        assert.equal(cut(text, 0, text.length, maxUnits), text.slice(0, expected));
      }),
    );
  });
});
