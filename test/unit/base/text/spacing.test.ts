import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import {
  endsWithIgnoringSpace,
  isEqualIgnoringSpace,
  textAfterPrefixIgnoringSpace,
} from '../../../../src/base/common/text/ignoringSpace';

/** What the functions say, told slowly. */
const withoutSpace = (text: string): string => text.replace(/\s+/gu, '');

const spaced = fc.string({ unit: fc.constantFrom('a', 'b', '🧵', ' ', '\n', '\u00a0', '\u0085', '\u2028', '\ufeff') });

describe('white space that was changed', () => {
  it('does not matter to how a text ends', () => {
    fc.assert(
      fc.property(spaced, spaced, (text, end) => {
        assert.equal(endsWithIgnoringSpace(text, end), withoutSpace(text).endsWith(withoutSpace(end)));
      }),
    );
    assert.ok(endsWithIgnoringSpace('one  two\n', 'e two'));
    assert.ok(!endsWithIgnoringSpace('two', 'one two'));
  });

  it('does not matter to whether texts are the same', () => {
    fc.assert(
      fc.property(spaced, spaced, (one, other) => {
        assert.equal(isEqualIgnoringSpace(one, other), withoutSpace(one) === withoutSpace(other));
      }),
    );
  });

  it('does not matter to what follows a text, and stays in that', () => {
    fc.assert(
      fc.property(spaced, spaced, spaced, (begun, text, more) => {
        for (const whole of [text, `${begun}${more}`, `${withoutSpace(begun)}${more}`]) {
          const after = textAfterPrefixIgnoringSpace(begun, whole);
          assert.equal(after !== undefined, withoutSpace(whole).startsWith(withoutSpace(begun)));
          if (after === undefined) continue;
          assert.ok(whole.endsWith(after));
          assert.equal(withoutSpace(whole), withoutSpace(begun) + withoutSpace(after));
        }
      }),
    );
    assert.equal(textAfterPrefixIgnoringSpace('one two ', 'one\ntwo  three'), '  three');
    assert.equal(textAfterPrefixIgnoringSpace('one two ', 'one two  three'), '  three');
    assert.equal(textAfterPrefixIgnoringSpace('', ' one'), ' one');
  });
});
