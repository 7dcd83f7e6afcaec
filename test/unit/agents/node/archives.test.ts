import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { InstallError } from '../../../../src/agents/common/install/installError';
import { ArchiveFolder, type ArchiveLimits } from '../../../../src/agents/node/archive/archiveFolder';
import { unpackTar } from '../../../../src/agents/node/archive/unpackTar';
import { unpackZip } from '../../../../src/agents/node/archive/unpackZip';
import { only } from '../../../support/only';
import { makeTarGz, makeZip, type ArchivedFile } from './support/archives';

type Format = 'zip' | 'tar.gz';
const formats: readonly Format[] = ['zip', 'tar.gz'];
const unsafeInTar: Record<string, readonly ArchivedFile[]> = {
  'a hard link': [{ name: 'a', type: 'link', linkname: '/etc/passwd' }],
  'a block device': [{ name: 'disk', type: 'block-device' }],
  'a pipe': [{ name: 'pipe', type: 'fifo' }],
};
/** `./folder/hello.txt` with "hello from bzip2\n", by GNU tar and bzip2. */
const bzip2 =
  'QlpoOTFBWSZTWdOvzLIAAHb/hMqSAEBAAf+AAAEAgXdm3lAAAIAIMAC5oYyaZAyaGQZGmBGDKaQ0AAAAGgCKiTE0aaGgYgNMh6ksw1m82TOhAKqBAbTbbpNQ1NZPFpHawRCKG+ITOTFx92yIz8mFNStjABuwwrBvwo47korKMKltxQB0wGQCBDKHA6YTEEhVEtQWoHAsaMjE7mjpGVxkaSMDMvWYfmbQT2OT+aWUGT6/PGVSIfxdyRThQkNOvzLI';
/** 60 MB of zeros. */
const bzip2Bomb =
  'QlpoOTFBWSZTWQ4J4t8BX45AAMAAAAggADCATUZCoCWpCoCXMUFZJlNZpertMgBsAOAAwAAAEAAIIAAwzAUppoAKWwgBS8XckU4UJC5+SiMA';

