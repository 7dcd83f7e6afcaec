import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { parseAnsi } from '../../../src/transcript/common/ansi';

const textOf = (input: string): string =>
  parseAnsi(input)
    .map(({ text }) => text)
    .join('');

describe('output of a terminal', () => {
  it('is one run when it has no style', () => {
    assert.deepEqual(parseAnsi('one\ntwo\tthree\n'), [{ text: 'one\ntwo\tthree\n' }]);
    assert.deepEqual(parseAnsi(''), []);
  });

  it('has the sixteen colours by number', () => {
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
    it(`reads the colour ${params}`, () => assert.deepEqual(parseAnsi(`\x1b[${params}mx`), [{ text: 'x', fg }]));

  it('ignores a colour that is none', () => {
    assert.deepEqual(parseAnsi('\x1b[38;5;256mx\x1b[38;2;1;2;999my\x1b[38mz'), [{ text: 'xyz' }]);
  });

  it('reads the other styles, and their ends', () => {
    assert.deepEqual(parseAnsi('\x1b[2;3;4;7;9mx\x1b[22;23;24;27;29my\x1b[4:3mz\x1b[4:0m.'), [
      { text: 'x', dim: true, italic: true, underline: true, inverse: true, strike: true },
      { text: 'y' },
      { text: 'z', underline: true },
      { text: '.' },
    ]);
  });

  it('goes back to the start of the line, and writes over it', () => {
    assert.equal(textOf('10%\r100%\r\ndone'), '100%\ndone');
    assert.equal(textOf('abcdef\rXY'), 'XYcdef');
  });

  it('steps back', () => assert.equal(textOf('ab\b\bX'), 'Xb'));

  it('erases in the line', () => {
    assert.equal(textOf('working\r\x1b[Kdone'), 'done');
    assert.equal(textOf('abcdef\x1b[3D\x1b[K'), 'abc');
    assert.equal(textOf('abc\x1b[2K'), '');
    assert.equal(textOf('abcd\x1b[2D\x1b[1K'), '   d');
  });

  it('moves among lines, as progress in several of them does', () => {
    assert.equal(textOf('a: 1\nb: 1\n\x1b[2A\ra: 2\n\rb: 2\n'), 'a: 2\nb: 2\n');
    assert.equal(textOf('a\nb\nc\x1b[2A\r\x1b[Jx'), 'x');
  });

  it('keeps the text of links and swallows their address', () => {
    assert.equal(textOf('\x1b]8;;https://example.com\x1b\\site\x1b]8;;\x1b\\ \x1b]0;title\x07end'), 'site end');
  });

  it('swallows what it does not know', () => {
    assert.equal(textOf('a\x1b[?25lb\x1b(Bc\x1b=d\x07e\x1bPq\x1b\\f\x1b[999;999Hg\x9b'), 'abcdefg');
  });

  it('shows the text behind a string that never ends', () => {
    assert.equal(textOf('\x1b]0;title\nnext line'), '\nnext line');
  });

  it('keeps marks with the character they belong to', () => {
    assert.equal(textOf('e\u0301x\ry'), 'yx');
    assert.equal(textOf('👩‍👧 ok'), '👩‍👧 ok');
  });

  it('reads the end of output that is too long', () => {
    const shown = textOf(`${'x'.repeat(1_200_000)}end`);
    assert.ok(shown.length <= 1_000_000);
    assert.ok(shown.endsWith('end'));
  });

  it('never shows a control character, and never throws', () => {
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
