import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import type { DiffPart } from '../../../src/transcript/common/entries';
import { parseHunkLines, parseUnifiedDiff, createDiff } from '../../../src/transcript/common/lineDiff';

const marks = { context: ' ', add: '+', remove: '-' } as const;

/** Each hunk as its place and its lines. */
function shown({ hunks }: DiffPart): string[] {
  return hunks.flatMap(({ oldStart, newStart, lines }) => [
    `@ ${oldStart} ${newStart}`,
    ...lines.map(({ kind, text }) => marks[kind] + text),
  ]);
}

const numbered = (count: number): string[] => Array.from({ length: count }, (_, at) => `line ${at + 1}`);

describe('createDiff', () => {
  it('shows three lines around a change', () => {
    const before = numbered(20);
    const after = before.with(9, 'changed');
    const part = createDiff('a.ts', before.join('\n'), after.join('\n'));
    assert.deepEqual(shown(part), [
      '@ 7 7',
      ...[' line 7', ' line 8', ' line 9', '-line 10', '+changed', ' line 11', ' line 12', ' line 13'],
    ]);
    assert.deepEqual([part.change, part.added, part.removed, part.omitted], ['modified', 1, 1, undefined]);
  });

  it('joins changes with overlapping context, and separates others', () => {
    const before = numbered(40);
    const after = before.with(4, 'a').with(11, 'b').with(30, 'c');
    const starts = createDiff('a.ts', before.join('\n'), after.join('\n')).hunks.map(({ oldStart }) => oldStart);
    assert.deepEqual(starts, [2, 28]);
  });

  it('counts lines correctly after added lines', () => {
    const before = numbered(30);
    const after = ['new', 'new', ...before.with(20, 'x')];
    assert.deepEqual(
      createDiff('a.ts', before.join('\n'), after.join('\n')).hunks.map(({ oldStart, newStart }) => [
        oldStart,
        newStart,
      ]),
      [
        [1, 1],
        [18, 20],
      ],
    );
  });

  it('recognizes a created file and a deleted one', () => {
    assert.deepEqual(createDiff('a', null, 'x\n'), {
      type: 'diff',
      path: 'a',
      change: 'created',
      added: 1,
      removed: 0,
      hunks: [{ oldStart: 1, newStart: 1, lines: [{ kind: 'add', text: 'x' }] }],
    });
    assert.deepEqual(shown(createDiff('a', 'x\ny', null)), ['@ 1 1', '-x', '-y']);
    assert.equal(createDiff('a', 'x', null).change, 'deleted');
    assert.deepEqual(createDiff('a', null, '').hunks, []);
  });

  it('is empty for equal texts', () => assert.deepEqual(createDiff('a', 'x\n', 'x\n').hunks, []));

  it('shows a changed line ending', () => {
    assert.deepEqual(shown(createDiff('a', 'x\r\n', 'x\n')), ['@ 1 1', '-x', '+x']);
  });

  it('truncates a long diff, and counts the omitted units', () => {
    const part = createDiff('a', null, numbered(1_000).join('\n'));
    assert.equal(
      part.hunks.reduce((sum, { lines }) => sum + lines.length, 0),
      400,
    );
    assert.equal(part.added, 1_000);
    assert.equal(
      part.omitted,
      numbered(1_000)
        .slice(400)
        .reduce((sum, line) => sum + line.length + 1, 0),
    );
  });

  it('shows some of both sides of a long replacement, with correct line numbers', () => {
    const before = numbered(1_000).map((line) => `old ${line}`);
    const after = numbered(1_000).map((line) => `new ${line}`);
    const part = createDiff('a', ['same', ...before].join('\n'), ['same', ...after].join('\n'));
    const lines = part.hunks.flatMap((hunk) => hunk.lines);
    const count = (kind: string): number => lines.filter((line) => line.kind === kind).length;
    assert.deepEqual([count('context'), count('remove'), count('add')], [1, 199, 200]);
    assert.deepEqual(
      part.hunks.map(({ oldStart, newStart }) => [oldStart, newStart]),
      [
        [1, 1],
        [1_002, 2],
      ],
    );
    assert.equal(createDiff('a', before.join('\n'), after.join('\n'), 2_000).omitted, undefined);
  });

  it('truncates a long line', () => {
    const part = createDiff('a', null, 'x'.repeat(10_000));
    assert.equal(part.hunks[0]?.lines[0]?.text.length, 2_000);
    assert.equal(part.omitted, 8_000);
  });

  it('replaces all lines of texts that have nothing in common', () => {
    const other = numbered(20_000).map((line) => `other ${line}`);
    const part = createDiff('a', ['same', ...numbered(20_000)].join('\n'), ['same', ...other].join('\n'));
    assert.deepEqual([part.added, part.removed], [20_000, 20_000]);
    assert.equal(shown(part)[1], ' same');
  });

  it('turns one text into the other', () => {
    const text = fc.array(fc.constantFrom('a\n', 'b\n', 'c\r\n', 'd\n', '\n'), { maxLength: 30 });
    fc.assert(
      fc.property(text, text, (before, after) => {
        const { hunks } = createDiff('a', before.join(''), after.join(''));
        const result: string[] = [];
        let at = 0;
        for (const { oldStart, newStart, lines } of hunks) {
          result.push(...before.slice(at, oldStart - 1).map(bare));
          assert.equal(newStart, result.length + 1);
          at = oldStart - 1;
          for (const { kind, text: line } of lines) {
            if (kind !== 'add') assert.equal(line, bare(before[at++] ?? ''));
            if (kind !== 'remove') result.push(line);
          }
        }
        assert.deepEqual([...result, ...before.slice(at).map(bare)], after.map(bare));
      }),
    );
  });
});

