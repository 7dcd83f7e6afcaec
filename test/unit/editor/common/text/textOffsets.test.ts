import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import {
  LineIndex,
  splitsLineEnding,
  splitsSurrogatePair,
  utf16OffsetAt,
  utf8Length,
} from '../../../../../src/editor/common/text/textOffsets';

const invalidRange = { name: 'EditorError', code: 'invalidRange' };

/** Pieces that are hard for offsets, in any order: line endings, wide and combining characters, halves of pairs. */
const piece = fc.constantFrom(
  'a',
  'Z ',
  '\n',
  '\r\n',
  '\r',
  'é',
  'e\u0301',
  '世界',
  '😀',
  '👩‍👩‍👧',
  '\ud83d',
  '\ude00',
  '\u2028',
  '\0',
  '\ufeff',
);
const anyText = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''));

/** Every UTF-16 offset of a text that is between two characters. */
function boundaries(text: string): number[] {
  return Array.from({ length: text.length + 1 }, (_, offset) => offset).filter(
    (offset) => !splitsSurrogatePair(text, offset),
  );
}

describe('byte offsets', () => {
  it('count what an encoder writes, lone surrogates included', () => {
    fc.assert(fc.property(anyText, (text) => assert.equal(utf8Length(text), Buffer.byteLength(text))));
  });

  it('name the same place as UTF-16 offsets', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        for (const offset of boundaries(text)) {
          assert.equal(utf16OffsetAt(text, Buffer.byteLength(text.slice(0, offset))), offset);
        }
      }),
    );
  });

  it('inside a character are refused, each of them', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const good = new Set(boundaries(text).map((offset) => Buffer.byteLength(text.slice(0, offset))));
        for (let bytes = 0; bytes <= Buffer.byteLength(text); bytes++) {
          if (good.has(bytes)) continue;
          assert.throws(() => utf16OffsetAt(text, bytes), invalidRange);
        }
      }),
    );
  });

  for (const bad of [-1, 6, 1.5, NaN, Infinity]) {
    it(`of ${bad} are refused in a text of five bytes`, () => {
      assert.throws(() => utf16OffsetAt('hällo'.slice(0, 4), bad), invalidRange);
    });
  }
});

describe('LineIndex', () => {
  it('sees the lines that VS Code sees', () => {
    const lines = new LineIndex('a\r\nb\rc\n\u2028d');
    assert.deepEqual(
      Array.from({ length: lines.lineCount }, (_, line) => lines.lineText(line)),
      ['a', 'b', 'c', '\u2028d'],
    );
  });

  it('has an empty last line after a line ending, and one line in an empty text', () => {
    assert.equal(new LineIndex('a\n').lineCount, 2);
    assert.equal(new LineIndex('').lineCount, 1);
  });

  it('converts offsets to positions and back', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const lines = new LineIndex(text);
        for (const offset of boundaries(text)) {
          if (splitsLineEnding(text, offset)) assert.throws(() => lines.positionAt(offset), invalidRange);
          else assert.equal(lines.offsetAt(lines.positionAt(offset)), offset);
        }
      }),
    );
  });

  it('counts the line endings before an offset as its line', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const lines = new LineIndex(text);
        for (const offset of boundaries(text).filter((offset) => !splitsLineEnding(text, offset))) {
          const { line, character } = lines.positionAt(offset);
          const before = text.slice(0, offset).split(/\r\n|\r|\n/);
          assert.deepEqual([line, character], [before.length - 1, before.at(-1)?.length]);
        }
      }),
    );
  });

  const lines = new LineIndex('one\r\n😀\n');
  for (const [line, character] of [
    [0, 4],
    [0, -1],
    [0, 0.5],
    [1, 1],
    [3, 0],
    [-1, 0],
  ] as const) {
    it(`refuses position ${line}:${character}, which the text does not have`, () => {
      assert.throws(() => lines.offsetAt({ line, character }), invalidRange);
    });
  }

  it('clamps a position to the nearest valid one', () => {
    const clamp = (line: number, character: number): number[] => {
      const nearest = lines.clamp({ line, character });
      return [nearest.line, nearest.character];
    };
    assert.deepEqual(clamp(0, 99), [0, 3]);
    assert.deepEqual(clamp(99, 5), [2, 0]);
    assert.deepEqual(clamp(-1, 5), [0, 0]);
    assert.deepEqual(clamp(1, 1), [1, 0]);
    assert.deepEqual(clamp(0, 2), [0, 2]);
  });

  it('clamps every position to one it has', () => {
    fc.assert(
      fc.property(anyText, fc.integer(), fc.integer(), (text, line, character) => {
        const index = new LineIndex(text);
        assert.doesNotThrow(() => index.offsetAt(index.clamp({ line, character })));
      }),
    );
  });
});
