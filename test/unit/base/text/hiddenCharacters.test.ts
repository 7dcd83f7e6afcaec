import assert from 'node:assert/strict';
import {
  hasHiddenCharacters,
  showHiddenCharacters,
  splitAtHiddenCharacters,
} from '../../../../src/base/common/text/hiddenCharacters';

const nbsp = '\u00a0';

describe('characters that cannot be seen', () => {
  for (const [what, text, shown] of [
    ['what reverses the text around it', 'a\u202egnp.exe', 'a[U+202E]gnp.exe'],
    ['what has no width', 'rm\u200b -rf', 'rm[U+200B] -rf'],
    ['controls', 'a\u0007b', 'a[U+0007]b'],
    ['several of a kind, counted', 'a\u202e\u202e\u2066b', 'a[U+202E ×2][U+2066]b'],
    ['joiners that join nothing', 'a\u200d\u200db', 'a[U+200D ×2]b'],
    [
      'joiners after a Latin letter, and several in any script',
      'é\u200db می\u200c\u200cخ',
      'é[U+200D]b می[U+200C ×2]خ',
    ],
    ['variations that no emoji has', 'run.sh\ufe0f 1\ufe0f ❤\ufe0f\ufe0f', 'run.sh[U+FE0F] 1[U+FE0F] ❤[U+FE0F ×2]'],
    ['a run of no-break spaces', `make${nbsp.repeat(40)}deploy`, 'make[U+00A0 ×40]deploy'],
    ['a run of wide spaces', `a${'\u2003'.repeat(3)}b`, 'a[U+2003 ×3]b'],
    ['a run of empty Braille cells', `a${'\u2800'.repeat(300)}b`, 'a[U+2800 ×300]b'],
    ['a run of several blanks with spaces between', `a\u2003 ${nbsp}b`, 'a[U+2003] [U+00A0]b'],
    ['a long East Asian indent', `${'\u3000'.repeat(8)}b`, '[U+3000 ×8]b'],
    ['a run that a picture in Braille is far behind', `\u28ff${'\u2800'.repeat(300)}b`, '\u28ff[U+2800 ×300]b'],
  ] as const) {
    it(`are named: ${what}`, () => {
      assert.equal(showHiddenCharacters(text), shown);
      const written = splitAtHiddenCharacters(text).map((piece) =>
        typeof piece === 'string' ? piece : piece.character.repeat(piece.count),
      );
      assert.equal(written.join(''), text);
    });
  }

  for (const [what, text] of [
    ['one no-break space', `10${nbsp}km et «${nbsp}mot${nbsp}»`],
    ['ordinary space and lines', 'a    b\n\tc\r\n'],
    ['emoji that are joined', '1️⃣ ☺︎ 👩‍👩‍👧 🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f} ❤️'],
    ['joiners of scripts', 'می\u200cخواهم'],
    ['an East Asian indent', '\u3000\u3000第一段'],
    ['a picture in Braille', '⠀⠀⣀⡀⠀⠀⢀⣀\n⣀⠀⠀⠀⣀'],
  ] as const) {
    it(`do not include ${what}`, () => {
      assert.equal(hasHiddenCharacters(text), false);
      assert.equal(showHiddenCharacters(text), text);
    });
  }

  it('are found in a long text without looking at it twice', () => {
    const text = `${'\u2800'.repeat(100_000)}\u28ff${`${nbsp} `.repeat(50_000)}x`;
    assert.equal(
      splitAtHiddenCharacters(text)
        .map((piece) => (typeof piece === 'string' ? piece : piece.character.repeat(piece.count)))
        .join(''),
      text,
    );
  });
});