describe('an archive', () => {
  let root: string;
  let target: string;
  beforeEach(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'backline-archive-'));
    target = path.join(root, 'target');
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  async function unpackBytes(
    format: Format | 'tar.bz2',
    bytes: Uint8Array,
    limits?: ArchiveLimits,
    signal = new AbortController().signal,
  ): Promise<void> {
    const file = path.join(root, 'archive');
    await writeFile(file, bytes);
    const folder = new ArchiveFolder(target, signal, limits);
    if (format === 'zip') await unpackZip(file, folder);
    else await unpackTar(file, format === 'tar.gz' ? 'gzip' : 'bzip2', folder);
  }

  const pack = async (format: Format, files: readonly ArchivedFile[]): Promise<Buffer> =>
    format === 'zip' ? makeZip(files) : await makeTarGz(files);

  async function codeOf(work: Promise<unknown>): Promise<string> {
    const error: unknown = await work.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof InstallError, String(error));
    return error.code;
  }

  /** Everything in the root but the archive and the target. */
  const strays = async (): Promise<string[]> =>
    (await readdir(root)).filter((name) => name !== 'archive' && name !== 'target');

  for (const format of formats) {
    describe(`of the type ${format}`, () => {
      it('is unpacked with its folders, and with programs that can be started', async () => {
        const files: ArchivedFile[] = [
          { name: 'a/', mode: 0o755, ...(format === 'zip' ? {} : { type: 'directory' }) },
          { name: 'a/b/text.txt', text: 'text' },
          { name: './a/run', text: 'run', mode: 0o6755 },
          { name: 'empty', text: '' },
        ];
        await unpackBytes(format, await pack(format, files));
        assert.equal(await readFile(path.join(target, 'a/b/text.txt'), 'utf8'), 'text');
        assert.equal((await stat(path.join(target, 'empty'))).size, 0);
        if (process.platform === 'win32') return;
        // Neither the owner's rights nor those to write are taken from an archive.
        assert.equal((await stat(path.join(target, 'a/run'))).mode & 0o7777, 0o755);
        assert.equal((await stat(path.join(target, 'a/b/text.txt'))).mode & 0o111, 0);
      });

      const unsafe: Record<string, readonly ArchivedFile[]> = {
        'a path upwards': [{ name: '../evil', text: 'x' }],
        'a path upwards in the middle': [{ name: 'a/../../evil', text: 'x' }],
        'an absolute path': [{ name: '/tmp/backline-evil', text: 'x' }],
        'a drive': [{ name: 'C:/evil', text: 'x' }],
        'a backslash': [{ name: '..\\evil', text: 'x' }],
        'a link': [{ name: 'a', type: 'symlink', linkname: '/etc', text: format === 'zip' ? '/etc' : '' }],
        'a device': [{ name: 'null', type: 'character-device' }],
        'the same file twice': [
          { name: 'a', text: '1' },
          { name: './a', text: '2' },
        ],
        'a file below a file': [
          { name: 'a', text: '1' },
          { name: 'a/b', text: '2' },
        ],
        ...(format === 'zip' ? {} : unsafeInTar),
      };
      for (const [what, files] of Object.entries(unsafe)) {
        it(`is refused with ${what}`, async () => {
          const code = await codeOf(unpackBytes(format, await pack(format, files)));
          // The library for zip refuses some names by itself.
          assert.ok(code === 'archiveUnsafe' || (format === 'zip' && code === 'integrity'), code);
          assert.deepEqual(await strays(), []);
        });
      }

      it('is refused when it unpacks to too much, or to too many files', async () => {
        const limits = { maxEntries: 3, maxBytes: 1_000_000 };
        const bomb = await pack(format, [{ name: 'bomb', text: '0'.repeat(2_000_000) }]);
        assert.ok(bomb.length < 20_000);
        assert.equal(await codeOf(unpackBytes(format, bomb, limits)), 'archiveUnsafe');
        await rm(target, { recursive: true });
        const many = await pack(
          format,
          Array.from({ length: 4 }, (_, at) => ({ name: `${at}`, text: 'x' })),
        );
        assert.equal(await codeOf(unpackBytes(format, many, limits)), 'archiveUnsafe');
      });

      it('is refused when it is cut off, or no archive', async () => {
        const whole = await pack(format, [
          { name: 'a', text: 'y'.repeat(100_000) },
          { name: 'b', text: 'z' },
        ]);
        for (const share of [0.1, 0.5, 0.99]) {
          const cut = whole.subarray(0, Math.floor(whole.length * share));
          assert.equal(await codeOf(unpackBytes(format, cut)), 'integrity', String(share));
          await rm(target, { recursive: true, force: true });
        }
        assert.equal(await codeOf(unpackBytes(format, Buffer.from('<html>404</html>'))), 'integrity');
        assert.equal(await codeOf(unpackBytes(format, Buffer.alloc(0))), 'integrity');
      });

      it('is not unpacked further when the user cancels', async () => {
        const archive = await pack(format, [{ name: 'a', text: 'x' }]);
        assert.equal(await codeOf(unpackBytes(format, archive, undefined, AbortSignal.abort())), 'cancelled');
      });
    });
  }

  it('of the type zip must have the sizes that it claims', async () => {
    const lying = makeZip([{ name: 'a', text: '0'.repeat(100_000), claimedSize: 10 }]);
    assert.equal(await codeOf(unpackBytes('zip', lying)), 'integrity');
  });

  it('of the type tar.bz2 is unpacked', async () => {
    await unpackBytes('tar.bz2', Buffer.from(bzip2, 'base64'));
    assert.equal(await readFile(path.join(target, 'folder/hello.txt'), 'utf8'), 'hello from bzip2\n');
  });

  it('of the type tar.bz2 is refused when little becomes much', async () => {
    assert.equal(await codeOf(unpackBytes('tar.bz2', Buffer.from(bzip2Bomb, 'base64'))), 'archiveUnsafe');
  });

  it('of the type tar.bz2 is refused when it is damaged', async () => {
    const bytes = Buffer.from(bzip2, 'base64');
    for (const damaged of [bytes.subarray(0, bytes.length / 2), gzipSync('x'), Buffer.from('BZh9nonsense')])
      assert.equal(await codeOf(unpackBytes('tar.bz2', damaged)), 'integrity');
  });

  only('with GNU tar', process.platform === 'linux').it('of GNU tar is unpacked', async () => {
    const source = path.join(root, 'archive-source');
    const deep = path.join(source, 'd'.repeat(90), 'e'.repeat(90));
    await mkdir(deep, { recursive: true });
    await writeFile(path.join(deep, 'long.txt'), 'long');
    const file = path.join(root, 'gnu.tgz');
    await promisify(execFile)('tar', ['-C', source, '-czf', file, '.']);
    await unpackBytes('tar.gz', await readFile(file));
    assert.equal(await readFile(path.join(target, path.relative(source, deep), 'long.txt'), 'utf8'), 'long');
    await symlink('/etc', path.join(source, 'link'));
    await promisify(execFile)('tar', ['-C', source, '-czf', file, '.']);
    await rm(target, { recursive: true });
    assert.equal(await codeOf(unpackBytes('tar.gz', await readFile(file))), 'archiveUnsafe');
  });
});
