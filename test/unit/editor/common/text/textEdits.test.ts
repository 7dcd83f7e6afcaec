import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import type { TextEdit } from '../../../../../src/editor/common/editorPort';
import { applyOffsetEdits, applyTextEdits, computeMinimalEdit } from '../../../../../src/editor/common/text/textEdits';
import { splitsLineEnding, splitsSurrogatePair } from '../../../../../src/editor/common/text/textOffsets';

const piece = fc.constantFrom('a', 'b', '\n', '\r\n', '\r', '😀', '😁', '🎸', '\ud83d', 'é');
const anyText = fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join(''));

function edit(start: [number, number], end: [number, number], newText: string): TextEdit {
  const range = {
    start: { line: start[0], character: start[1] },
    end: { line: end[0], character: end[1] },
  };
  return { range, newText };
}

describe('computeMinimalEdit', () => {
  it('converts one text to the other', () => {
    fc.assert(
      fc.property(anyText, anyText, (before, after) => {
        const change = computeMinimalEdit(before, after);
        assert.equal(applyOffsetEdits(before, change ? [change] : []), after);
      }),
    );
  });

  it('cuts no character and no CRLF in two, in either text', () => {
    fc.assert(
      fc.property(anyText, anyText, (before, after) => {
        const change = computeMinimalEdit(before, after);
        if (!change) return;
        const { start, end, newText } = change;
        const places = [
          [before, start],
          [before, end],
          [after, start],
          [after, start + newText.length],
        ] as const;
        for (const [text, offset] of places) {
          assert.ok(!splitsSurrogatePair(text, offset) && !splitsLineEnding(text, offset));
        }
      }),
    );
  });

  it('touches only what differs', () => {
    assert.deepEqual(computeMinimalEdit('one two three', 'one 2 three'), { start: 4, end: 7, newText: '2' });
    assert.deepEqual(computeMinimalEdit('aa', 'aaa'), { start: 2, end: 2, newText: 'a' });
    assert.deepEqual(computeMinimalEdit('abc', 'ac'), { start: 1, end: 2, newText: '' });
    assert.equal(computeMinimalEdit('same', 'same'), undefined);
  });

  it('replaces a whole emoji whose halves differ in one', () => {
    assert.deepEqual(computeMinimalEdit('x😀y', 'x😁y'), { start: 1, end: 3, newText: '😁' });
  });

  it('replaces a whole line ending', () => {
    assert.deepEqual(computeMinimalEdit('a\r\nb', 'a\nb'), { start: 1, end: 3, newText: '\n' });
    assert.deepEqual(computeMinimalEdit('a\rb', 'a\r\nb'), { start: 1, end: 2, newText: '\r\n' });
  });
});

describe('applyTextEdits', () => {
  it('interprets all ranges in the original text, in any order', () => {
    const edits = [edit([1, 0], [1, 3], 'TWO'), edit([0, 0], [0, 3], 'ONE')];
    assert.equal(applyTextEdits('one\ntwo', edits), 'ONE\nTWO');
  });

  it('keeps the order of insertions at one place', () => {
    assert.equal(applyTextEdits('x', [edit([0, 0], [0, 0], 'a'), edit([0, 0], [0, 0], 'b')]), 'abx');
  });

  it('lets edits touch', () => {
    assert.equal(applyTextEdits('abcd', [edit([0, 0], [0, 2], '1'), edit([0, 2], [0, 4], '2')]), '12');
  });

  for (const [what, edits] of [
    ['overlap', [edit([0, 0], [0, 2], ''), edit([0, 1], [0, 3], '')]],
    ['end before they start', [edit([0, 2], [0, 1], '')]],
    ['are beyond the text', [edit([0, 0], [1, 0], '')]],
    ['cut an emoji', [edit([0, 4], [0, 5], '')]],
  ] as const) {
    it(`refuses edits that ${what}`, () => {
      assert.throws(() => applyTextEdits('abc😀', edits), { code: 'invalidRange' });
    });
  }
});
