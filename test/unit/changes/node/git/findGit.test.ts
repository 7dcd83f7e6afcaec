import assert from 'node:assert/strict';
import { findGit, type FindGitOptions } from '../../../../../src/changes/node/git/findGit';

/** `links` lead from one file to another. */
function find(
  files: readonly string[],
  options: Pick<FindGitOptions, 'folders' | 'searchPath' | 'platform'>,
  links: Readonly<Record<string, string>> = {},
): Promise<string | undefined> {
  return findGit({
    mayRun: (file) => (files.includes(file) ? Promise.resolve() : Promise.reject(new Error('ENOENT'))),
    realPath: (file) => Promise.resolve(links[file] ?? file),
    ...options,
  });
}

describe('finding Git', () => {
  const linux = { platform: 'linux', folders: ['/ws'], searchPath: '/ws/bin::bin:.:/usr/bin' } as const;
  const windows = {
    platform: 'win32',
    folders: ['c:\\ws'],
    searchPath: 'C:\\WS\\bin;bin;.;"C:\\Git; 2\\cmd";D:\\git',
  } as const;

  it('takes the first on PATH that is not in the workspace', async () => {
    assert.equal(await find(['/ws/bin/git', 'bin/git', '/usr/bin/git'], linux), '/usr/bin/git');
    assert.equal(await find(['C:\\WS\\bin\\git.exe', 'bin\\git.exe', 'D:\\git\\git.exe'], windows), 'D:\\git\\git.exe');
  });

  it('takes none that a link leads into the workspace, nor from a folder there whose name begins with two dots', async () => {
    assert.equal(await find(['/usr/bin/git'], linux, { '/usr/bin/git': '/ws/tools/git' }), undefined);
    assert.equal(await find(['/ws/..bin/git'], { ...linux, searchPath: '/ws/..bin' }), undefined);
    assert.equal(await find(['/ws/..\\bin/git'], { ...linux, searchPath: '/ws/..\\bin' }), undefined);
    assert.equal(await find(['/wsx/git'], { ...linux, searchPath: '/wsx' }), '/wsx/git');
  });

  it('takes none from any folder of the workspace, nor a link there that leads out', async () => {
    const folders = ['/ws', '/other'];
    const searchPath = '/other/bin:/ws/bin:/home/me/bin:/usr/bin';
    const files = ['/other/bin/git', '/ws/bin/git', '/home/me/bin/git', '/usr/bin/git'];
    const links = { '/ws/bin/git': '/usr/bin/git', '/home/me/bin': '/other/tools', '/home/me/bin/git': '/usr/bin/git' };
    assert.equal(await find(files, { platform: 'linux', folders, searchPath }, links), '/usr/bin/git');
  });

  it('knows the workspace by the name that the disk has for it', async () => {
    const mac = { platform: 'darwin', folders: ['/Users/me/shop'], searchPath: '/users/ME/shop/bin' } as const;
    const links = { '/Users/me/shop': '/Users/me/Shop', '/users/ME/shop/bin/git': '/Users/me/Shop/bin/git' };
    assert.equal(await find(['/users/ME/shop/bin/git'], mac, links), undefined);
  });

  it('reads quotes on Windows, and takes a program only', async () => {
    const searchPath = '"C:\\Git\\cmd";D:\\git';
    assert.equal(await find(['C:\\Git\\cmd\\git.exe'], { ...windows, searchPath }), 'C:\\Git\\cmd\\git.exe');
    assert.equal(await find(['C:\\Git\\cmd\\git.cmd', 'C:\\Git\\cmd\\git'], { ...windows, searchPath }), undefined);
  });
});
