import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  convertLineEndings,
  hasMixedLineEndings,
  keepLineEndings,
  unifyLineEndings,
} from '../../../../../src/editor/common/text/lineEndings';

describe('withLineEnding', () => {
  it('makes every line ending the same', () => {
    assert.equal(convertLineEndings('a\nb\r\nc\rd', '\n'), 'a\nb\nc\nd');
    assert.equal(convertLineEndings('a\nb\r\nc\rd', '\r\n'), 'a\r\nb\r\nc\r\nd');
  });
});

describe('unifyLineEndings', () => {
  for (const [what, text, expected] of [
    ['LF', 'a\nb\n', 'a\nb\n'],
    ['CRLF', 'a\r\nb\r\n', 'a\r\nb\r\n'],
    ['lone CR', 'a\rb\r', 'a\r\nb\r\n'],
    ['more LF than CRLF', 'a\nb\nc\r\n', 'a\nb\nc\n'],
    ['more CRLF than LF', 'a\r\nb\r\nc\n', 'a\r\nb\r\nc\r\n'],
    ['as many LF as CRLF', 'a\r\nb\n', 'a\nb\n'],
    ['none', 'a', 'a'],
  ] as const) {
    it(`gives a text with ${what} what VS Code's buffer would hold`, () => {
      assert.equal(unifyLineEndings(text), expected);
    });
  }
});

describe('hasMixedLineEndings', () => {
  it('is true where VS Code would change endings', () => {
    for (const text of ['', 'a', 'a\nb\n', 'a\r\nb\r\n']) assert.equal(hasMixedLineEndings(text), false, text);
    for (const text of ['a\r', 'a\r\nb\n', 'a\nb\rc']) assert.equal(hasMixedLineEndings(text), true, text);
  });
});

describe('keepLineEndings', () => {
  const mixed = 'a\r\nb\nc\rd\r\ne';

  for (const [what, after, expected] of [
    ['one line is changed', 'a\nb2\nc\nd\ne', 'a\r\nb2\nc\rd\r\ne'],
    ['the lines above and below are changed', 'a2\nb\nc\nd2\ne', 'a2\r\nb\nc\rd2\r\ne'],
    ['a line is removed', 'a\nc\nd\ne', 'a\r\nc\rd\r\ne'],
    ['a line is inserted', 'a\nb\nnew\nc\nd\ne', 'a\r\nb\nnew\nc\rd\r\ne'],
    ['one is inserted and another changed', 'new\na\nb\nc2\nd\ne', 'new\r\na\r\nb\nc2\rd\r\ne'],
    ['lines are added at the end', 'a\nb\nc\nd\ne\nf\n', 'a\r\nb\nc\rd\r\ne\r\nf\r\n'],
    ['all is removed', '', ''],
  ] as const) {
    it(`leaves the endings of the other lines when ${what}`, () => {
      assert.equal(keepLineEndings(mixed, after), expected);
      assert.equal(keepLineEndings(mixed, convertLineEndings(after, '\r\n')), expected);
    });
  }

  const lines = fc.array(fc.tuple(fc.constantFrom('', 'a', 'b', 'c', '}'), fc.constantFrom('\n', '\r\n', '\r')));
  const join = (of: [string, string][]): string => of.map((line) => line.join('')).join('');

  it('changes only endings, and none of a text that stays the same', () => {
    fc.assert(
      fc.property(lines, lines, (one, other) => {
        const [before, after] = [join(one), join(other)];
        assert.equal(convertLineEndings(keepLineEndings(before, after), '\n'), convertLineEndings(after, '\n'));
        assert.equal(keepLineEndings(before, convertLineEndings(before, '\n')), before);
      }),
    );
  });

  it('keeps every ending when one line is changed, also when it is changed back', () => {
    fc.assert(
      fc.property(lines, fc.nat(), (all, at) => {
        const before = join(all);
        const plain = convertLineEndings(before, '\n').split('\n');
        const changed = keepLineEndings(before, plain.toSpliced(at % plain.length, 1, 'new').join('\n'));
        assert.equal(keepLineEndings(changed, plain.join('\n')), before);
      }),
    );
  });
});
