import assert from 'node:assert/strict';
import { unifyLineEndings, convertLineEndings } from '../../../../../src/editor/common/text/lineEndings';

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
