import assert from 'node:assert/strict';
import * as path from 'node:path';
import { namesOf, readNames, sourcesBelow, targetOf, type SourceNames } from '../../support/sourceNames';

/** In a folder with more, a reader has to follow too long a way of imports to know what a file does. */
const mostFloors = 6;

/** Folders with more floors, how many, and why. It only shrinks: a number goes down with the folder, and goes when that is small. */
const known: Readonly<Record<string, readonly [number, string]>> = {
  'src/amplifier/common/client': [10, 'one reducer, whose parts follow each other as a turn does'],
};

/** The highest floor of each folder. A file stands one floor above the highest file of its folder that it imports. */
function floorsOf(sources: ReadonlyMap<string, SourceNames>): Map<string, number> {
  const files = new Set(sources.keys());
  const floors = new Map<string, number>();
  const floorOf = (file: string): number => {
    const done = floors.get(file);
    if (done !== undefined) return done;
    // Circles are another test's matter.
    floors.set(file, 0);
    const below = (sources.get(file)?.imports ?? [])
      .map(({ specifier }) => targetOf(file, specifier, files))
      .filter((target) => target !== undefined && folderOf(target) === folderOf(file));
    const floor = 1 + Math.max(0, ...below.map((target) => floorOf(target ?? '')));
    floors.set(file, floor);
    return floor;
  };
  const byFolder = Map.groupBy(files, folderOf);
  return new Map([...byFolder].map(([folder, inside]) => [folder, Math.max(...inside.map(floorOf))]));
}

function folderOf(file: string): string {
  return path.posix.dirname(file);
}

describe('the imports inside a folder of src', () => {
  it(`have at most ${mostFloors} floors, but for the folders that are known`, () => {
    const floors = floorsOf(new Map(sourcesBelow('src').map((file) => [file, namesOf(file)])));
    const tooHigh = Object.fromEntries([...floors].filter(([, count]) => count > mostFloors).sort());
    assert.deepEqual(tooHigh, Object.fromEntries(Object.entries(known).map(([folder, [count]]) => [folder, count])));
  });

  it('are counted from file to file, without other folders', () => {
    const texts = {
      'src/x/top.ts': "import { a } from './middle';\nimport { b } from './ground';",
      'src/x/middle.ts': "import type { a } from './ground';\nimport '../y/other';",
      'src/x/ground.ts': '',
      'src/y/other.ts': "import '../z/far';",
      'src/z/far.ts': '',
    };
    const floors = floorsOf(new Map(Object.entries(texts).map(([file, text]) => [file, readNames(file, text)])));
    assert.deepEqual(Object.fromEntries(floors), { 'src/x': 3, 'src/y': 1, 'src/z': 1 });
  });
});
