import assert from 'node:assert/strict';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { ExcludeList } from '../../../src/editor/common/excludeList';
import { FileAccessFilter } from '../../../src/context/node/fileAccessFilter';

describe('what the user excludes', () => {
  let root = '';
  let exclude = new ExcludeList([]);
  const at = (...parts: string[]): string => path.join(root, ...parts);
  before(async () => {
    root = await realpath(await mkdtemp(path.join(tmpdir(), 'backline-gate-')));
    for (const folder of ['repo', 'repo/config', 'elsewhere']) await mkdir(at(folder));
    for (const file of ['repo/a.ts', 'repo/.env', 'repo/config/secret.json', 'elsewhere/.env'])
      await writeFile(at(file), '');
    await symlink(at('repo', '.env'), at('repo', 'settings.txt'));
    await symlink(at('elsewhere', '.env'), at('repo', 'outside.txt'));
    await symlink(at('repo', 'a.ts'), at('repo', 'b.ts'));
    await symlink(at('repo', 'config'), at('repo', 'linked'), 'junction');
    await symlink(at('repo'), at('window'), 'junction');
  });
  after(() => rm(root, { recursive: true }));
  beforeEach(() => (exclude = new ExcludeList(['.env*', 'config/secret.json'])));

  const gateOf = (folder = 'repo'): FileAccessFilter =>
    new FileAccessFilter({ folders: () => [at(folder)], exclude: () => exclude, isWindows: false });

  async function isOpen(file: string, gate = gateOf(path.dirname(file).split('/')[0])): Promise<boolean> {
    await gate.cacheSpellings(at(file));
    return gate.allows(at(file));
  }

  it('is not for providers, also when a link of another name leads to it', async () => {
    for (const file of ['repo/.env', 'repo/settings.txt', 'repo/outside.txt', 'repo/linked/secret.json'])
      assert.equal(await isOpen(file), false, file);
    for (const file of ['repo/a.ts', 'repo/b.ts', 'repo/not there.ts']) assert.equal(await isOpen(file), true, file);
  });

  it('is known in a folder that is itself a link', async () => {
    assert.equal(await isOpen('window/linked/secret.json'), false);
    assert.equal(await isOpen('window/a.ts'), true);
  });

  it('follows the current setting', async () => {
    const gate = gateOf();
    assert.equal(await isOpen('repo/b.ts', gate), true);
    exclude = new ExcludeList(['a.ts']);
    assert.equal(gate.allows(at('repo/b.ts')), false);
  });

  it('includes all files that were not resolved', async () => {
    const gate = gateOf();
    assert.equal(gate.allows(at('repo/a.ts')), false);
    await gate.cacheSpellings(at('repo/a.ts'));
    gate.forget(at('repo/a.ts'));
    assert.equal(gate.allows(at('repo/a.ts')), false);
  });

  it('is recognized on Windows in either case of the drive, and on all systems in either Unicode form', async () => {
    const gateFor = (isWindows: boolean): FileAccessFilter =>
      new FileAccessFilter({ folders: () => ['C:\\ws'], exclude: () => exclude, isWindows });
    const gate = gateFor(true);
    await gate.cacheSpellings('c:\\WS\\config\\secret.json');
    assert.equal(gate.allows('c:\\WS\\config\\secret.json'), false);
    const other = gateFor(false);
    await other.cacheSpellings('c:\\WS\\config\\secret.json');
    assert.equal(other.allows('c:\\WS\\config\\secret.json'), true);
    exclude = new ExcludeList(['schl\u00fcssel.txt']);
    await gate.cacheSpellings('C:\\ws\\schlu\u0308ssel.txt');
    assert.equal(gate.allows('C:\\ws\\schlu\u0308ssel.txt'), false);
  });
});
