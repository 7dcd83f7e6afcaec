import assert from 'node:assert/strict';
import fc from 'fast-check';
import { hunksBetween, replaceLines } from '../../../../../src/changes/common/review/hunks';
import { commonPrefixAndSuffix } from '../../../../../src/base/common/text/commonPrefixAndSuffix';
import { lineEndingOf, splitLines } from '../../../../../src/changes/common/review/lines';

const text = fc.array(fc.constantFrom('a', 'b', 'c', '', '}'), { maxLength: 30 }).map((lines) => lines.join('\n'));

describe('hunksBetween', () => {
  it('finds additions, removals and replacements with 0-based lines', () => {
    assert.deepEqual(hunksBetween('a\nb\nc\nd\n', 'a\nB\nc\nd\ne\n'), [
      { before: { start: 1, end: 2 }, after: { start: 1, end: 2 } },
      { before: { start: 4, end: 4 }, after: { start: 4, end: 5 } },
    ]);
    assert.deepEqual(hunksBetween('a\nb\nc', 'a\nc'), [{ before: { start: 1, end: 2 }, after: { start: 1, end: 1 } }]);
  });

  it('does not compare line endings', () => {
    assert.deepEqual(hunksBetween('a\r\nb\r\n', 'a\nb\n'), []);
  });

  it('makes one hunk of texts that differ too much to be compared', () => {
    const many = (name: string): string => Array.from({ length: 9_000 }, (_, line) => `${name}${line}`).join('\n');
    assert.deepEqual(hunksBetween(`x\n${many('a')}`, `x\n${many('b')}`), [
      { before: { start: 1, end: 9_001 }, after: { start: 1, end: 9_001 } },
    ]);
  });

  it('turns the one text into the other when each hunk is applied, from the last one up', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const applied = hunksBetween(before, after)
          .toReversed()
          .reduce((result, hunk) => replaceLines(result, hunk.before, after, hunk.after), before);
        assert.equal(applied, after);
      }),
    );
  });

  it('has one hunk less after any hunk was kept or undone', () => {
    fc.assert(
      fc.property(text, text, fc.nat(), (before, after, choice) => {
        const hunks = hunksBetween(before, after);
        const hunk = hunks[choice % Math.max(1, hunks.length)];
        if (!hunk) return;
        const kept = replaceLines(before, hunk.before, after, hunk.after);
        const undone = replaceLines(after, hunk.after, before, hunk.before);
        assert.ok(hunksBetween(kept, after).length < hunks.length);
        assert.ok(hunksBetween(before, undone).length < hunks.length);
      }),
    );
  });
});

describe('replaceLines', () => {
  it('keeps the line endings of the text, and inserts after a last line without one', () => {
    assert.equal(replaceLines('a\r\nb\r\n', { start: 0, end: 1 }, 'x\ny\n', { start: 0, end: 2 }), 'x\r\ny\r\nb\r\n');
    assert.equal(replaceLines('a', { start: 1, end: 1 }, 'a\nb', { start: 1, end: 2 }), 'a\nb');
  });
});

describe('lineEndingOf', () => {
  it('is the ending of most lines', () => {
    assert.equal(lineEndingOf('a\r\nb\r\nc\n'), '\r\n');
    assert.equal(lineEndingOf('a\nb'), '\n');
    assert.equal(lineEndingOf(''), '\n');
    assert.deepEqual(splitLines('a\r\nb\rc\n'), ['a', 'b', 'c', '']);
  });
});

describe('commonPrefixAndSuffix', () => {
  it('counts no line twice, and none that is not there', () => {
    assert.deepEqual(commonPrefixAndSuffix(['a'], ['a']), { start: 1, end: 0 });
    assert.deepEqual(commonPrefixAndSuffix(['a', 'a'], ['a']), { start: 1, end: 0 });
    assert.deepEqual(commonPrefixAndSuffix(['a', 'b'], ['c', 'b']), { start: 0, end: 1 });
  });
});
