import assert from 'node:assert/strict';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import {
  hashCommandLineFiles,
  hashJson,
  type FileSystem,
  type CommandLineFilesOptions,
} from '../../../src/consent/node/contentHash';

describe('the hash of what a workspace brings', () => {
  let folder: string;
  let work: string;
  beforeEach(async () => {
    folder = await realpath(await mkdtemp(path.join(tmpdir(), 'backline-consent-')));
    work = path.join(folder, 'work');
    await mkdir(path.join(work, 'tools'), { recursive: true });
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const inWork = (...names: string[]): string => path.join(work, ...names);
  const namesOf = async (...words: string[]): Promise<string[]> => {
    const found = await hashCommandLineFiles(words, { cwd: work, folders: [work] });
    return found.map(({ file }) => path.relative(folder, file));
  };

  it('is the same whatever the order of members, and another for other values', () => {
    assert.equal(hashJson({ a: 1, b: { c: [1, 2], d: 'x' } }), hashJson({ b: { d: 'x', c: [1, 2] }, a: 1 }));
    assert.notEqual(hashJson({ a: [1, 2] }), hashJson({ a: [2, 1] }));
    assert.notEqual(hashJson({ a: ['b c'] }), hashJson({ a: ['b', 'c'] }));
  });

  it('covers the files in the workspace that a command line names, however it names them', async () => {
    for (const name of ['a.mjs', 'b.mjs', 'c.sh', 'with space.mjs', 'tools/d.mjs']) await writeFile(inWork(name), name);
    await writeFile(path.join(folder, 'outside.mjs'), '');
    const words = ['./a.mjs', '--import=./b.mjs', 'cd tools && ./c.sh', inWork('with space.mjs'), 'tools/d.mjs'];
    assert.deepEqual(await namesOf(...words), [
      'work/a.mjs',
      'work/b.mjs',
      'work/c.sh',
      'work/tools/d.mjs',
      'work/with space.mjs',
    ]);
    assert.deepEqual(await namesOf('../outside.mjs', 'tools', 'missing.mjs', '--flag', ''), []);
  });

  it('covers what package managers and make run without naming it', async () => {
    await writeFile(inWork('package.json'), '{}');
    await writeFile(inWork('Makefile'), '');
    assert.deepEqual(await namesOf('npm', 'run', 'agent'), ['work/package.json']);
    assert.deepEqual(await namesOf('/usr/bin/make'), ['work/Makefile']);
    assert.deepEqual(await namesOf('constructor'), []);
  });

  it('follows links out of and into the workspace', async () => {
    await writeFile(path.join(folder, 'outside.mjs'), 'one');
    await writeFile(inWork('a.mjs'), 'a');
    await symlink(path.join(folder, 'outside.mjs'), inWork('link.mjs'));
    await symlink(inWork('a.mjs'), path.join(folder, 'into.mjs'));
    assert.deepEqual(await namesOf('./link.mjs', '../into.mjs'), ['into.mjs', 'work/link.mjs']);
    const [before] = await hashCommandLineFiles(['./link.mjs'], { cwd: work, folders: [work] });
    await writeFile(path.join(folder, 'outside.mjs'), 'two');
    const [after] = await hashCommandLineFiles(['./link.mjs'], { cwd: work, folders: [work] });
    assert.notEqual(before?.hash, after?.hash);
  });

  it('covers files whose names begin with two dots, but nothing outside', async () => {
    await writeFile(inWork('..x.js'), '');
    await writeFile(path.join(folder, 'outside.mjs'), '');
    assert.deepEqual(await namesOf('./..x.js', '../outside.mjs', '..'), ['work/..x.js']);
  });

  it('covers what runs of a folder, and names without their ending', async () => {
    await mkdir(inWork('lib'));
    for (const name of ['server.js', 'other.cjs', 'index.mjs', 'lib/index.js', 'tools/index.js'])
      await writeFile(inWork(name), name);
    await writeFile(inWork('tools', 'package.json'), '{ "main": "../lib" }');
    assert.deepEqual(await namesOf('node', 'server', './other'), ['work/other.cjs', 'work/server.js']);
    assert.deepEqual(await namesOf('node', '.'), ['work/index.mjs']);
    assert.deepEqual(await namesOf('node', 'tools'), [
      'work/lib/index.js',
      'work/tools/index.js',
      'work/tools/package.json',
    ]);
  });
});

describe('the hash of what a workspace brings, on Windows', () => {
  let asked: string[] = [];
  beforeEach(() => (asked = []));

  /** A disk that has these files, takes either case for the other, and remembers what it was asked for. */
  const disk = (files: Readonly<Record<string, string>>): FileSystem => {
    const find = (file: string): Promise<[name: string, text: string]> => {
      asked.push(file);
      const plain = file.replace(/^\\\\\?\\/, '').toLowerCase();
      const found = Object.entries(files).find(([name]) => name.toLowerCase() === plain);
      return found ? Promise.resolve(found) : Promise.reject(new Error('ENOENT'));
    };
    return {
      paths: path.win32,
      realpath: async (file) => (await find(file))[0],
      readText: async (file) => (await find(file))[1],
      isFile: (file) =>
        find(file).then(
          () => true,
          () => false,
        ),
      chunks: async (file) => new Blob([(await find(file))[1]]).stream(),
    };
  };
  const files = { 'C:\\ws\\a.mjs': 'a', 'C:\\ws\\tools\\b.mjs': 'b' };
  const found = async (words: string[], options: Partial<CommandLineFilesOptions> = {}): Promise<string[]> => {
    const all = await hashCommandLineFiles(words, {
      cwd: 'C:\\ws',
      folders: ['C:\\ws'],
      system: disk(files),
      ...options,
    });
    return all.map(({ file }) => file);
  };
  const askedElsewhere = (): string[] => asked.filter((file) => /^[\\/]{2}(?!\?\\C:)/.test(file));

  it('covers files by either separator, in either case, and by the long form', async () => {
    assert.deepEqual(await found(['a.mjs', 'tools/b.mjs']), ['C:\\ws\\a.mjs', 'C:\\ws\\tools\\b.mjs']);
    assert.ok((await found(['c:\\WS\\A.mjs'])).includes('c:\\WS\\A.mjs'));
    assert.ok((await found(['\\\\?\\C:\\ws\\a.mjs'])).includes('\\\\?\\C:\\ws\\a.mjs'));
  });

  it('asks no server for a link in a command line', async () => {
    assert.deepEqual(await found(['npx', 'mcp-remote', 'https://mcp.example/sse', '--url=wss://a.example/b']), []);
    assert.deepEqual(askedElsewhere(), []);
  });

  it('does not access files on other machines, and does not allow them', async () => {
    for (const word of [
      '\\\\evil\\share\\x.mjs',
      '//evil/share/x.mjs',
      '--import=\\\\localhost\\c$\\ws\\a.mjs',
      'file://evil/share/x.mjs',
      '-javaagent://evil/share/a.jar',
      '/r://evil/x.dll',
      '\\\\?\\UNC\\evil\\share\\x.mjs',
    ]) {
      await assert.rejects(found([word]), /is on another machine/, word);
    }
    assert.deepEqual(askedElsewhere(), []);
  });

  it("leaves to the user's own settings what they name on a server, unasked", async () => {
    assert.deepEqual(await found(['\\\\tools\\share\\agent.exe', './a.mjs'], { onlyNamed: true }), ['C:\\ws\\a.mjs']);
    assert.deepEqual(askedElsewhere(), []);
  });

  it('does not follow a package to another machine', async () => {
    const system = disk({ ...files, 'C:\\ws\\tools\\package.json': '{ "main": "//evil/share/x.js" }' });
    await assert.rejects(found(['node', 'tools'], { system }), /is on another machine/);
    assert.deepEqual(askedElsewhere(), []);
  });

  it('asks the server that the workspace itself is on', async () => {
    const system = disk({ '\\\\files\\team\\ws\\a.mjs': 'a' });
    const there = { cwd: '\\\\files\\team\\ws', folders: ['\\\\files\\team\\ws'], system };
    assert.deepEqual(await found(['./a.mjs'], there), ['\\\\files\\team\\ws\\a.mjs']);
    await assert.rejects(found(['\\\\files\\other\\a.mjs'], there), /is on another machine/);
  });
});
