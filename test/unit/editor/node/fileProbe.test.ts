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

  it('sees that a link was put in the place of a file, or of a folder far above it', async () => {
    const file = path.join(root, 'a', 'b', 'c', 'file.txt');
    const other = path.join(root, 'other.txt');
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, 'x');
    await writeFile(other, 'x');
    const probe = new FileProbe(file);
    await probe.probe();
    await rename(path.join(root, 'a'), path.join(root, 'moved'));
    await symlink('moved', path.join(root, 'a'));
    const moved = path.join(root, 'moved', 'b', 'c', 'file.txt');
    assert.equal((await probe.probe())?.realPath, moved);
    await rm(path.join(root, 'a'));
    await rename(path.join(root, 'moved'), path.join(root, 'a'));
    assert.equal((await probe.probe())?.realPath, file);
    await rm(file);
    await symlink(other, file);
    assert.equal((await probe.probe())?.realPath, other);
  });

  it('follows a link that led to the file when it was checked', async () => {
    const [first, second] = [path.join(root, 'first.txt'), path.join(root, 'second.txt')];
    const link = path.join(root, 'link.txt');
    await writeFile(first, '1');
    await writeFile(second, '22');
    await symlink(first, link);
    const probe = new FileProbe(link);
    assert.equal((await probe.probe())?.realPath, first);
    await rm(link);
    await symlink(second, link);
    const after = await probe.probe();
    assert.deepEqual([after?.realPath, after?.info.size], [second, 2n]);
  });

  it('sees that the workspace folder was replaced by a link', async () => {
    const folder = path.join(root, 'workspace');
    const file = path.join(folder, 'file.txt');
    await mkdir(folder);
    await writeFile(file, 'x');
    const probe = new FileProbe(file);
    await probe.probe();
    await rename(folder, path.join(root, '.ssh'));
    await symlink('.ssh', folder);
    assert.equal((await probe.probe())?.realPath, path.join(root, '.ssh', 'file.txt'));
  });

  it('resolves a path outside the workspace whose link into it was replaced by the folder itself', async () => {
    const [workspace, outside] = [path.join(root, 'workspace'), path.join(root, 'folder')];
    const real = path.join(workspace, 'folder', 'file.txt');
    await mkdir(path.dirname(real), { recursive: true });
    await writeFile(real, 'x');
    await symlink(path.dirname(real), outside);
    const requested = path.join(outside, 'file.txt');
    const probe = new FileProbe(requested);
    assert.equal((await probe.probe())?.realPath, real);
    await rm(outside);
    await rename(path.dirname(real), outside);
    assert.equal((await probe.probe())?.realPath, requested);
  });
});
