import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { parseAnsi } from '../../../../src/base/common/terminal/ansi';

const textOf = (input: string): string =>
  parseAnsi(input)
    .map(({ text }) => text)
    .join('');

describe('parseAnsi', () => {
  it('returns one segment without a style', () => {
    assert.deepEqual(parseAnsi('one\ntwo\tthree\n'), [{ text: 'one\ntwo\tthree\n' }]);
    assert.deepEqual(parseAnsi(''), []);
  });

  it('reads the sixteen colors by number', () => {
    assert.deepEqual(parseAnsi('\x1b[31mred\x1b[0m \x1b[1;92;44mbright\x1b[39;49;22m plain'), [
      { text: 'red', fg: 1 },
      { text: ' ' },
      { text: 'bright', bold: true, fg: 10, bg: 4 },
      { text: ' plain' },
    ]);
  });

  for (const [params, fg] of [
    ['38;5;9', 9],
    ['38;5;16', 'rgb(0, 0, 0)'],
    ['38;5;208', 'rgb(255, 135, 0)'],
    ['38;5;255', 'rgb(238, 238, 238)'],
    ['38;2;1;2;3', 'rgb(1, 2, 3)'],
    ['38:2::1:2:3', 'rgb(1, 2, 3)'],
    ['38:2:1:2:3', 'rgb(1, 2, 3)'],
    ['38:5:1', 1],
  ] as const)
    it(`reads the color ${params}`, () => assert.deepEqual(parseAnsi(`\x1b[${params}mx`), [{ text: 'x', fg }]));

  it('ignores an invalid color', () => {
    assert.deepEqual(parseAnsi('\x1b[38;5;256mx\x1b[38;2;1;2;999my\x1b[38mz'), [{ text: 'xyz' }]);
  });

  it('reads the other styles and their ends', () => {
    assert.deepEqual(parseAnsi('\x1b[2;3;4;7;9mx\x1b[22;23;24;27;29my\x1b[4:3mz\x1b[4:0m.'), [
      { text: 'x', dim: true, italic: true, underline: true, inverse: true, strike: true },
      { text: 'y' },
      { text: 'z', underline: true },
      { text: '.' },
    ]);
  });

  it('overwrites the line after a carriage return', () => {
    assert.equal(textOf('10%\r100%\r\ndone'), '100%\ndone');
    assert.equal(textOf('abcdef\rXY'), 'XYcdef');
  });

  it('moves back at a backspace', () => assert.equal(textOf('ab\b\bX'), 'Xb'));

  it('erases in the line', () => {
    assert.equal(textOf('working\r\x1b[Kdone'), 'done');
    assert.equal(textOf('abcdef\x1b[3D\x1b[K'), 'abc');
    assert.equal(textOf('abc\x1b[2K'), '');
    assert.equal(textOf('abcd\x1b[2D\x1b[1K'), '   d');
  });

  it('moves between lines, as progress of several tasks does', () => {
    assert.equal(textOf('a: 1\nb: 1\n\x1b[2A\ra: 2\n\rb: 2\n'), 'a: 2\nb: 2\n');
    assert.equal(textOf('a\nb\nc\x1b[2A\r\x1b[Jx'), 'x');
  });

  it('keeps the text of links and drops their address', () => {
    assert.equal(textOf('\x1b]8;;https://example.com\x1b\\site\x1b]8;;\x1b\\ \x1b]0;title\x07end'), 'site end');
  });

  it('drops unknown sequences', () => {
    assert.equal(textOf('a\x1b[?25lb\x1b(Bc\x1b=d\x07e\x1bPq\x1b\\f\x1b[999;999Hg\x9b'), 'abcdefg');
  });

  it('shows the text after an unterminated string sequence', () => {
    assert.equal(textOf('\x1b]0;title\nnext line'), '\nnext line');
  });

  it('keeps combining marks with their character', () => {
    assert.equal(textOf('e\u0301x\ry'), 'yx');
    assert.equal(textOf('👩‍👧 ok'), '👩‍👧 ok');
  });

  it('parses the end of output that is too long', () => {
    const shown = textOf(`${'x'.repeat(1_200_000)}end`);
    assert.ok(shown.length <= 1_000_000);
    assert.ok(shown.endsWith('end'));
  });

  it('reads every color of both rows, and none for the neighboring codes', () => {
    const colorsOf = (...codes: readonly number[]) =>
      codes.map((code) => {
        const [{ fg, bg } = {}] = parseAnsi(`\x1b[${code}mx`);
        return fg ?? bg;
      });
    assert.deepEqual(colorsOf(30, 37, 40, 47, 90, 97, 100, 107), [0, 7, 0, 7, 8, 15, 8, 15]);
    assert.deepEqual(
      colorsOf(28, 50, 89, 98, 99, 108),
      Array.from({ length: 6 }, () => undefined),
    );
  });

  it('distinguishes foreground and background, also for other colors', () => {
    assert.deepEqual(parseAnsi('\x1b[38;5;208;48;2;1;2;3mx\x1b[39my'), [
      { text: 'x', fg: 'rgb(255, 135, 0)', bg: 'rgb(1, 2, 3)' },
      { text: 'y', bg: 'rgb(1, 2, 3)' },
    ]);
  });

  it('continues after the numbers of a color', () => {
    assert.deepEqual(parseAnsi('\x1b[38;5;9;1mx'), [{ text: 'x', fg: 9, bold: true }]);
    assert.deepEqual(parseAnsi('\x1b[38;2;1;2;3;1mx'), [{ text: 'x', fg: 'rgb(1, 2, 3)', bold: true }]);
    assert.deepEqual(parseAnsi('\x1b[38:5:9;1mx'), [{ text: 'x', fg: 9, bold: true }]);
  });

  it('reads the ends of the palette', () => {
    const colorOf = (index: number) => parseAnsi(`\x1b[38;5;${index}mx`)[0]?.fg;
    assert.deepEqual([0, 15, 231, 232].map(colorOf), [0, 15, 'rgb(255, 255, 255)', 'rgb(8, 8, 8)']);
  });

  it('ignores a color of an unknown kind or with a missing part', () => {
    for (const params of ['38;7;1;2;3', '38:7:1:2:3', '38;2;1;2', '38;5', '38;5;<5']) {
      assert.deepEqual(parseAnsi(`\x1b[${params}mx`), [{ text: 'x' }], params);
    }
  });

  for (const flag of ['bold', 'dim', 'italic', 'underline', 'inverse', 'strike'] as const) {
    it(`begins a new segment if only ${flag} changes, and none without a change`, () => {
      const code = { bold: 1, dim: 2, italic: 3, underline: 4, inverse: 7, strike: 9 }[flag];
      const on = `\x1b[${code}m`;
      assert.deepEqual(parseAnsi(`a${on}b\x1b[0m${on}c`), [{ text: 'a' }, { text: 'bc', [flag]: true }]);
    });
  }

  it('begins a new segment at another foreground or background color', () => {
    assert.deepEqual(parseAnsi('\x1b[31ma\x1b[32mb\x1b[42mc\x1b[43md'), [
      { text: 'a', fg: 1 },
      { text: 'b', fg: 2 },
      { text: 'c', fg: 2, bg: 2 },
      { text: 'd', fg: 2, bg: 3 },
    ]);
  });

  it('ends only the underline at 4:0, and no other style by a detail of its code', () => {
    assert.deepEqual(parseAnsi('\x1b[1;4mx\x1b[4:0my\x1b[3:0mz'), [
      { text: 'x', bold: true, underline: true },
      { text: 'y', bold: true },
      { text: 'z', bold: true, italic: true },
    ]);
  });

  it('moves one cell or line without a number, and stays within the screen', () => {
    assert.equal(textOf('ab\x1b[DX'), 'aX');
    assert.equal(textOf('ab\x1b[CX'), 'ab X');
    assert.equal(textOf('ab\x1b[0CX'), 'ab X');
    assert.equal(textOf('a\nb\x1b[AX'), 'aX\nb');
    assert.equal(textOf('a\nb\nc\x1b[2A\rX\x1b[BY\x1b[9BZ'), 'X\nbY\nc Z');
    assert.equal(textOf('a\nb\x1b[9A\rX\x1b[9D\x1b[GY'), 'Y\nb');
    assert.equal(textOf('abc\x1b[2GX\x1b[GY'), 'YXc');
  });

  it('erases below only for the right parameter', () => {
    assert.equal(textOf('a\nb\x1b[A\r\x1b[0JX'), 'X');
    assert.equal(textOf('a\nb\x1b[A\r\x1b[1JX'), 'X\nb');
    assert.equal(textOf('ab\nb\x1b[A\r\x1b[hX'), 'Xb\nb');
  });

  it('fills skipped cells with unstyled spaces', () => {
    assert.deepEqual(parseAnsi('\x1b[41ma\x1b[2Cb'), [{ text: 'a', bg: 1 }, { text: '  ' }, { text: 'b', bg: 1 }]);
  });

  it('puts a combining mark at the start of a line into its own cell', () => {
    assert.equal(textOf('\u0301x\ny'), '\u0301x\ny');
  });

  it('puts every other character into its own cell, in any script', () => {
    assert.equal(textOf('日本\rX'), 'X本');
    assert.equal(textOf('αβ\rX'), 'Xβ');
  });

  it('never returns a control character, and never throws', () => {
    const pieces = fc.constantFrom(
      '\x1b',
      '[',
      ']',
      '3',
      '8',
      ';',
      ':',
      'm',
      'K',
      'A',
      'C',
      'J',
      '\r',
      '\n',
      '\b',
      '\x07',
      'é',
      'P',
      '\\',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 80 }), (parts) => {
        assert.doesNotMatch(textOf(parts.join('')), /[\0-\x08\x0b-\x1f\x7f-\x9f]/);
      }),
    );
  });
});
