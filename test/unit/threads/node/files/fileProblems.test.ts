import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { cliFailure } from '../../../../../src/threads/node/cli/cliFailures';
import { legacyExtensionFolders } from '../../../../../src/threads/node/ampFolder/ampData';
import { toThreadError, readThreadFile } from '../../../../../src/threads/node/files/threadFile';

describe('a thread that cannot be read', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'backline-file-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const sentences = /^[A-Z][^:]*\. [A-Z][^:]*\.$/;

  it('reports what is in its place, and what to do', async () => {
    const [loop, directory] = [path.join(folder, 'loop.json'), path.join(folder, 'folder.json')];
    await symlink(loop, loop);
    await mkdir(directory);
    assert.throws(() => readThreadFile(loop), {
      code: 'unreadable',
      message: /^This file is a symbolic link to itself/,
    });
    assert.throws(() => readThreadFile(directory), { code: 'unreadable', message: /^This is a folder, not a file/ });
  });

  for (const code of ['ELOOP', 'EISDIR', 'EMFILE', 'EIO', 'ENOTDIR', 'EBUSY', 'EWHATEVER', '__proto__']) {
    it(`is told in sentences, not in the words of the system: ${code}`, () => {
      const raw = Object.assign(new Error(`${code}: illegal operation, open '/x'`), { code });
      const { message } = toThreadError(raw);
      assert.match(message, sentences);
      assert.doesNotMatch(message, /illegal operation/);
    });
  }

  for (const said of [
    'TypeError: fetch failed\n  cause: Error: getaddrinfo ENOTFOUND ampcode.com',
    'Error: connect ECONNREFUSED 127.0.0.1:443',
    'Unable to connect. Is the computer able to access the url?',
    'error: FailedToOpenSocket: Was there a typo in the url or port?\nNetwork request failed',
  ]) {
    it(`is offline when the amp CLI says: ${said.split('\n', 1)[0] ?? ''}`, () => {
      const error = cliFailure(['threads', 'list', '--json'], 1, said);
      assert.equal(error.code, 'offline');
      assert.match(error.message, sentences);
    });
  }

  it('is not offline for a thread that is about the network', () => {
    assert.equal(cliFailure(['threads', 'export', 'T-1'], 1, 'No thread T-1').code, 'cli');
  });

  it('is looked for where the extension of Amp has kept its threads, whatever the profile', () => {
    const user = path.join(path.sep, 'home', 'kim', '.config', 'Code', 'User');
    const old = path.join('sourcegraph.amp', 'threads3');
    assert.deepEqual(legacyExtensionFolders(path.join(user, 'globalStorage', 'backline.backline')), [
      path.join(user, 'globalStorage', old),
    ]);
    assert.deepEqual(
      legacyExtensionFolders(path.join(user, 'profiles', '-1a2b', 'globalStorage', 'backline.backline')),
      [path.join(user, 'profiles', '-1a2b', 'globalStorage', old), path.join(user, 'globalStorage', old)],
    );
  });
});