const bare = (line: string): string => line.replace(/\r?\n$/, '');

describe('parseUnifiedDiff', () => {
  const unified =
    '--- a/src/a.ts\n+++ b/src/a.ts\n@@ -3,3 +3,3 @@ class A\n one\n-two\n+2\n three\n\\ No newline at end of file\n';

  it('parses a patch', () => {
    const part = parseUnifiedDiff('/work/src/a.ts', unified);
    assert.deepEqual(part && shown(part), ['@ 3 3', ' one', '-two', '+2', ' three']);
    assert.deepEqual([part?.path, part?.change, part?.added, part?.removed], ['/work/src/a.ts', 'modified', 1, 1]);
  });

  it('parses a patch without file names', () => {
    const part = parseUnifiedDiff('a.ts', '@@ -1 +1 @@\n-a\n+b\n');
    assert.deepEqual(part && shown(part), ['@ 1 1', '-a', '+b']);
  });

  it('recognizes a new file', () => {
    const part = parseUnifiedDiff('b.ts', '--- /dev/null\n+++ b/b.ts\n@@ -0,0 +1,1 @@\n+x\n');
    assert.deepEqual(part && [part.change, ...shown(part)], ['created', '@ 1 1', '+x']);
  });

  it('picks the patch of the requested file', () => {
    const part = parseUnifiedDiff('b.ts', `${unified}--- a/b.ts\n+++ b/b.ts\n@@ -1 +1 @@\n-x\n+y\n`);
    assert.deepEqual(part && shown(part), ['@ 1 1', '-x', '+y']);
  });

  it('returns undefined for anything else', () => {
    assert.equal(parseUnifiedDiff('a', 'no diff'), undefined);
    assert.equal(parseUnifiedDiff('a', ''), undefined);
    assert.equal(parseUnifiedDiff('a', '@@ -1,5 +1 @@\n-a\n'), undefined);
  });
});

describe('parseHunkLines', () => {
  it('skips the file header above the lines, but no line that only looks like one', () => {
    const change = '--- a removed comment of SQL\n+-- another one\n';
    const expected = ['@ 5 5', '--- a removed comment of SQL', '+-- another one'];
    for (const header of ['', '--- a/b.sql\n+++ b/b.sql\n', 'Index: b.sql\n===========\n--- b.sql\n+++ b.sql\n']) {
      const part = parseHunkLines('b.sql', header + change, 5);
      assert.deepEqual(part && shown(part), expected, header);
    }
  });
});
