import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { ServerLockfiles } from '../../../../src/amp/node/serverLockfiles';
import { nullLogger } from '../../../../src/base/common/log';

/** More than any system counts to. */
const deadPid = 2 ** 30;

describe('ServerLockfiles', () => {
  let root: string;
  let folders: [string, string];
  let lockfiles: ServerLockfiles;
  const ideName = 'Visual Studio Code';
  const stale = (pid: number): string =>
    JSON.stringify({ port: 1, authToken: 't', pid, workspaceFolders: ['/ws'], ideName });

  beforeEach(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'backline-lockfiles-'));
    folders = [path.join(root, 'data', 'amp', 'ide'), path.join(root, 'home', 'amp', 'ide')];
    lockfiles = new ServerLockfiles({ folders, ideName, pid: process.pid, log: nullLogger });
  });
  afterEach(async () => {
    lockfiles.dispose();
    await rm(root, { recursive: true });
  });

  it('are the same in every folder, swept at the start and removed at the end', async () => {
    lockfiles.createFolders();
    for (const folder of folders) await writeFile(path.join(folder, '8001.json'), stale(deadPid));
    await lockfiles.write(8000, 'secret', ['/ws']);
    await lockfiles.removeStale();
    const [first, second] = await Promise.all(
      folders.map((folder) => readFile(path.join(folder, '8000.json'), 'utf8')),
    );
    assert.equal(first, second);
    for (const folder of folders) assert.deepEqual(await readdir(folder), ['8000.json']);
    lockfiles.dispose();
    for (const folder of folders) assert.deepEqual(await readdir(folder), []);
  });

  it('leave a port alone that is announced in any of the folders', async () => {
    lockfiles.createFolders();
    await writeFile(path.join(folders[1], '8001.json'), stale(process.ppid));
    assert.deepEqual([lockfiles.isLockfileTaken(8001), lockfiles.isLockfileTaken(8002)], [true, false]);
  });

  it('ignore an additional folder that cannot be created, but require the first one', async () => {
    await mkdir(root, { recursive: true });
    await writeFile(path.join(root, 'home'), 'not a folder');
    lockfiles.createFolders();
    await lockfiles.write(8000, 'secret', []);
    assert.deepEqual(await readdir(folders[0]), ['8000.json']);
    await lockfiles.removeStale();
    await writeFile(path.join(root, 'file'), '');
    const blocked = new ServerLockfiles({
      folders: [path.join(root, 'file', 'ide'), folders[0]],
      ideName,
      pid: process.pid,
      log: nullLogger,
    });
    assert.throws(() => blocked.createFolders(), /Make sure that you own .* and can write to it/u);
  });
});
