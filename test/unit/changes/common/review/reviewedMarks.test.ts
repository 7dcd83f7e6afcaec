import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Emitter } from '../../../../../src/base/common/event';
import { hunkKeys } from '../../../../../src/changes/common/review/hunkKeys';
import { hunksBetween, type Hunk } from '../../../../../src/changes/common/review/hunks';
import { ReviewedMarks } from '../../../../../src/changes/common/review/reviewedMarks';
import type { FileHunks, TextsOfChange } from '../../../../../src/changes/common/review/reviewSource';
import { shortHash } from '../../../../../src/changes/node/storage/reviewedKeyFiles';
import { FakeClock } from '../../../../fake/fakeClock';
import { MemoryReviewedKeys } from '../../../../fake/memoryReviewedKeys';

const path = '/ws/a.ts';
const lineCount = 5;

function throwIt(error: unknown): never {
  throw error;
}

function fileOf(baseline: string, text: string): FileHunks {
  return { path, seen: { baseline, text }, hunks: hunksBetween(baseline, text) };
}

function hunkAt({ hunks }: FileHunks, index: number): Hunk {
  const hunk = hunks[index];
  assert.ok(hunk);
  return hunk;
}

/** The review of files whose texts a test sets. */
class Review {
  readonly textsByPath = new Map<string, TextsOfChange>();
  private readonly changed = new Emitter<void>(throwIt);
  private readonly clock = new FakeClock();
  readonly marks: ReviewedMarks;

  constructor() {
    const keys = new MemoryReviewedKeys();
    this.marks = new ReviewedMarks({ keys, hash: shortHash, clock: this.clock, onError: throwIt });
    this.marks.start({
      onDidChange: this.changed.event,
      paths: [],
      formerPaths: new Map(),
      texts: (file) => Promise.resolve(this.textsByPath.get(file) ?? { baseline: undefined, text: undefined }),
    });
  }
}

