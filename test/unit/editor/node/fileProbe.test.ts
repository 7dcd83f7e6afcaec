import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { FileProbe } from '../../../../src/editor/node/fileProbe';

describe('FileProbe', () => {
  let root: string;

  beforeEach(async () => {
    root = await realpath(await mkdtemp(path.join(tmpdir(), 'backline-probe-')));
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  it('detects that a file was created, changed and deleted', async () => {
    const file = path.join(root, 'a.txt');
    const probe = new FileProbe(file);
    assert.equal(await probe.probe(), undefined);
    assert.equal(await probe.probe(), undefined);
    await writeFile(file, '123');
    assert.equal((await probe.probe())?.info.size, 3n);
    await writeFile(file, '12345');
    assert.equal((await probe.probe())?.info.size, 5n);
    await rm(file);
    assert.equal(await probe.probe(), undefined);
  });

  it('looks once for all who ask before it begins, and again for those who ask later', async () => {
    const file = path.join(root, 'a.txt');
    writeFileSync(file, '1');
    const probe = new FileProbe(file);
    const [first, second] = [probe.probe(), probe.probe()];
    assert.equal(first, second);
    // By now the first look has begun.
    await Promise.resolve().then(() => undefined);
    writeFileSync(file, '12');
    const later = probe.probe();
    assert.notEqual(later, first);
    assert.equal((await later)?.info.size, 2n);
    await first;
    assert.notEqual(probe.probe(), later);
  });

  it('sees that a folder was moved and a link put in its place, although the file is the same', async () => {
    const file = path.join(root, 'folder', 'a.txt');
    await mkdir(path.dirname(file));
    await writeFile(file, 'x');
    const probe = new FileProbe(file);
    const before = await probe.probe();
    assert.equal(before?.realPath, file);
    await rename(path.dirname(file), path.join(root, 'moved'));
    await symlink('moved', path.dirname(file));
    const after = await probe.probe();
    assert.deepEqual([after?.realPath, after?.info.ino], [path.join(root, 'moved', 'a.txt'), before.info.ino]);
  });
});
