import assert from 'node:assert/strict';
import * as path from 'node:path';
import { ExcludeList } from '../../../../src/editor/common/excludeList';
import type { PathGuardFileSystem } from '../../../../src/editor/node/pathGuardFileSystem';
import { PathGuard, type CheckedPath } from '../../../../src/editor/node/pathGuard';

/** A disk that takes spellings for one name as a system does; it remembers what it was asked for. */
class OtherDisk implements PathGuardFileSystem {
  readonly asked: string[] = [];

  /** `files` and the folders above them, as the disk spells them; `links` lead from one path to another. */
  constructor(
    readonly paths: path.PlatformPath,
    private readonly files: readonly string[],
    private readonly links: Readonly<Record<string, string>> = {},
  ) {}

  readonly realpath = (file: string): Promise<string> => this.answer(file, this.find(this.followed(file)));
  readonly lstat = (file: string): Promise<unknown> => {
    const isLink = Object.keys(this.links).some((name) => same(name) === same(file));
    return this.answer(file, isLink ? file : this.find(this.followed(file)));
  };
  readonly stat = (file: string): Promise<never> => {
    this.asked.push(file);
    return Promise.reject(Object.assign(new Error('not told'), { code: 'EACCES' }));
  };

  private answer(file: string, found: string | undefined): Promise<string> {
    this.asked.push(file);
    return found === undefined
      ? Promise.reject(Object.assign(new Error(`no ${file}`), { code: 'ENOENT' }))
      : Promise.resolve(found);
  }

  private followed(file: string): string {
    const link = Object.keys(this.links).find((name) => same(file.slice(0, name.length)) === same(name));
    return link === undefined ? file : `${this.links[link] ?? ''}${file.slice(link.length)}`;
  }

  private find(file: string): string | undefined {
    const all = this.files.flatMap((name) => {
      const above = [name];
      while (this.paths.dirname(above[0] ?? '') !== above[0]) above.unshift(this.paths.dirname(above[0] ?? ''));
      return above;
    });
    return all.find((name) => same(name) === same(file));
  }
}

/** As Windows and macOS compare names. */
const same = (name: string): string => name.normalize('NFC').toLowerCase();

interface Checking {
  readonly disk: OtherDisk;
  readonly folders: readonly string[];
  readonly exclude?: readonly string[];
}

function check(requested: string, { disk, folders, exclude = [] }: Checking): Promise<CheckedPath> {
  const isWindows = disk.paths === path.win32;
  const guard = new PathGuard({
    folders: () => folders,
    exclude: () => new ExcludeList(exclude),
    isWindows,
    fileSystem: disk,
  });
  return guard.check(requested);
}

