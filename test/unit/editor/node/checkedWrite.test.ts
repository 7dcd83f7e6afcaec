import assert from 'node:assert/strict';
import {
  chmod,
  link,
  lstat,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { Worker } from 'node:worker_threads';
import { ExcludeList } from '../../../../src/editor/common/excludeList';
import { createCheckedFile, overwriteCheckedFile, replaceCheckedFile } from '../../../../src/editor/node/checkedWrite';
import { pathOfOpenFile } from '../../../../src/editor/node/diskReader';
import { PathGuard } from '../../../../src/editor/node/pathGuard';

/** Swaps a folder for a link and back, as fast as it can, until it is terminated. A folder made in between has to go. */
const flipper = `
  const { renameSync, rmSync } = require('node:fs');
  const { parentPort, workerData: { folder, link, parked } } = require('node:worker_threads');
  const move = (from, to) => {
    for (;;) {
      try {
        return renameSync(from, to);
      } catch {
        try {
          rmSync(to, { recursive: true, force: true });
        } catch {}
      }
    }
  };
  parentPort.postMessage('started');
  for (;;) {
    move(folder, parked);
    move(link, folder);
    move(folder, link);
    move(parked, folder);
  }`;

describe('writing where it was checked', () => {
  let root: string;
  let guard: PathGuard;
  const at = (...names: string[]): string => path.join(root, ...names);
  const text = (file: string): Promise<string> => readFile(file, 'utf8');
  const create = async (...names: string[]): Promise<void> =>
    createCheckedFile(guard, await guard.check(at(...names)), Buffer.from('new'));

  beforeEach(async () => {
    root = await realpath(await mkdtemp(path.join(tmpdir(), 'backline-write-')));
    await mkdir(at('ws', 'folder'), { recursive: true });
    await mkdir(at('outside'));
    const exclude = new ExcludeList([]);
    guard = new PathGuard({ folders: () => [at('ws')], exclude: () => exclude, isWindows: false });
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  it('creates a file and its folders', async () => {
    await create('ws', 'a.txt');
    await create('ws', 'folder', 'b.txt');
    await create('ws', 'new', 'deep', 'c.txt');
    for (const file of ['a.txt', 'folder/b.txt', 'new/deep/c.txt']) assert.equal(await text(at('ws', file)), 'new');
  });

  it('does not overwrite a file that was created meanwhile, or remove folders in use', async () => {
    const file = await guard.check(at('ws', 'new', 'a.txt'));
    await mkdir(at('ws', 'new'));
    await writeFile(at('ws', 'new', 'a.txt'), 'theirs');
    await assert.rejects(createCheckedFile(guard, file, Buffer.from('x')), { code: 'editRejected' });
    assert.equal(await text(at('ws', 'new', 'a.txt')), 'theirs');
  });

  it('creates nothing through a link that has replaced a folder, and leaves no empty folder', async () => {
    const direct = await guard.check(at('ws', 'folder', 'a.txt'));
    const deep = await guard.check(at('ws', 'folder', 'deep', 'a.txt'));
    await rename(at('ws', 'folder'), at('ws', 'parked'));
    await symlink(at('outside'), at('ws', 'folder'));
    for (const file of [direct, deep]) {
      await assert.rejects(createCheckedFile(guard, file, Buffer.from('x')), { code: 'editRejected' });
    }
    assert.deepEqual(await readdir(at('outside')), []);
    await rm(at('ws', 'folder'));
    await writeFile(at('ws', 'folder'), 'a file');
    await assert.rejects(createCheckedFile(guard, deep, Buffer.from('x')), { code: 'editRejected' });
  });

  it('overwrites a file, and no other one that a link leads to', async () => {
    await writeFile(at('ws', 'folder', 'a.txt'), 'a longer text');
    await writeFile(at('outside', 'a.txt'), 'safe');
    const file = await guard.check(at('ws', 'folder', 'a.txt'));
    await overwriteCheckedFile(guard, file, Buffer.from('new'));
    assert.equal(await text(at('ws', 'folder', 'a.txt')), 'new');
    await rename(at('ws', 'folder'), at('ws', 'parked'));
    await symlink(at('outside'), at('ws', 'folder'));
    await assert.rejects(overwriteCheckedFile(guard, file, Buffer.from('x')), { code: 'editRejected' });
    await rm(at('ws', 'folder'));
    await rename(at('ws', 'parked'), at('ws', 'folder'));
    await rm(at('ws', 'folder', 'a.txt'));
    await symlink(at('outside', 'a.txt'), at('ws', 'folder', 'a.txt'));
    await assert.rejects(overwriteCheckedFile(guard, file, Buffer.from('x')), { code: 'editRejected' });
    assert.equal(await text(at('outside', 'a.txt')), 'safe');
  });

  it('writes into a file, whatever other names it has', async () => {
    await writeFile(at('ws', 'a.txt'), 'a');
    await link(at('ws', 'a.txt'), at('ws', 'b.txt'));
    await overwriteCheckedFile(guard, await guard.check(at('ws', 'b.txt')), Buffer.from('new'));
    assert.equal(await text(at('ws', 'a.txt')), 'new');
  });

  describe('a shorter text in a file that is being copied', () => {
    const modifiedAt = 1_700_000_000_123;

    /** What a program that has opened the file before reads after it. */
    async function readerSees(name: string, change: () => Promise<unknown> = () => Promise.resolve()): Promise<string> {
      await writeFile(at('ws', name), 'a longer text', { mode: 0o640 });
      await chmod(at('ws', name), 0o640);
      await change();
      const reader = await open(at('ws', name));
      try {
        await replaceCheckedFile(guard, await guard.check(at('ws', name)), Buffer.from('new'), modifiedAt);
        assert.equal(await text(at('ws', name)), 'new');
        assert.equal((await lstat(at('ws', name))).mtimeMs, modifiedAt);
        return await reader.readFile('utf8');
      } finally {
        await reader.close();
      }
    }

    // Only there, a copy waits for what is missing.
    if (process.platform === 'linux') {
      it('leaves the copy all of the old text', async () => {
        assert.equal(await readerSees('a.txt'), 'a longer text');
        assert.equal((await lstat(at('ws', 'a.txt'))).mode & 0o777, 0o640);
        assert.deepEqual((await readdir(at('ws'))).sort(), ['a.txt', 'folder']);
      });
    }

    it('is written into the file if that has other names', async () => {
      assert.equal(await readerSees('a.txt', () => link(at('ws', 'a.txt'), at('ws', 'b.txt'))), 'new');
      assert.equal(await text(at('ws', 'b.txt')), 'new');
    });
  });

  const tellings = {
    'does not tell where an open file is': () => undefined,
    'spells the place of an open file in another case': (handle) => pathOfOpenFile(handle)?.toUpperCase(),
  } satisfies Record<string, typeof pathOfOpenFile>;
  for (const [what, tellPlace] of Object.entries(tellings)) {
    describe(`when the system ${what}`, () => {
      it('creates a file and its folders', async () => {
        for (const file of ['folder/a.txt', 'folder/new/deep/b.txt']) {
          await createCheckedFile(guard, await guard.check(at('ws', file)), Buffer.from('new'), tellPlace);
          assert.equal(await text(at('ws', file)), 'new');
        }
      });

      it('leaves no file behind a link that has taken the place of a folder', async () => {
        await mkdir(at('ws', 'folder', 'deep'));
        await mkdir(at('outside', 'deep'));
        const files = [
          await guard.check(at('ws', 'folder', 'a.txt')),
          await guard.check(at('ws', 'folder', 'deep', 'a.txt')),
        ];
        await rename(at('ws', 'folder'), at('ws', 'parked'));
        await symlink(at('outside'), at('ws', 'folder'));
        for (const file of files) {
          await assert.rejects(createCheckedFile(guard, file, Buffer.from('x'), tellPlace), { code: 'editRejected' });
        }
        assert.deepEqual(await readdir(at('outside'), { recursive: true }), ['deep']);
      });

      it('leaves no folder behind such a link, either', async () => {
        const file = await guard.check(at('ws', 'folder', 'new', 'deep', 'a.txt'));
        await rename(at('ws', 'folder'), at('ws', 'parked'));
        await symlink(at('outside'), at('ws', 'folder'));
        for (const platform of ['linux', 'darwin'] as const) {
          const making = createCheckedFile(guard, file, Buffer.from('x'), tellPlace, platform);
          await assert.rejects(making, { code: 'editRejected' });
        }
        assert.deepEqual(await readdir(at('outside')), []);
      });
    });
  }

  // Only there does the system tell where an open file is.
  if (process.platform === 'linux') {
    it('makes nothing in a folder whose name differs in case only', async () => {
      await mkdir(at('ws', 'folder', 'deep'));
      const file = await guard.check(at('ws', 'folder', 'deep', 'a.txt'));
      await rename(at('ws', 'folder'), at('ws', 'FOLDER'));
      await symlink(at('ws', 'FOLDER'), at('ws', 'folder'));
      await assert.rejects(createCheckedFile(guard, file, Buffer.from('x')), { code: 'editRejected' });
      assert.deepEqual(await readdir(at('ws', 'FOLDER', 'deep')), []);
    });

    it('never writes outside while a folder of the path is swapped for a link and back', async () => {
      await symlink(at('outside'), at('ws', 'link'));
      const workerData = { folder: at('ws', 'folder'), link: at('ws', 'link'), parked: at('ws', 'parked') };
      const worker = new Worker(flipper, { eval: true, workerData });
      const tried = { made: 0, refused: 0 };
      try {
        await new Promise((resolve) => worker.once('message', resolve));
        const startMs = Date.now();
        const isTried = (): boolean => tried.made > 0 && tried.refused > 0 && Date.now() > startMs + 2000;
        for (let i = 0; !isTried() && Date.now() < startMs + 45_000; i++) {
          const name = i % 2 === 0 ? `${i}.txt` : `${i}/a.txt`;
          await create('ws', 'folder', name).then(
            () => tried.made++,
            () => tried.refused++,
          );
        }
      } finally {
        await worker.terminate();
      }
      assert.deepEqual(await readdir(at('outside')), []);
      // Else nothing was tried.
      assert.ok(tried.made > 0 && tried.refused > 0, JSON.stringify(tried));
    });
  }
});
