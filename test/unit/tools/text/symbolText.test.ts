import assert from 'node:assert/strict';
import fc from 'fast-check';
import { LineIndex } from '../../../../src/editor/common/text/textOffsets';
import {
  findNearestOccurrence,
  namesInLine,
  occurrencesInLine,
  splitQualifiedName,
} from '../../../../src/tools/common/text/symbolText';

describe('names in code', () => {
  it('are split into what they are in and themselves', () => {
    const split = (symbol: string): unknown[] => Object.values(splitQualifiedName(symbol));
    assert.deepEqual(split('parse'), ['parse', undefined]);
    assert.deepEqual(split('Parser.parse()'), ['parse', 'Parser']);
    assert.deepEqual(split('a::b::C'), ['C', 'b']);
    assert.deepEqual(split('Parser#parse(text: string)'), ['parse', 'Parser']);
    assert.deepEqual(split('#private'), ['#private', undefined]);
    assert.deepEqual(split('operator()'), ['operator', undefined]);
    assert.deepEqual(split('()'), ['()', undefined]);
  });

  it('are whole words', () => {
    assert.deepEqual(occurrencesInLine('parse(parser, reparse, parse)', 'parse'), [0, 23]);
    assert.deepEqual(occurrencesInLine('größe + größer', 'größe'), [0]);
    assert.deepEqual(occurrencesInLine('$a + a', 'a'), [5]);
    assert.deepEqual(occurrencesInLine('a.#x = x', '#x'), [2]);
    assert.deepEqual(occurrencesInLine('𝒳 = 𝒳𝒴', '𝒳'), [0]);
  });

  it('are taken in code before strings and comments', () => {
    assert.deepEqual(occurrencesInLine('log("total", total) // total', 'total'), [13, 5, 23]);
    assert.deepEqual(occurrencesInLine("it's total", 'total'), [5], 'an apostrophe alone is no string');
    assert.deepEqual(occurrencesInLine('// only total', 'total'), [8]);
  });

  it('are found in the line, near the column, or else in the nearest line', () => {
    const lines = new LineIndex('// total\nlet total = 1;\n\n\nuse(total, total);\n');
    assert.deepEqual(findNearestOccurrence(lines, 'total', 4), {
      position: { line: 4, character: 4 },
      isInOtherLine: false,
    });
    assert.deepEqual(findNearestOccurrence(lines, 'total', 4, 12)?.position, { line: 4, character: 11 });
    assert.deepEqual(findNearestOccurrence(lines, 'total', 2), {
      position: { line: 1, character: 4 },
      isInOtherLine: true,
    });
    assert.deepEqual(findNearestOccurrence(lines, 'total', 999)?.position.line, 4);
    assert.deepEqual(findNearestOccurrence(lines, 'total', undefined), {
      position: { line: 1, character: 4 },
      isInOtherLine: false,
    });
    assert.equal(findNearestOccurrence(lines, 'tot', 1), undefined);
    assert.deepEqual(
      findNearestOccurrence(lines, 'total', 0)?.position.line,
      0,
      'also in a comment, when that line is meant',
    );
  });

  it('are found where they stand, in any text', () => {
    const text = fc
      .array(fc.constantFrom('ab', 'abc', ' ', '.', '"', '//', '\n', '\r\n', '𝒳', '\\', '('))
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(
        text,
        fc.constantFrom('ab', 'abc', '𝒳'),
        fc.option(fc.nat(8), { nil: undefined }),
        (code, name, line) => {
          const lines = new LineIndex(code);
          const found = findNearestOccurrence(lines, name, line);
          const isThere = new RegExp(`(?<![\\p{ID_Continue}])${name}(?![\\p{ID_Continue}])`, 'u').test(code);
          assert.equal(found !== undefined, isThere);
          if (!found) return;
          const { position, isInOtherLine } = found;
          assert.ok(lines.lineText(position.line).startsWith(name, position.character));
          if (line !== undefined) assert.equal(isInOtherLine, position.line !== line);
        },
      ),
    );
  });

  it('are listed once each', () => {
    assert.deepEqual(namesInLine('const größe = $a + größe[1] * _b2;'), ['const', 'größe', '$a', '_b2']);
  });
});
