import assert from 'node:assert/strict';
import { createTwoFilesPatch } from 'diff';
import fc from 'fast-check';
import { parseGitPatch } from '../../../../../src/acp/common/v2/gitPatch';

describe('parseGitPatch', () => {
  it('returns both sides of each hunk, without the lines of Git around them', () => {
    const patch = [
      ...['diff --git a/ws/a.ts b/ws/a.ts', 'index 1..2 100644', '--- a/ws/a.ts', '+++ b/ws/a.ts'],
      ...['@@ -1,2 +1,2 @@', ' one', '-two', '+TWO', '@@ -9 +9,2 @@ function nine()', ' nine', '+ten', ''],
    ];
    assert.deepEqual(parseGitPatch(patch.join('\n')), [
      {
        oldPath: 'ws/a.ts',
        newPath: 'ws/a.ts',
        hunks: [
          { before: 'one\ntwo\n', after: 'one\nTWO\n' },
          { before: 'nine\n', after: 'nine\nten\n' },
        ],
      },
    ]);
  });

  it('has no old path for a new file, and no new path for a deleted one', () => {
    const created = '--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+hello\n';
    const deleted = '--- a/old.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-bye\n';
    assert.deepEqual(parseGitPatch(created + deleted), [
      { oldPath: undefined, newPath: 'new.txt', hunks: [{ before: '', after: 'hello\n' }] },
      { oldPath: 'old.txt', newPath: undefined, hunks: [{ before: 'bye\n', after: '' }] },
    ]);
  });

  it('reads names that Git quotes', () => {
    const [file] = parseGitPatch('--- "a/\\344\\270\\255\\t.ts"\n+++ "b/\\344\\270\\255\\t.ts"\n@@ -1 +1 @@\n-a\n+b\n');
    assert.deepEqual([file?.oldPath, file?.newPath], ['中\t.ts', '中\t.ts']);
  });

  it('keeps files that were only renamed, without hunks', () => {
    const patch = 'diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n';
    assert.deepEqual(parseGitPatch(patch), [{ oldPath: 'x', newPath: 'y', hunks: [] }]);
  });

  it('restores both texts of any change, with or without a line ending at the end', () => {
    const anyText = fc
      .tuple(
        fc.array(fc.constantFrom('a', 'b', '', '-- x', '++ y', '@@'), { maxLength: 8 }),
        fc.constantFrom('', 'end'),
      )
      .map(([lines, last]) => lines.map((line) => `${line}\n`).join('') + last);
    fc.assert(
      fc.property(anyText, anyText, (before, after) => {
        fc.pre(before !== after);
        const patch = createTwoFilesPatch('a/f', 'b/f', before, after, undefined, undefined, { context: 99 });
        assert.deepEqual(parseGitPatch(patch)[0]?.hunks, [{ before, after }]);
      }),
    );
  });

  it('returns nothing for an invalid patch', () => {
    assert.deepEqual(parseGitPatch('--- a/f\n+++ b/f\n@@ -1,5 +1 @@\n-a\n'), []);
    assert.deepEqual(parseGitPatch(''), []);
  });
});
