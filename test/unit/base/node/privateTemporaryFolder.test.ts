import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { PrivateTemporaryFolder } from '../../../../src/base/node/privateTemporaryFolder';

describe('a private temporary folder', () => {
  let parent: string;
  beforeEach(async () => {
    parent = await mkdtemp(path.join(tmpdir(), 'backline-private-'));
  });
  afterEach(() => rm(parent, { recursive: true }));

  it('reports where none can be made, and makes one once it can', async () => {
    const blocked = path.join(parent, 'tmp');
    await writeFile(blocked, 'a file where the folder was');
    const folder = new PrivateTemporaryFolder(blocked, 'threads');
    await assert.rejects(
      folder.createOrGetPath(),
      (error: unknown) => error instanceof Error && error.message.includes(blocked),
    );
    await rm(blocked);
    assert.ok((await folder.createOrGetPath()).startsWith(blocked));
    folder.dispose();
  });

  it("removes those that windows which crashed have left, and nobody else's", async () => {
    const { pid: dead } = spawnSync(process.execPath, ['--version']);
    const left = path.join(parent, `backline-threads-${dead}-abc`);
    await mkdir(left);
    await writeFile(path.join(left, 'T-1.json'), '{}');
    const kept = [`backline-threads-${process.pid}-abc`, 'backline-threads-x', `other-${dead}-abc`];
    for (const name of kept) await mkdir(path.join(parent, name));
    const link = `backline-threads-${dead}-link`;
    await symlink(path.join(parent, 'backline-threads-x'), path.join(parent, link));
    const folder = new PrivateTemporaryFolder(parent, 'threads');
    assert.equal((await readdir(parent)).length, 5, 'nothing happens before it is used');
    const own = path.basename(await folder.createOrGetPath());
    assert.deepEqual((await readdir(parent)).sort(), [...kept, link, own].sort());
    folder.dispose();
    assert.ok(!(await readdir(parent)).includes(own));
  });

  it('removes those of the first version, which do not say whose they are, when they are a day old', async () => {
    const folder = new PrivateTemporaryFolder(parent, 'view');
    const old = new Date(Date.now() - 25 * 60 * 60_000);
    const target = path.join(parent, 'target');
    await mkdir(target);
    for (const name of ['backline-view-AbC123', 'backline-view-mine', 'backline-view-notes1.txt']) {
      await mkdir(path.join(parent, name));
      await writeFile(path.join(parent, name, 'view.html'), '');
      await utimes(path.join(parent, name), old, old);
    }
    await mkdir(path.join(parent, 'backline-view-AbC456'));
    await symlink(target, path.join(parent, 'backline-view-AbC789'));
    await utimes(target, old, old);
    await folder.removeAbandoned();
    assert.deepEqual((await readdir(parent)).sort(), [
      'backline-view-AbC456',
      'backline-view-AbC789',
      'backline-view-mine',
      'backline-view-notes1.txt',
      'target',
    ]);
  });
});
