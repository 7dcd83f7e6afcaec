import assert from 'node:assert/strict';
import fc from 'fast-check';
import { mergePreferringTheirs, mergeTexts } from '../../../../../src/changes/common/review/threeWayMerge';

describe('mergeTexts', () => {
  it('has the changes of both sides', () => {
    const base = 'one\ntwo\nthree\nfour\nfive\n';
    const merged = mergeTexts({ base, ours: base.replace('two', 'TWO'), theirs: base.replace('five', 'FIVE') });
    assert.equal(merged, 'one\nTWO\nthree\nfour\nFIVE\n');
  });

  it('is undefined when both sides changed the same lines differently, or neighbouring ones', () => {
    assert.equal(mergeTexts({ base: 'a\nb\n', ours: 'a\nx\n', theirs: 'a\ny\n' }), undefined);
    assert.equal(mergeTexts({ base: 'a\nb\nc\n', ours: 'a\nx\nc\n', theirs: 'a\nb\ny\n' }), undefined);
  });

  it('leaves the lines of theirs that conflict, if it merges partly, and counts both', () => {
    const base = 'a\nb\nc\nd\ne\n';
    const merged = mergePreferringTheirs({ base, ours: 'A\nb\nC\nd\nE\n', theirs: 'a\nb\nx\nd\nE\n' });
    assert.deepEqual(merged, { text: 'A\nb\nx\nd\nE\n', mergedCount: 1, conflictCount: 1 });
    assert.deepEqual(mergePreferringTheirs({ base, ours: 'A\nb\nc\nd\n', theirs: base }).mergedCount, 2);
  });

  it('takes the same change of both sides once', () => {
    const base = 'a\nb\nc\nd\n';
    assert.equal(mergeTexts({ base, ours: 'A\nb\nc\nD\n', theirs: 'A\nb\nc\nd\n' }), 'A\nb\nc\nD\n');
  });

  it('keeps the line endings, and is undefined when one side changed them', () => {
    const base = 'a\r\nb\r\nc\r\nd\r\n';
    assert.equal(
      mergeTexts({ base, ours: 'A\r\nb\r\nc\r\nd\r\n', theirs: 'a\r\nb\r\nc\r\nD\r\n' }),
      'A\r\nb\r\nc\r\nD\r\n',
    );
    assert.equal(mergeTexts({ base, ours: 'A\nb\nc\nd\n', theirs: 'a\r\nb\r\nc\r\nD\r\n' }), undefined);
  });

  it('is the side that changed, with its line endings, when the other side changed nothing', () => {
    const [base, changed] = ['a\nb\n', 'a\r\nb\r\nc\r\n'];
    assert.equal(mergeTexts({ base, ours: base, theirs: changed }), changed);
    assert.equal(mergeTexts({ base, ours: changed, theirs: base }), changed);
    assert.equal(mergeTexts({ base, ours: changed, theirs: changed }), changed);
  });

  it('takes the line endings of theirs when the base has a single line', () => {
    assert.equal(mergeTexts({ base: 'a', ours: 'x\r\na', theirs: 'a\r\ny' }), 'x\r\na\r\ny');
  });

  it('is undefined when one side added lines to the same change of the other side', () => {
    assert.equal(mergeTexts({ base: 'a\nb\nc\n', ours: 'a\nx\nc\n', theirs: 'a\nx\ny\nc\n' }), undefined);
  });

  it('is undefined, soon, for texts that differ in too many lines', () => {
    const many = (name: string): string => Array.from({ length: 20_000 }, () => name).join('\n');
    assert.equal(mergeTexts({ base: many('a'), ours: many('b'), theirs: many('c') }), undefined);
  });

  it('has every line that only one side changed, and never loses a change without saying so', () => {
    const edits = fc.array(fc.constantFrom('keep', 'ours', 'theirs'), { minLength: 1, maxLength: 25 });
    fc.assert(
      fc.property(edits, (marks) => {
        // An untouched line stands between any two that are changed.
        const lines = (side: string): string =>
          marks.map((mark, line) => `${mark === side ? `${side} ` : ''}${line}\nkept ${line}\n`).join('');
        const merged = mergeTexts({ base: lines(''), ours: lines('ours'), theirs: lines('theirs') });
        const expected = marks.map((mark, line) => `${mark === 'keep' ? '' : `${mark} `}${line}\nkept ${line}\n`);
        assert.equal(merged, expected.join(''));
      }),
    );
  });
});
