import assert from 'node:assert/strict';
import type { watch } from 'node:fs';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import type { Disposable } from '../../../../src/base/common/disposable';
import { systemClock } from '../../../../src/base/node/systemClock';
import { watchFolder } from '../../../../src/base/node/watchFolder';
import { until } from '../../../support/eventually';

/** Looks a hundred times as often. */
const quick = {
  ...systemClock,
  setTimer: (delayMs: number, callback: () => void) => systemClock.setTimer(delayMs / 100, callback),
};

/** What Node.js throws when the watches (ENOSPC) or the instances (EMFILE) of inotify are used up. */
function usedUp(code: string): typeof watch {
  return () => {
    throw Object.assign(new Error(`${code}: System limit for number of file watchers reached`), { code });
  };
}

describe('the watch on a folder', () => {
  let folder = '';
  let watching: Disposable | undefined;
  let changes: (string | undefined)[];
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'backline-watch-'));
    changes = [];
  });
  afterEach(async () => {
    watching?.dispose();
    await rm(folder, { recursive: true, force: true });
  });

  it('reports the name of the changed file', async () => {
    watching = watchFolder(folder, (name) => changes.push(name));
    await writeFile(path.join(folder, 'a'), '');
    await until('the change', () => changes.includes('a'));
  });

  for (const code of ['ENOSPC', 'EMFILE']) {
    it(`tells that something changed when the system has no watch left (${code})`, async () => {
      const file = path.join(folder, 'module.mjs');
      await writeFile(file, 'one');
      const systemWatch = usedUp(code);
      watching = watchFolder(folder, (name) => changes.push(name), { files: [file], clock: quick, systemWatch });
      // By a rename, as whole files are replaced.
      await until('the change of the folder', async () => {
        await writeFile(path.join(folder, 'b.tmp'), String(Math.random()));
        await rename(path.join(folder, 'b.tmp'), path.join(folder, 'b'));
        return changes.length > 0;
      });
      changes = [];
      await until('the change of the file', async () => {
        await writeFile(file, 'two'.repeat(1 + (Date.now() % 100)));
        return changes.length > 0;
      });
      assert.ok(changes.every((name) => name === undefined));
    });
  }

  it('reports that a missing folder was created', async () => {
    const later = path.join(folder, 'later');
    watching = watchFolder(later, (name) => changes.push(name), { clock: quick });
    await until('the change', async () => {
      await rm(later, { force: true });
      await writeFile(later, '');
      return changes.length > 0;
    });
  });

  it('reports nothing after dispose', async () => {
    const disposed = watchFolder(folder, (name) => changes.push(name), { clock: quick, systemWatch: usedUp('ENOSPC') });
    disposed.dispose();
    let told = 0;
    watching = watchFolder(folder, () => told++, { clock: quick, systemWatch: usedUp('ENOSPC') });
    await writeFile(path.join(folder, 'a'), '');
    // Who began to look later has looked: the first one would have told before.
    await until('the change', () => told > 0);
    assert.deepEqual(changes, []);
  });
});
