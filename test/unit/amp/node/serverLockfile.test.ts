import * as assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { ServerLockfile } from '../../../../src/amp/node/serverLockfile';
import { nullLogger } from '../../../../src/base/common/log';

const ours = 'Visual Studio Code';
/** More than any system counts to; the number of a process that has ended may be another one's by now. */
const deadPid = 2 ** 30;
/** Alive, and not ours. */
const otherPid = process.ppid;

describe('ServerLockfile', () => {
  let root: string;
  let folder: string;
  let store: ServerLockfile;

  beforeEach(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'backline-lockfile-'));
    folder = path.join(root, 'mit Leerzeichen und ü', 'amp', 'ide');
    store = new ServerLockfile({ folder, ideName: ours, pid: process.pid, log: nullLogger });
    store.createFolder();
  });

  afterEach(async () => {
    store.dispose();
    await rm(root, { recursive: true });
  });

  const lockfile = (fields: object = {}): string =>
    JSON.stringify({ port: 1, authToken: 't', pid: deadPid, workspaceFolders: ['/ws'], ideName: ours, ...fields });
  const put = (name: string, text: string): Promise<void> => writeFile(path.join(folder, name), text);
  const read = (port: number): Promise<string> => readFile(path.join(folder, `${port}.json`), 'utf8');

  it('writes the fields of both dialects, for the eyes of the user only', async () => {
    await store.write(8000, 'secret', ['/ws one', '/zwei']);
    assert.deepEqual(JSON.parse(await read(8000)), {
      port: 8000,
      authToken: 'secret',
      pid: process.pid,
      workspaceFolders: ['/ws one', '/zwei'],
      ideName: ours,
    });
    assert.equal((await stat(path.join(folder, '8000.json'))).mode & 0o777, 0o600);
    assert.equal((await stat(folder)).mode & 0o777, 0o700);
    assert.deepEqual(await readdir(folder), ['8000.json']);
  });

  it('closes a folder that other users could enter', async () => {
    await chmod(folder, 0o755);
    store.createFolder();
    assert.equal((await stat(folder)).mode & 0o777, 0o700);
  });

  it('refuses a folder of another user, who could read the token', async () => {
    const ownUid = process.getuid?.();
    if (ownUid === undefined) return;
    // Root can give a folder away; for everybody else the root folder is another user's.
    if (ownUid === 0) await chown(folder, 12_345, 12_345);
    const foreign = ownUid === 0 ? folder : path.parse(folder).root;
    const refused = new ServerLockfile({ folder: foreign, ideName: ours, pid: process.pid, log: nullLogger });
    assert.throws(() => refused.createFolder(), /belongs to another user.*Make sure that you own/u);
  });

  it('replaces the lockfile in the order of the calls', async () => {
    await Promise.all(['a', 'b', 'c'].map((name) => store.write(8000, 'secret', [`/${name}`])));
    assert.match(await read(8000), /"\/c"/u);
    assert.deepEqual(await readdir(folder), ['8000.json']);
  });

  it('removes the lockfile when disposed, and what was being written then never appears', async () => {
    await store.write(8000, 'secret', []);
    const writing = store.write(8000, 'secret', ['/late']);
    store.dispose();
    assert.deepEqual(
      (await readdir(folder)).filter((name) => name.endsWith('.json')),
      [],
    );
    await writing;
    assert.deepEqual(await readdir(folder), []);
  });

  it('does not remove a lockfile that has replaced its own', async () => {
    await store.write(8000, 'secret', []);
    await put('8000.json', lockfile({ authToken: 'theirs' }));
    store.dispose();
    assert.match(await read(8000), /theirs/u);
  });

  it('accepts that a client has deleted the lockfile', async () => {
    await store.write(8000, 'secret', []);
    await rm(path.join(folder, '8000.json'));
    store.dispose();
    assert.deepEqual(await readdir(folder), []);
  });

  it('removes lockfiles of our own dead processes only', async () => {
    await put('8001.json', lockfile());
    await put(`backline-${deadPid}-00ff.tmp`, '{"half');
    const kept = {
      '8002.json': lockfile({ ideName: 'nvim' }),
      '8003.json': lockfile({ pid: otherPid }),
      '8004.json': lockfile({ pid: 1 }),
      '8005.json': 'not json',
      '8006.json': '{}',
      '8007.json': lockfile({ pid: 'x' }),
      [`backline-${process.pid}-00ff.tmp`]: '{"half',
      'notes.txt': lockfile(),
    };
    for (const [name, text] of Object.entries(kept)) await put(name, text);
    await mkdir(path.join(folder, '8008.json'));
    const fifo = spawnSync('mkfifo', [path.join(folder, '8009.json')]);
    await store.removeStale();
    const expected = [...Object.keys(kept), '8008.json', ...(fifo.status === 0 ? ['8009.json'] : [])];
    assert.deepEqual((await readdir(folder)).sort(), expected.sort());
  });

  it('calls a port taken only when another live process has announced it', async () => {
    await put('8001.json', lockfile({ pid: otherPid, ideName: 'nvim' }));
    await put('8002.json', lockfile({ pid: deadPid, ideName: 'nvim' }));
    await put('8003.json', lockfile({ pid: process.pid }));
    await put('8004.json', 'not json');
    const taken = [8001, 8002, 8003, 8004, 8005].map((port) => store.isLockfileTaken(port));
    assert.deepEqual(taken, [true, false, false, false, false]);
  });

  it('says what to do when the folder cannot be made or written to', async () => {
    await writeFile(path.join(root, 'file'), '');
    const blocked = new ServerLockfile({
      folder: path.join(root, 'file', 'ide'),
      ideName: ours,
      pid: process.pid,
      log: nullLogger,
    });
    assert.throws(
      () => blocked.createFolder(),
      /: A file is where a folder should be\. Make sure that you own .*ide and can write to it/u,
    );
    await assert.rejects(blocked.write(8000, 'secret', []), /Restart Amp Server/u);
    await blocked.removeStale();
    blocked.dispose();
  });
});
