import assert from 'node:assert/strict';
import * as path from 'node:path';
import { sourcesBelow } from '../../support/sourceNames';

/** More source files than this do not show what a folder is about: they go into folders of their own, by what they are for. */
const mostFiles = 15;

/** Folders that hold more, how many, and why. It only shrinks: a number goes down with the folder, and goes when that is small. */
const known: Readonly<Record<string, readonly [number, string]>> = {
  'src/base/common': [26, 'small helpers that every room finds by their names'],
};

function counted(files: readonly string[]): ReadonlyMap<string, number> {
  const byFolder = Map.groupBy(files, (file) => path.posix.dirname(file));
  return new Map([...byFolder].map(([folder, inside]) => [folder, inside.length]));
}

function tooLarge(counts: ReadonlyMap<string, number>): Record<string, number> {
  return Object.fromEntries([...counts].filter(([, count]) => count > mostFiles).sort());
}

describe('a folder of src', () => {
  it(`holds at most ${mostFiles} source files, but for those that are known`, () => {
    const expected = Object.fromEntries(Object.entries(known).map(([folder, [count]]) => [folder, count]));
    assert.deepEqual(tooLarge(counted(sourcesBelow('src'))), expected);
  });

  it('is counted without the folders in it', () => {
    const files = Array.from({ length: mostFiles + 1 }, (_, at) => `src/a/${at}.ts`);
    assert.deepEqual(tooLarge(counted([...files, 'src/a/b/x.ts'])), { 'src/a': mostFiles + 1 });
  });
});
