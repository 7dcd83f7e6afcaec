import assert from 'node:assert/strict';
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';
import fc from 'fast-check';
import { parseProposals } from '../../../../../src/acp/common/draft/proposals';
import { applyDiff, DiffError, parseFileDiff, type FileDiff } from '../../../../../src/acp/common/draft/unifiedDiff';

const parse = (diff: string): FileDiff => parseFileDiff(diff.split('\n'), 0).diff;
const unifiedDiff = (path: string, before: string, after: string): string =>
  createTwoFilesPatch(path, path, before, after, undefined, undefined, { headerOptions: FILE_HEADERS_ONLY });
const edit = (hunks: string): string => `--- a/f\n+++ b/f\n${hunks}`;

/** Few different lines, so that they repeat; among them what a diff or a fence is made of. */
const anyLine = fc.constantFrom('', 'a', 'b', '--- x', '+++ y', '@@ -1 +1 @@', '```', ' ```', '\\ No newline', '日本');
const anyText = (ending: string) =>
  fc
    .tuple(fc.array(anyLine, { maxLength: 12 }), fc.boolean())
    .map(([lines, isOpen]) => lines.map((line) => line + ending).join('') + (isOpen ? 'last' : ''));

describe('a unified diff', () => {
  it('converts any old text to any new text', () => {
    fc.assert(
      fc.property(anyText('\n'), anyText('\n'), (before, after) => {
        fc.pre(before !== after);
        assert.equal(applyDiff(before, parse(unifiedDiff('f', before, after))), after);
      }),
    );
  });

  it('keeps the line endings of the text, also when its own differ', () => {
    fc.assert(
      fc.property(anyText('\n'), anyText('\n'), fc.boolean(), (before, after, diffHasCrlf) => {
        fc.pre(before !== after && before.includes('\n'));
        const diff = unifiedDiff('f', before, after);
        const applied = applyDiff(toCrlf(before), parse(diffHasCrlf ? toCrlf(diff) : diff));
        assert.equal(applied, toCrlf(after));
      }),
    );
  });

  it('changes nothing of a text in which any line it names has changed', () => {
    fc.assert(
      fc.property(fc.array(anyLine, { minLength: 1, maxLength: 8 }), fc.nat(), (lines, pick) => {
        const before = lines.map((line) => `${line}\n`).join('');
        const diff = parse(unifiedDiff('f', before, `${before}new\n`));
        const named = diff.hunks.flatMap(({ lines: of }) => of).filter(({ kind }) => kind !== 'add').length;
        fc.pre(named > 0);
        const changed = lines.length - 1 - (pick % named);
        const stale = lines.map((line, index) => `${index === changed ? `${line}?` : line}\n`).join('');
        assert.throws(() => applyDiff(stale, diff), DiffError);
      }),
    );
  });

  it('of git has several parts, prefixes and words behind the place', () => {
    const diff = parse(
      [
        '--- a/src/main.ts',
        '+++ b/src/main.ts',
        '@@ -1,2 +1,3 @@',
        '+first',
        ' one',
        ' two',
        '@@ -5 +6 @@ function five() {',
        '-five',
        '+FIVE',
      ].join('\n'),
    );
    assert.equal(diff.path, 'src/main.ts');
    assert.equal(diff.change, 'edit');
    assert.equal(applyDiff('one\ntwo\n3\n4\nfive\n', diff), 'first\none\ntwo\n3\n4\nFIVE\n');
  });

  it('tells files that are made and deleted, and takes names without prefixes as they are', () => {
    const created = parse('--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+hello');
    assert.deepEqual([created.path, created.change], ['new.txt', 'create']);
    assert.equal(applyDiff('', created), 'hello\n');
    const deleted = parse('--- a/old.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-bye');
    assert.deepEqual([deleted.path, deleted.change], ['old.txt', 'delete']);
    assert.equal(
      parse('--- /ws/a b.ts\t2025-01-01\n+++ /ws/a b.ts\t2025-01-02\n@@ -1 +1 @@\n-a\n+b').path,
      '/ws/a b.ts',
    );
  });

  it('takes away and gives the line ending at the end of the file', () => {
    const mark = '\\ No newline at end of file';
    assert.equal(applyDiff('a', parse(edit(`@@ -1 +1 @@\n-a\n${mark}\n+a`))), 'a\n');
    assert.equal(applyDiff('a\n', parse(edit(`@@ -1 +1 @@\n-a\n+a\n${mark}`))), 'a');
    assert.equal(applyDiff('a\nb', parse(edit('@@ -2 +2 @@\n-b\n+c'))), 'a\nc');
    assert.throws(() => applyDiff('a\nb', parse(edit(`@@ -1 +1 @@\n-a\n${mark}\n+b`))), /line 1/);
  });

  it('is refused with its reason when it cannot be read', () => {
    assert.throws(() => parse('--- a/f\nnothing'), /must be followed/);
    assert.throws(() => parse('--- a/f\n+++ b/g\n@@ -1 +1 @@\n-a\n+b'), /moves "f" to "g"/);
    assert.throws(() => parse(edit('no place')), /have no line "@@/);
    assert.throws(() => parse(edit('@@ -1,2 +1 @@\n-a')), /fewer lines/);
    assert.throws(() => parse(edit('@@ -1,2 +1,1 @@\n-a\n+b\n+c\n-d')), /more lines/);
    assert.throws(() => parse('--- /dev/null\n+++ /dev/null\n@@ -1 +1 @@\n-a\n+b'), /names no file/);
  });

  it('is refused if its parts overlap or are beyond the end', () => {
    const overlapping = parse(edit('@@ -1,2 +1,2 @@\n a\n-b\n+B\n@@ -2 +2 @@\n-b\n+C'));
    assert.throws(() => applyDiff('a\nb\n', overlapping), DiffError);
    assert.throws(() => applyDiff('a\n', parse(edit('@@ -9,0 +10 @@\n+x'))), DiffError);
  });
});

describe('the proposals of an answer', () => {
  const block = (diff: string, fence = '```') => `Look:\n\n${fence}diff\n${diff}\n${fence}\n\nGood?\n`;
  const one = '--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b';

  it('are the diffs of files in its fenced blocks, all of them', () => {
    const two = `diff --git a/g b/g\nindex 1..2 100644\n${one.replaceAll('/f', '/g')}`;
    const { diffs, problems } = parseProposals(block(one) + block(`${two}\n${one}`, '~~~~'));
    assert.deepEqual(problems, []);
    assert.deepEqual(
      diffs.map(({ path }) => path),
      ['f', 'g', 'f'],
    );
  });

  it('are not lines that are only marked, nor diffs outside of a block, nor code of another language', () => {
    assert.deepEqual(parseProposals(`${block('-old\n+new')}${one}\n\`\`\`text\n${one}\n\`\`\`\n`), {
      diffs: [],
      problems: [],
    });
  });

  it('may change lines that look like the end of the block', () => {
    const diff = '--- a/f.md\n+++ b/f.md\n@@ -1,2 +1,2 @@\n ```\n-a\n+```';
    assert.equal(applyDiff('```\na\n', parseProposals(block(diff)).diffs[0] ?? parse('')), '```\n```\n');
  });

  it('are all or nothing in one block, and a broken one leaves the others', () => {
    const broken = '--- a/f\n+++ b/f\n@@ -1,5 +1 @@\n-a';
    const { diffs, problems } = parseProposals(block(`${one}\n${broken}`) + block(one.replaceAll('/f', '/g')));
    assert.deepEqual(
      diffs.map(({ path }) => path),
      ['g'],
    );
    assert.equal(problems.length, 1);
  });

  it('are refused when lines follow that the counts leave out', () => {
    const { diffs, problems } = parseProposals(block('--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n+c'));
    assert.deepEqual(diffs, []);
    assert.match(problems[0] ?? '', /more lines/);
  });

  it('never throw for any answer', () => {
    const anyPart = fc.oneof(anyLine, fc.constantFrom('```diff', '--- a/f', '+++ b/f', '@@ -1,2 +1 @@', '-a', '+b'));
    fc.assert(
      fc.property(fc.array(anyPart, { maxLength: 30 }), (lines) => {
        parseProposals(lines.join('\n'));
      }),
    );
  });
});

function toCrlf(text: string): string {
  return text.replaceAll('\n', '\r\n');
}
