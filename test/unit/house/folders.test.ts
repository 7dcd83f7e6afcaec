import assert from 'node:assert/strict';
import * as path from 'node:path';
import { sourcesBelow } from '../../support/sourceNames';

/** More files than this do not show what a folder is about: they go into folders of their own, by what they are for. */
const mostFiles: Readonly<Record<string, number>> = { src: 15, bench: 20, scripts: 20, test: 20 };

/** Folders that hold more, how many, and why. It only shrinks: a number goes down with the folder, and goes when that is small. */
const known: Readonly<Record<string, readonly [number, string]>> = {
  'test/fixtures/context/providers': [23, 'one example beside the other, which one test reads all'],
  'test/ui': [41, 'files are becoming stories of several each'],
};

function counted(files: readonly string[]): ReadonlyMap<string, number> {
  const byFolder = Map.groupBy(files, (file) => path.posix.dirname(file));
  return new Map([...byFolder].map(([folder, inside]) => [folder, inside.length]));
}

function tooLarge(counts: ReadonlyMap<string, number>): Record<string, number> {
  const mostIn = (folder: string): number => mostFiles[folder.split('/')[0] ?? ''] ?? 0;
  return Object.fromEntries([...counts].filter(([folder, count]) => count > mostIn(folder)).sort());
}

describe('a folder', () => {
  it('holds only so many source files, but for those that are known', () => {
    const files = Object.keys(mostFiles).flatMap((top) => sourcesBelow(top));
    const expected = Object.fromEntries(Object.entries(known).map(([folder, [count]]) => [folder, count]));
    assert.deepEqual(tooLarge(counted(files)), expected);
  });

  it('is counted without the folders in it', () => {
    const files = Array.from({ length: 16 }, (_, at) => `src/a/${at}.ts`);
    assert.deepEqual(tooLarge(counted([...files, 'src/a/b/x.ts'])), { 'src/a': 16 });
  });
});
