import assert from 'node:assert/strict';
import { showHiddenCharacters } from '../../../../src/base/common/text/hiddenCharacters';
import {
  toVisibleText,
  formatCommand,
  formatProgram,
  quoteForPosixShell,
} from '../../../../src/base/common/text/visibleText';

describe('text of others in a question', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['plain text, é, 日本', 'plain text, é, 日本'],
    ['a\u202eb', 'a[U+202E]b'],
    ['a\u200b\u200b\u200b\u200b\u200bb', 'a[U+200B ×5]b'],
    ['one\r\ntwo\tthree', 'one[U+000D]\\ntwo[U+0009]three'],
    ['\ue000 \ud800', '[U+E000] [U+D800]'],
  ];
  for (const [text, shown] of cases) {
    it(`is one line in which nothing is hidden: ${shown}`, () => {
      assert.equal(toVisibleText(text), shown);
      assert.equal(toVisibleText(shown), shown, 'what is shown stays as it is');
    });
  }

  it('has the names of hidden characters that titles have', () => {
    for (const text of ['a\u202eb', 'a\u200b\u200bb', 'a\u00a0\u00a0b']) {
      assert.equal(toVisibleText(text), showHiddenCharacters(text));
    }
  });

  it('is a command that cannot be taken for another one', () => {
    assert.equal(formatCommand(['rm', 'a b', "it's"]), "rm 'a b' 'it'\\''s'");
  });

  it('is quoted for a shell only if it has to be', () => {
    assert.equal(quoteForPosixShell('/usr/bin/a-b_c@1%+=:,.'), '/usr/bin/a-b_c@1%+=:,.');
    for (const [argument, quoted] of [
      ['', "''"],
      ['a b', "'a b'"],
      ["it's", "'it'\\''s'"],
      ['$HOME', "'$HOME'"],
      ['é', "'é'"],
    ] as const)
      assert.equal(quoteForPosixShell(argument), quoted);
  });

  it('quotes a program that is alone, and leaves a line for a shell as it is', () => {
    assert.equal(formatProgram(['my agent']), "'my agent'");
    assert.equal(formatCommand(['cat a | wc']), 'cat a | wc');
  });
});
