import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmod, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { decodeText, diskVersion, isWritable, readDisk, statDisk } from '../../../../src/editor/node/diskReader';
import type { CheckedPath } from '../../../../src/editor/node/pathGuard';

describe('reading from disk', () => {
  let root: string;
  const checked = (name: string): CheckedPath => {
    const file = path.join(root, name);
    return { path: file, realPath: file, canonicalPath: file, exists: true, names: [] };
  };

  before(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'backline-disk-'));
  });
  after(() => rm(root, { recursive: true, force: true }));

  it('gives all bytes of a file, and a version that changes with it', async () => {
    await writeFile(path.join(root, 'a.txt'), 'one');
    const first = await readDisk(checked('a.txt'));
    await writeFile(path.join(root, 'a.txt'), 'three');
    const second = await readDisk(checked('a.txt'));
    assert.deepEqual([first.bytes.toString(), first.info.size], ['one', 3n]);
    assert.deepEqual([second.bytes.toString(), second.info.size], ['three', 5n]);
    assert.notEqual(diskVersion(first.info), diskVersion(second.info));
  });

  it('returns the requested part, up to the end of the file', async () => {
    await writeFile(path.join(root, 'part.txt'), '0123456789');
    const part = async (range: { offset?: number; limit?: number }): Promise<string> =>
      (await readDisk(checked('part.txt'), range)).bytes.toString();
    assert.equal(await part({ offset: 3, limit: 4 }), '3456');
    assert.equal(await part({ offset: 8, limit: 100 }), '89');
    assert.equal(await part({ offset: 100 }), '');
    assert.equal(await part({ offset: -5, limit: 2 }), '01');
    assert.equal(await part({ limit: -1 }), '');
  });

  it('refuses a text over the limit', async () => {
    await writeFile(path.join(root, 'long.txt'), 'long');
    await assert.rejects(readDisk(checked('long.txt'), { maxBytes: 3 }), { code: 'tooLarge' });
  });

  it('does not wait for the other end of a FIFO, and tells its type', async () => {
    execFileSync('mkfifo', [path.join(root, 'fifo')]);
    await assert.rejects(readDisk(checked('fifo')), { code: 'notAFile' });
    assert.equal((await statDisk(checked('fifo'))).type, 'other');
  });

  it('does not read sockets, devices and folders', async () => {
    const server = createServer().listen(path.join(root, 'socket'));
    await once(server, 'listening');
    try {
      await assert.rejects(readDisk(checked('socket')), { code: 'notAFile' });
    } finally {
      server.close();
    }
    const endless = { path: '/dev/zero', realPath: '/dev/zero', canonicalPath: '/dev/zero', exists: true, names: [] };
    await assert.rejects(readDisk(endless), {
      code: 'notAFile',
    });
    await assert.rejects(readDisk(checked('.')), { code: 'isDirectory' });
    assert.equal((await statDisk(checked('.'))).type, 'directory');
  });

  it('does not follow a link that came after the check', async () => {
    await symlink('/etc/hostname', path.join(root, 'swapped'));
    await assert.rejects(readDisk(checked('swapped')), { code: 'io' });
  });

  it('reports a missing file', async () => {
    await assert.rejects(readDisk(checked('gone')), { code: 'notFound' });
    await assert.rejects(statDisk({ ...checked('a.txt'), exists: false }), { code: 'notFound' });
  });

  it('uses the permission of the owner, also for root', async () => {
    await writeFile(path.join(root, 'locked.txt'), '');
    await chmod(path.join(root, 'locked.txt'), 0o444);
    assert.equal(await isWritable(checked('locked.txt')), false);
    await chmod(path.join(root, 'locked.txt'), 0o644);
    assert.equal(await isWritable(checked('locked.txt')), true);
  });
});

describe('decodeText', () => {
  const asUtf8 = (bytes: Uint8Array): Promise<string> => Promise.resolve(new TextDecoder().decode(bytes));
  const nobody = (): Promise<string> => Promise.reject(new Error('nobody was to be asked'));

  it('decodes plain ASCII itself', async () => {
    assert.equal(await decodeText('/a', Buffer.from('plain\r\n'), nobody), 'plain\r\n');
  });

  it('asks for anything else, and takes the byte order mark away', async () => {
    const kept = (bytes: Uint8Array): Promise<string> => Promise.resolve(Buffer.from(bytes).toString());
    assert.equal(await decodeText('/a', Buffer.from('\ufeffgrüße'), kept), 'grüße');
    assert.equal(await decodeText('/a', Buffer.from([0x61, 0xff, 0x62]), asUtf8), 'a\ufffdb');
  });

  it('treats NUL as binary data, except in UTF-16 with a byte order mark', async () => {
    await assert.rejects(decodeText('/a', Buffer.from('PK\0\0'), nobody), { code: 'notText' });
    const utf16 = Buffer.from('\ufeffok', 'utf16le');
    const decode = (bytes: Uint8Array): Promise<string> => Promise.resolve(Buffer.from(bytes).toString('utf16le'));
    assert.equal(await decodeText('/a', utf16, decode), 'ok');
  });
});
