import assert from 'node:assert/strict';
import { mkdir, mkdtemp, realpath, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { Worker } from 'node:worker_threads';
import { ExcludeList } from '../../../../src/editor/common/excludeList';
import { readCheckedFile, readCheckedBytes, stillResolvesTo } from '../../../../src/editor/node/checkedRead';
import { PathGuard, type CheckedPath } from '../../../../src/editor/node/pathGuard';

/** Swaps a folder for a link and back, as fast as it can, until it is terminated. */
const flipper = `
  const { renameSync } = require('node:fs');
  const { parentPort, workerData: { folder, link, parked } } = require('node:worker_threads');
  parentPort.postMessage('started');
  for (;;) {
    renameSync(folder, parked);
    renameSync(link, folder);
    renameSync(folder, link);
    renameSync(parked, folder);
  }`;

describe('reading what was checked', () => {
  let root: string;
  let guard: PathGuard;
  const at = (...names: string[]): string => path.join(root, ...names);

  beforeEach(async () => {
    root = await realpath(await mkdtemp(path.join(tmpdir(), 'backline-checked-')));
    await mkdir(at('ws', 'folder'), { recursive: true });
    await mkdir(at('outside'));
    await writeFile(at('ws', 'folder', 'a.txt'), 'inside');
    await writeFile(at('outside', 'a.txt'), 'secret');
    const exclude = new ExcludeList([]);
    guard = new PathGuard({ folders: () => [at('ws')], exclude: () => exclude, isWindows: false });
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  it('gives the file that a path leads to', async () => {
    await symlink('folder', at('ws', 'link'));
    const { bytes, file } = await readCheckedFile(guard, at('ws', 'link', 'a.txt'));
    assert.deepEqual([bytes.toString(), file.realPath], ['inside', at('ws', 'folder', 'a.txt')]);
  });

  it('gives the beginning of a file that is over the limit of one answer', async () => {
    await writeFile(at('ws', 'large'), Buffer.alloc(33 * 1024 * 1024));
    const { bytes, fileSize: size } = await readCheckedBytes(guard, at('ws', 'large'), {});
    assert.deepEqual([bytes.length, size], [32 * 1024 * 1024, 33 * 1024 * 1024]);
  });

  // Only there does the system tell where an open file is.
  if (process.platform === 'linux') {
    it('never reads outside the workspace while a folder of the path is swapped for a link and back', async () => {
      await symlink(at('outside'), at('ws', 'link'));
      const workerData = { folder: at('ws', 'folder'), link: at('ws', 'link'), parked: at('ws', 'parked') };
      const worker = new Worker(flipper, { eval: true, workerData });
      const given = new Map<string, number>();
      try {
        await new Promise((resolve) => worker.once('message', resolve));
        const startMs = Date.now();
        const isTried = (): boolean => given.has('inside') && given.has('refused') && Date.now() > startMs + 2000;
        while (!isTried() && Date.now() < startMs + 45_000) {
          const answer = await readCheckedFile(guard, at('ws', 'folder', 'a.txt')).then(
            ({ bytes }) => bytes.toString(),
            () => 'refused',
          );
          given.set(answer, (given.get(answer) ?? 0) + 1);
        }
      } finally {
        await worker.terminate();
      }
      assert.equal(given.get('secret'), undefined, JSON.stringify([...given]));
      // Else nothing was tried.
      assert.ok(given.has('inside') && given.has('refused'), JSON.stringify([...given]));
    });
  }

  describe('where the system does not tell the place of an open file', () => {
    const opened = (...names: string[]): ReturnType<typeof identity> => identity(at(...names));

    /** Does something between the check of a path and the opening, and before it is checked again: each once. */
    class RacedGuard extends PathGuard {
      afterCheck = (): Promise<void> => Promise.resolve();
      beforeSecondCheck = (): Promise<void> => Promise.resolve();

      override async check(requested: string): Promise<CheckedPath> {
        const before = this.beforeSecondCheck;
        this.beforeSecondCheck = () => Promise.resolve();
        await before();
        const file = await super.check(requested);
        const after = this.afterCheck;
        this.afterCheck = () => Promise.resolve();
        await after();
        return file;
      }
    }

    const swapped = async (): Promise<void> => {
      await rename(at('ws', 'folder'), at('ws', 'parked'));
      await symlink(at('outside'), at('ws', 'folder'));
    };
    const swappedBack = async (): Promise<void> => {
      await rm(at('ws', 'folder'));
      await rename(at('ws', 'parked'), at('ws', 'folder'));
    };
    const racedGuard = (): RacedGuard => {
      const exclude = new ExcludeList([]);
      return new RacedGuard({ folders: () => [at('ws')], exclude: () => exclude, isWindows: false });
    };

    describe('a read', () => {
      const platform = Object.getOwnPropertyDescriptor(process, 'platform') ?? {};
      beforeEach(() => Object.defineProperty(process, 'platform', { ...platform, value: 'darwin' }));
      afterEach(() => Object.defineProperty(process, 'platform', platform));

      it('returns the checked file if nothing has changed', async () => {
        const { bytes, openPath: place } = await readCheckedFile(racedGuard(), at('ws', 'folder', 'a.txt'));
        assert.deepEqual([bytes.toString(), place], ['inside', undefined]);
      });

      it('is refused if the path now leads out of the workspace', async () => {
        const raced = racedGuard();
        raced.afterCheck = swapped;
        await assert.rejects(readCheckedFile(raced, at('ws', 'folder', 'a.txt')), { code: 'outsideWorkspace' });
      });

      it('is refused when another file was opened, though the path leads where it did', async () => {
        const raced = racedGuard();
        raced.afterCheck = async () => {
          await swapped();
          raced.beforeSecondCheck = swappedBack;
        };
        await assert.rejects(readCheckedFile(raced, at('ws', 'folder', 'a.txt')), {
          code: 'io',
          message: `${at('ws', 'folder', 'a.txt')} was moved while it was read. Read it again.`,
        });
      });
    });

    it('takes a path that leads to the opened file still', async () => {
      const file = await guard.check(at('ws', 'folder', 'a.txt'));
      assert.equal(await stillResolvesTo(guard, file, await opened('ws', 'folder', 'a.txt')), true);
    });

    it('refuses a file that was opened through a link which has gone again', async () => {
      const file = await guard.check(at('ws', 'folder', 'a.txt'));
      assert.equal(await stillResolvesTo(guard, file, await opened('outside', 'a.txt')), false);
    });

    it('refuses a path that leads elsewhere in the workspace, or out of it', async () => {
      const file = await guard.check(at('ws', 'folder', 'a.txt'));
      const info = await opened('ws', 'folder', 'a.txt');
      await rename(at('ws', 'folder'), at('ws', 'moved'));
      await symlink('moved', at('ws', 'folder'));
      assert.equal(await stillResolvesTo(guard, file, info), false);
      await rm(at('ws', 'folder'));
      await symlink(at('outside'), at('ws', 'folder'));
      await assert.rejects(stillResolvesTo(guard, file, info), { code: 'outsideWorkspace' });
    });
  });
});

async function identity(file: string): Promise<{ dev: bigint; ino: bigint }> {
  return await stat(file, { bigint: true });
}
