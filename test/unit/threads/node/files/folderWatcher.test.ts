import assert from 'node:assert/strict';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import { nullLogger } from '../../../../../src/base/common/log';
import { isThreadFileName } from '../../../../../src/threads/node/ampFolder/ampData';
import { FolderWatcher, type FolderWatcherDeps } from '../../../../../src/threads/node/files/folderWatcher';
import { FakeClock } from '../../../../fake/fakeClock';
import { until } from '../../../../support/eventually';
import { thread, ThreadFolder } from '../../support/threadFolder';

describe("the watch of Amp's folder", () => {
  let folder: ThreadFolder;
  let clock: FakeClock;
  let told: (ReadonlySet<string> | undefined)[];
  let watch: FolderWatcher;
  const make = (part: Partial<FolderWatcherDeps> = {}): FolderWatcher => {
    const onChange: FolderWatcherDeps['onChange'] = (names) => told.push(names);
    return new FolderWatcher({
      ...{ folder: folder.threads, accepts: isThreadFileName, onChange, clock, log: nullLogger },
      ...part,
    });
  };

  beforeEach(async () => {
    folder = await ThreadFolder.make();
    clock = new FakeClock();
    told = [];
    watch = make();
  });
  afterEach(async () => {
    watch.dispose();
    await folder.remove();
  });

  for (const [how, tells] of [
    ['watches', true],
    ['polls', false],
  ] as const) {
    it(`${how}: tells of a rewrite, and of nothing that Amp still writes`, async () => {
      watch = make({ reportsChanges: () => Promise.resolve(tells) });
      await folder.put('T-a', thread('T-a', 2));
      await watch.start();
      await writeFile(path.join(folder.threads, 'T-x.json.amptmp'), '{');
      for (let count = 3; count < 8; count++) await folder.put('T-a', thread('T-a', count));
      await until('being told', () => {
        clock.advance(2_000);
        return told.some((names) => names?.has('T-a.json') === true);
      });
      assert.ok(told.every((names) => names === undefined || [...names].every((name) => name === 'T-a.json')));
    });
  }

  it('watches the folder that takes the place of another', async () => {
    await folder.put('T-a', thread('T-a', 2));
    await watch.start();
    const toldAfter = (count: number) => (): boolean => {
      clock.advance(5_000);
      return told.length > count;
    };
    await rename(folder.threads, `${folder.threads}.old`);
    await mkdir(folder.threads);
    await until('the new folder', toldAfter(0));
    clock.advance(1_000);
    const before = told.length;
    await folder.put('T-b', thread('T-b', 2));
    await until('a thread in it', toldAfter(before));
  });
});