describe('the boundary of the workspace on Windows', () => {
  let workspace: Checking;
  beforeEach(() => {
    const files = ['C:\\ws\\src\\a.ts', 'C:\\ws\\.env', 'D:\\data\\b.ts', 'C:\\wsx\\c.ts'];
    const links = { 'C:\\ws\\out': 'D:\\data', 'C:\\ws\\share': '\\\\server\\share' };
    workspace = { disk: new OtherDisk(path.win32, files, links), folders: ['c:\\ws'], exclude: ['.env*'] };
  });

  it('is the same in every case and with either separator', async () => {
    for (const name of [
      'C:\\ws\\src\\a.ts',
      'c:/WS/src/A.TS',
      'src\\a.ts',
      'src/../SRC/a.ts',
      'file:///c:/ws/src/a.ts',
    ]) {
      const { realPath } = await check(name, workspace);
      assert.equal(realPath, 'C:\\ws\\src\\a.ts', name);
    }
  });

  it('is the same whichever case of the drive the system gives back', async () => {
    const { disk } = workspace;
    const asAsked = async (file: string): Promise<string> => `${file.charAt(0)}${(await disk.realpath(file)).slice(1)}`;
    const system: PathGuardFileSystem = { paths: path.win32, realpath: asAsked, lstat: disk.lstat, stat: disk.stat };
    const guard = new PathGuard({
      folders: () => ['c:\\ws'],
      exclude: () => new ExcludeList(['src/a.ts']),
      isWindows: true,
      fileSystem: system,
    });
    await assert.rejects(guard.check('C:\\ws\\src\\a.ts'), { code: 'excluded' });
    assert.equal((await guard.check('C:\\ws\\b.ts')).realPath, 'C:\\ws\\b.ts');
  });

  it('holds a file that is to be made', async () => {
    const { realPath, exists } = await check('c:\\WS\\src\\new\\b.ts', workspace);
    assert.deepEqual([realPath, exists], ['C:\\ws\\src\\new\\b.ts', false]);
  });

  it('ends at folders that begin alike, at other drives, and at what links lead to', async () => {
    for (const name of [
      'C:\\wsx\\c.ts',
      'D:\\data\\b.ts',
      'out\\b.ts',
      '..\\wsx\\c.ts',
      '\\wsx\\c.ts',
      'share\\a.ts',
    ]) {
      await assert.rejects(check(name, workspace), { code: 'outsideWorkspace' }, name);
    }
  });

  it('is decided without a word to another machine', async () => {
    for (const name of [
      '\\\\server\\share\\a.ts',
      '//server/share/a.ts',
      'file://server/share/a.ts',
      '\\\\?\\UNC\\server\\a',
    ])
      await assert.rejects(check(name, workspace), { code: 'outsideWorkspace' }, name);
    assert.deepEqual(workspace.disk.asked, []);
  });

  it('can be a share, and then only that one', async () => {
    const disk = new OtherDisk(path.win32, ['\\\\files\\team\\ws\\a.ts']);
    const there = { disk, folders: ['\\\\files\\team\\ws'] };
    assert.equal((await check('//FILES/team/ws/a.ts', there)).realPath, '\\\\files\\team\\ws\\a.ts');
    assert.equal((await check('file://files/team/ws/a.ts', there)).realPath, '\\\\files\\team\\ws\\a.ts');
    disk.asked.length = 0;
    await assert.rejects(check('\\\\files\\other\\a.ts', there), { code: 'outsideWorkspace' });
    assert.deepEqual(disk.asked, []);
  });

  it('keeps excluded files back in any case', async () => {
    for (const name of ['.env', '.ENV', 'c:\\WS\\.Env.local']) {
      await assert.rejects(check(name, workspace), { code: 'excluded' }, name);
    }
  });
});

describe('the boundary of the workspace on macOS', () => {
  const disk = (): OtherDisk =>
    new OtherDisk(path.posix, ['/Users/me/Shop/src/a.ts', '/Users/me/Shop/Schlu\u0308ssel.txt', '/Users/me/other.ts']);

  it('is the same in every case', async () => {
    const { realPath } = await check('/users/ME/shop/SRC/a.ts', { disk: disk(), folders: ['/Users/me/shop'] });
    assert.equal(realPath, '/Users/me/Shop/src/a.ts');
    const made = await check('/Users/me/SHOP/new.ts', { disk: disk(), folders: ['/Users/me/shop'] });
    assert.deepEqual([made.realPath, made.exists], ['/Users/me/Shop/new.ts', false]);
    await assert.rejects(check('/USERS/me/other.ts', { disk: disk(), folders: ['/Users/me/shop'] }), {
      code: 'outsideWorkspace',
    });
  });

  it('keeps excluded files back in any case, and in either form of their letters', async () => {
    const workspace = { disk: disk(), folders: ['/Users/me/Shop'], exclude: ['schl\u00fcssel*', 'SRC/**'] };
    for (const name of [
      'Schlu\u0308ssel.txt',
      'SCHL\u00dcSSEL.txt',
      'schl\u00fcssel2.txt',
      'src/a.ts',
      '/users/me/shop/Src/a.ts',
    ])
      await assert.rejects(check(name, workspace), { code: 'excluded' }, name);
  });
});