describe('what is marked as reviewed', () => {
  it('is exactly what was before and after the marked changes, in any order of edits, Keep and Undo', async () => {
    const line = fc.nat(lineCount - 1);
    const value = fc.nat(2);
    const step = fc.oneof(
      fc.record({ type: fc.constantFrom('agent' as const, 'user' as const), line, value }),
      fc.record({ type: fc.constantFrom('keep' as const, 'undo' as const, 'mark' as const, 'unmark' as const), line }),
    );
    const textOf = (values: readonly number[]): string =>
      values.map((one, at) => `value ${one}\nfixed ${at}\n`).join('');
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const { marks } = new Review();
        const baseline = Array.from({ length: lineCount }, () => 0);
        const now = [...baseline];
        const marked = new Set<string>();
        const nameOf = (at: number): string => `${at}: ${baseline[at]} to ${now[at]}`;
        const set = (values: number[], at: number, one: number | undefined): void => void (values[at] = one ?? 0);
        for (const one of steps) {
          const file = fileOf(textOf(baseline), textOf(now));
          const hunk = file.hunks.find(({ after }) => after.start === one.line * 2);
          if (one.type === 'agent') set(now, one.line, one.value);
          else if (one.type === 'user') {
            set(now, one.line, one.value);
            set(baseline, one.line, one.value);
          } else if (hunk && one.type === 'keep') set(baseline, one.line, now[one.line]);
          else if (hunk && one.type === 'undo') set(now, one.line, baseline[one.line]);
          else if (hunk) {
            await marks.setHunkReviewed(file, hunk, one.type === 'mark');
            if (one.type === 'mark') marked.add(nameOf(one.line));
            else marked.delete(nameOf(one.line));
          }
          const shown = fileOf(textOf(baseline), textOf(now));
          const reviewed = await marks.ofHunks(shown);
          for (const [index, { after }] of shown.hunks.entries())
            assert.equal(reviewed[index], marked.has(nameOf(after.start / 2)));
        }
      }),
    );
  });

  it('is one of several changes that look the same', async () => {
    const lines = (...added: readonly string[]): string => `{\n${added.map((one) => `}\n${one}{\n`).join('')}}\n`;
    const file = fileOf(lines('', '', ''), lines('new\n', 'new\n', 'new\n'));
    assert.equal(file.hunks.length, 3);
    assert.equal(new Set(hunkKeys(file, shortHash)).size, 3);
    const { marks } = new Review();
    await marks.setHunkReviewed(file, hunkAt(file, 1), true);
    assert.deepEqual(await marks.ofHunks(file), [false, true, false]);
    // The second is the first one now, and nobody has seen that there.
    assert.deepEqual(await marks.ofHunks(fileOf(lines('', '', ''), lines('', 'new\n', 'new\n'))), [false, false]);
  });

  it('stays when lines elsewhere change, and ends when the line beside it or it changes', async () => {
    const original = Array.from({ length: 30 }, (_, line) => `line ${line}\n`).join('');
    const changed = original.replace('line 20', 'LINE 20');
    const { marks } = new Review();
    const file = fileOf(original, changed);
    await marks.setHunkReviewed(file, hunkAt(file, 0), true);
    const isReviewed = async (text: string): Promise<boolean | undefined> =>
      (await marks.ofHunks(fileOf(original, text))).at(-1);
    assert.equal(await isReviewed(`new\n${changed}`), true);
    assert.equal(await isReviewed(changed.replace('LINE 20', 'Line 20')), false);
    assert.equal(await isReviewed(changed.replace('line 21', 'LINE 21')), false);
    assert.equal(await isReviewed(changed), true);
  });

  it('is counted over files: by hunks, once for a file without lines, and not for the former path of a renamed file', async () => {
    const review = new Review();
    const two = { baseline: 'a\nb\nc\n', text: 'A\nb\nC\n' };
    review.textsByPath.set('/ws/two.ts', two);
    review.textsByPath.set('/ws/image.png', { baseline: undefined, text: undefined, state: 'one' });
    review.textsByPath.set('/ws/deleted.ts', { baseline: 'gone\n', text: null });
    const paths = [...review.textsByPath.keys()];
    assert.deepEqual(await review.marks.count(paths), { reviewed: 0, total: 4 });
    for (const one of paths) await review.marks.setFileReviewed(one, true);
    assert.deepEqual(await review.marks.count(paths), { reviewed: 4, total: 4 });
    review.textsByPath.set('/ws/image.png', { baseline: undefined, text: undefined, state: 'two' });
    review.textsByPath.set('/ws/two.ts', { ...two, text: 'A\nb\nc\n' });
    assert.deepEqual(await review.marks.count(paths), { reviewed: 2, total: 3 });
    await review.marks.forget(['/ws/deleted.ts']);
    assert.equal(await review.marks.isAllReviewed('/ws/deleted.ts'), false);
  });

  it('is counted by itself only when something is marked, and again when the files change', async () => {
    const keys = new MemoryReviewedKeys();
    const clock = new FakeClock();
    const changed = new Emitter<void>(throwIt);
    let reads = 0;
    let text = 'A\nb\nC\n';
    const marks = new ReviewedMarks({ keys, hash: shortHash, clock, onError: throwIt });
    let told = 0;
    marks.onDidChange(() => told++);
    const counted = async (): Promise<void> => {
      const before = told;
      clock.advance(1_000);
      for (let turn = 0; turn < 100 && told === before; turn++) await Promise.resolve();
      assert.equal(told, before + 1);
    };
    marks.start({
      onDidChange: changed.event,
      paths: ['/ws/new.ts', '/ws/old.ts'],
      formerPaths: new Map([['/ws/new.ts', '/ws/old.ts']]),
      texts: () => {
        reads++;
        return Promise.resolve({ baseline: 'a\nb\nc\n', text });
      },
    });
    await counted();
    assert.equal(reads, 0);
    const paths = ['/ws/new.ts', '/ws/old.ts'];
    assert.equal(marks.countsOf(paths), undefined);
    await marks.setFileReviewed('/ws/new.ts', true);
    assert.deepEqual(marks.countsOf(paths), { reviewed: 2, total: 2 });
    assert.equal(marks.isFileReviewed('/ws/new.ts'), true);
    text = 'A\nb\nX\n';
    changed.fire();
    await counted();
    assert.deepEqual(marks.countsOf(paths), { reviewed: 1, total: 2 });
    assert.equal(marks.isFileReviewed('/ws/new.ts'), false);
    marks.dispose();
  });
});
