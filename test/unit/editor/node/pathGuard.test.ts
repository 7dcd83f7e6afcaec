import assert from 'node:assert/strict';
import { mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { pathToFileURL } from 'node:url';
import { EditorError } from '../../../../src/editor/common/editorPort';
import { ExcludeList } from '../../../../src/editor/common/excludeList';
import { PathGuard } from '../../../../src/editor/node/pathGuard';

describe('PathGuard', () => {
  let root: string;
  let folders: string[];
  let exclude: ExcludeList;
  let guard: PathGuard;
  const at = (...names: string[]): string => path.join(root, ...names);

  beforeEach(async () => {
    root = await realpath(await mkdtemp(path.join(tmpdir(), 'backline-guard-')));
    await mkdir(at('ws', 'src'), { recursive: true });
    await mkdir(at('ws2'));
    await mkdir(at('ws-other'));
    await writeFile(at('ws', 'src', 'a.ts'), '');
    await writeFile(at('ws', '.env'), '');
    await writeFile(at('ws2', 'only-here.ts'), '');
    await writeFile(at('outside.txt'), '');
    folders = [at('ws'), at('ws2')];
    exclude = new ExcludeList(['.env*']);
    guard = new PathGuard({ folders: () => folders, exclude: () => exclude, isWindows: false });
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  const rejects = (requested: string, code: string): Promise<void> =>
    assert.rejects(guard.check(requested), { name: 'EditorError', code });

  it('lets files and folders of the workspace through', async () => {
    const file = at('ws', 'src', 'a.ts');
    const names = [{ path: file, relativePath: path.join('src', 'a.ts') }];
    assert.deepEqual(await guard.check(file), { path: file, realPath: file, canonicalPath: file, exists: true, names });
    assert.equal((await guard.check(at('ws'))).exists, true);
  });

  it('takes a relative path from the folder that has it, else from the first', async () => {
    assert.equal((await guard.check('src/a.ts')).path, at('ws', 'src', 'a.ts'));
    assert.equal((await guard.check('only-here.ts')).path, at('ws2', 'only-here.ts'));
    assert.equal((await guard.check('new/file.ts')).path, at('ws', 'new', 'file.ts'));
  });

  it('knows the absolute path of any path without a look at the disk, unless several folders could be meant', async () => {
    const several = ['src/a.ts', at('ws', 'src', '..', 'src', 'a.ts'), pathToFileURL(at('ws', 'src', 'a.ts')).href];
    assert.deepEqual(
      several.map((each) => guard.absolutePathOf(each)),
      [undefined, at('ws', 'src', 'a.ts'), undefined],
    );
    folders = [at('ws')];
    guard.clearCache();
    for (const each of ['src/a.ts', 'new/file.ts', './src//a.ts', 'src/../src/a.ts', at('ws', 'src', 'a.ts')])
      assert.equal(guard.absolutePathOf(each), (await guard.check(each)).path);
    for (const each of ['', 'x\0/../src/a.ts', '\ud800/../src/a.ts', `${'./'.repeat(3_000)}src/a.ts`])
      assert.throws(() => guard.absolutePathOf(each), { name: 'EditorError', code: 'invalidPath' });
    folders = [];
    assert.equal(guard.absolutePathOf('src/a.ts'), undefined);
  });

  it('lets a file through that is still to be made', async () => {
    const file = at('ws', 'new', 'deep', 'b.ts');
    const names = [{ path: file, relativePath: path.join('new', 'deep', 'b.ts') }];
    assert.deepEqual(await guard.check(file), {
      path: file,
      realPath: file,
      canonicalPath: file,
      exists: false,
      names,
    });
  });

  it('refuses paths outside the workspace, whether or not they exist', async () => {
    await rejects(at('outside.txt'), 'outsideWorkspace');
    await rejects(at('nothing.txt'), 'outsideWorkspace');
    await rejects('/etc/hostname', 'outsideWorkspace');
    await rejects('/', 'outsideWorkspace');
  });

  it('refuses a folder whose name only begins like a workspace folder', async () => {
    await rejects(at('ws-other', 'x'), 'outsideWorkspace');
  });

  it('refuses to climb out', async () => {
    await rejects(at('ws') + '/../outside.txt', 'outsideWorkspace');
    await rejects('../outside.txt', 'outsideWorkspace');
    await rejects('src/../../ws-other/new.ts', 'outsideWorkspace');
    assert.equal((await guard.check('src/../src/a.ts')).path, at('ws', 'src', 'a.ts'));
  });

  it('knows one path of each file, whatever links lead to it, also where the workspace folder is one', async () => {
    await symlink(at('ws', 'src'), at('ws', 'linked'));
    const canonical = async (...names: string[]): Promise<string> => (await guard.check(at(...names))).canonicalPath;
    assert.equal(await canonical('ws', 'linked', 'a.ts'), at('ws', 'src', 'a.ts'));
    assert.equal(await canonical('ws', 'linked', 'new', 'b.ts'), at('ws', 'src', 'new', 'b.ts'));
    assert.equal(await canonical('ws'), at('ws'));
    await symlink(at('ws'), at('named'));
    folders = [at('ws2'), at('named')];
    guard.clearCache();
    assert.equal(await canonical('named', 'linked', 'a.ts'), at('named', 'src', 'a.ts'));
    assert.equal(await canonical('ws', 'src', 'a.ts'), at('named', 'src', 'a.ts'));
    assert.equal(await canonical('named'), at('named'));
  });

  it('refuses a link that leaves, to read and to create', async () => {
    await symlink(at('outside.txt'), at('ws', 'link.txt'));
    await symlink(at('ws-other'), at('ws', 'linked'));
    await rejects(at('ws', 'link.txt'), 'outsideWorkspace');
    await rejects(at('ws', 'linked', 'new.ts'), 'outsideWorkspace');
    await rejects(at('ws', 'linked', 'deep', 'new.ts'), 'outsideWorkspace');
  });

  it('follows a link that stays', async () => {
    await symlink(at('ws2'), at('ws', 'linked'));
    const { path: named, realPath } = await guard.check(at('ws', 'linked', 'only-here.ts'));
    assert.deepEqual([named, realPath], [at('ws', 'linked', 'only-here.ts'), at('ws2', 'only-here.ts')]);
  });

  it('refuses broken and circular links', async () => {
    await symlink(at('ws', 'gone'), at('ws', 'dangling'));
    await symlink(at('not-yet'), at('ws', 'dangling-out'));
    await symlink(at('ws', 'loop'), at('ws', 'loop'));
    await rejects(at('ws', 'dangling'), 'outsideWorkspace');
    await rejects(at('ws', 'dangling', 'x'), 'outsideWorkspace');
    await rejects(at('ws', 'dangling-out'), 'outsideWorkspace');
    await rejects(at('ws', 'loop'), 'outsideWorkspace');
  });

  it('is not fooled by letter case', async () => {
    const passed = await guard.check(at('WS', 'src', 'a.ts')).catch(() => undefined);
    // Where the system takes the one for the other, the guard must know it for what it is.
    assert.ok(passed === undefined || passed.realPath === at('ws', 'src', 'a.ts'));
  });

  it('knows a workspace folder that is itself a link by both its names', async () => {
    await symlink(at('ws'), at('entry'));
    folders = [at('entry')];
    guard.clearCache();
    assert.equal((await guard.check(at('entry', 'src', 'a.ts'))).realPath, at('ws', 'src', 'a.ts'));
    assert.equal((await guard.check(at('ws', 'src', 'a.ts'))).path, at('ws', 'src', 'a.ts'));
  });

  it('asks again for a workspace folder that was not there', async () => {
    folders = [at('later')];
    guard.clearCache();
    await rejects(at('ws', 'src', 'a.ts'), 'outsideWorkspace');
    await rename(at('ws'), at('moved'));
    await symlink(at('moved'), at('later'));
    assert.equal((await guard.check(at('later', 'src', 'a.ts'))).realPath, at('moved', 'src', 'a.ts'));
  });

  it('refuses excluded files by name, in any case, and through a link', async () => {
    await symlink(at('ws', '.env'), at('ws', 'harmless.txt'));
    await symlink(at('ws', 'src', 'a.ts'), at('ws', '.env.local'));
    await rejects(at('ws', '.env'), 'excluded');
    await rejects(at('ws', '.ENV.new'), 'excluded');
    await rejects(at('ws', 'harmless.txt'), 'excluded');
    await rejects(at('ws', '.env.local'), 'excluded');
  });

  it('uses the current exclude list', async () => {
    exclude = new ExcludeList(['*.ts']);
    await rejects(at('ws', 'src', 'a.ts'), 'excluded');
    await guard.check(at('ws', '.env'));
  });

  it('refuses invalid paths', async () => {
    await rejects('', 'invalidPath');
    await rejects(at('ws', 'a\0b'), 'invalidPath');
    await rejects(at('ws', 'x'.repeat(5000)), 'invalidPath');
  });

  it('refuses a path at once that no system would take, whatever it is made of', async () => {
    for (const requested of ['x/'.repeat(5000), 'x/'.repeat(7 * 1024 * 1024), '../'.repeat(5000)]) {
      const error: unknown = await guard.check(requested).catch((reason: unknown) => reason);
      assert.ok(error instanceof EditorError && error.code === 'invalidPath');
      assert.ok(error.message.length < 200);
    }
  });

  it('asks the disk little about a long path that does not exist', async () => {
    const names = Array.from({ length: 1000 }, () => 'x');
    const { realPath, exists } = await guard.check(at('ws', 'src', ...names));
    assert.deepEqual([realPath, exists], [at('ws', 'src', ...names), false]);
  });

  it('refuses half a surrogate pair, which no file name can hold', async () => {
    await rejects(at('ws', 'a\ud800b'), 'invalidPath');
    await rejects('\udc00', 'invalidPath');
  });

  it('takes a file: URI for the path it names, and no other URI', async () => {
    const file = at('ws', 'src', 'ü b.ts');
    for (const uri of [pathToFileURL(file).href, `file:${file}`, `FILE://${file}`, `file://localhost${file}#L3`]) {
      assert.equal((await guard.check(uri)).path, file, uri);
    }
    await rejects(pathToFileURL(at('outside.txt')).href, 'outsideWorkspace');
    await rejects(pathToFileURL(at('ws', '.env')).href, 'excluded');
    for (const uri of [
      'file://server/x',
      'file:///a%2Fb',
      'file:///a%00b',
      'file:///a?b',
      'https://x/y',
      'untitled://x',
    ]) {
      await rejects(uri, 'invalidPath');
    }
    // A URI of a relative path is one of an absolute path.
    await rejects('file:src/a.ts', 'outsideWorkspace');
  });

  it('does not reveal files outside the workspace by its errors', async () => {
    // Of a folder that is there the system says that the name is too long, of one that is not, that it is missing.
    const tooLong = 'x'.repeat(300);
    await rejects(at('ws-other', tooLong), 'outsideWorkspace');
    await rejects(at('ws', tooLong), 'invalidPath');
    await symlink(at('nowhere'), at('dangling'));
    const message = async (requested: string): Promise<string> => {
      const error: unknown = await guard.check(requested).catch((reason: unknown) => reason);
      assert.ok(error instanceof Error);
      return error.message.replace(requested, '');
    };
    assert.equal(await message(at('dangling')), await message(at('missing')));
  });

  it('refuses everything without a folder', async () => {
    folders = [];
    guard.clearCache();
    await rejects('src/a.ts', 'outsideWorkspace');
    await rejects(at('ws', 'src', 'a.ts'), 'outsideWorkspace');
  });
});
