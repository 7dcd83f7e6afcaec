import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { isEditorError } from '../../../../../src/editor/common/editorPort';
import { ExcludeList } from '../../../../../src/editor/common/excludeList';
import { ProtectedFiles } from '../../../../../src/editor/common/protection/protectedFiles';
import { DiskEditor } from '../../../../../src/editor/node/diskEditor';

const run = promisify(execFile);

interface Write {
  readonly file: string;
  readonly text: string;
}

/** Creates what is there before the agent comes. */
type Layout = (ws: string, git: Git) => Promise<unknown>;
type Git = (...args: string[]) => Promise<string>;

const hostileConfig =
  '[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = /tmp\n\tfsmonitor = /tmp/evil\n';
const partsOfGitFolders: readonly Write[] = [
  { file: 'HEAD', text: 'ref: refs/heads/main\n' },
  { file: 'HEAD', text: 'ref:\r\n refs/heads/main' },
  { file: 'HEAD', text: `${'0123456789'.repeat(4)}\n` },
  { file: 'HEAD', text: 'nothing yet\n' },
  { file: 'head', text: 'ref: refs/heads/main\n' },
  { file: 'objects/x', text: 'x' },
  { file: 'objects/info/alternates', text: '/tmp/objects\n' },
  { file: 'Objects/x', text: 'x' },
  { file: 'refs/x', text: 'x' },
  { file: 'refs/heads/main', text: `${'0123456789'.repeat(4)}\n` },
  { file: 'config', text: hostileConfig },
  { file: 'config.worktree', text: hostileConfig },
  { file: 'commondir', text: '../store\n' },
  { file: 'commondir', text: '../../../a' },
  { file: 'gitdir', text: '/tmp/.git\n' },
  { file: 'hooks/pre-commit', text: '#!/bin/sh\n' },
  { file: 'hooks/README', text: 'about hooks\n' },
  { file: 'info/attributes', text: '* filter=evil\n' },
  { file: '.git', text: 'gitdir: ../store\n' },
  { file: '.git', text: 'gitdir: ./a\n' },
  { file: 'packed-refs', text: '' },
  { file: 'src/a.ts', text: 'export {};\n' },
];
const foldersToWriteIn = [
  '.', 'a', 'src/a', 'store', 'store/sub', '.bare', '.bare/worktrees/main', '.bare/worktrees/main/x', 'main', 'sub',
] as const; // prettier-ignore
const otherWrites: readonly Write[] = [
  { file: 'notes.txt', text: 'ref: refs/heads/main\n' },
  { file: 'notes.txt', text: hostileConfig },
  { file: 'scripts/check', text: '#!/bin/sh\n' },
  { file: 'tools/hooks/pre-push', text: '#!/bin/sh\n' },
];

const layouts: Readonly<Record<string, Layout>> = {
  nothing: () => Promise.resolve(),
  'a repository': (_, git) => git('init', '-q'),
  'a bare repository with a worktree': async (ws, git) => {
    await addBareRepository(git, '.bare', '../main');
    await put(ws, '.git', 'gitdir: ./.bare\n');
  },
  'a bare repository around its worktrees': async (_, git) => {
    await addBareRepository(git, '.', 'main');
  },
  'a repository with its Git folder elsewhere': async (ws, git) => {
    await mkdir(path.join(ws, 'store'));
    await git('init', '-q', '--separate-git-dir', 'store/sub', 'sub');
  },
  'a repository whose hooks are links and elsewhere': async (ws, git) => {
    await git('init', '-q', 'sub');
    await git('-C', 'sub', 'config', 'core.hooksPath', '../tools/hooks');
    await put(ws, 'scripts/check', '');
    await mkdir(path.join(ws, 'sub/.git/hooks'), { recursive: true });
    await symlink('../../../scripts/check', path.join(ws, 'sub/.git/hooks/pre-commit'));
  },
  'parts of a Git folder without a HEAD': async (ws) => {
    for (const file of ['a/objects/x', 'a/refs/x']) await put(ws, file, '');
  },
  'only a HEAD': (ws) => put(ws, 'a/HEAD', 'ref: refs/heads/main\n'),
  'a HEAD that is a link to a file': async (ws) => {
    for (const file of ['a/objects/x', 'a/refs/x', 'notes.txt']) await put(ws, file, '');
    await put(ws, '.x/y', '');
    for (const part of ['objects', 'refs']) await symlink(`../a/${part}`, path.join(ws, '.x', part));
    await symlink('../notes.txt', path.join(ws, '.x', 'HEAD'));
  },
  'a worktree whose common folder is incomplete': async (ws) => {
    await put(ws, 'a/HEAD', 'ref: refs/heads/main\n');
    await put(ws, 'a/commondir', '../store\n');
    await put(ws, 'store/refs/x', '');
  },
};

async function put(ws: string, file: string, text: string): Promise<void> {
  await mkdir(path.dirname(path.join(ws, file)), { recursive: true });
  await writeFile(path.join(ws, file), text);
}

async function addBareRepository(git: Git, folder: string, worktree: string): Promise<void> {
  await git('init', '-q', '--bare', '--initial-branch', 'main', folder);
  const tree = await git('-C', folder, 'hash-object', '-t', 'tree', '-w', '/dev/null');
  const commit = await git('-C', folder, 'commit-tree', tree, '-m', 'first');
  await git('-C', folder, 'update-ref', 'refs/heads/main', commit);
  await git('-C', folder, 'worktree', 'add', '-q', worktree, 'main');
}

/** Returns for each repository that Git finds in a folder what it reads there: pointers, configuration, hooks, attributes. */
async function readRepositories(ws: string, git: Git): Promise<ReadonlyMap<string, unknown>> {
  const entries = await readdir(ws, { recursive: true, withFileTypes: true });
  const folders = entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((folder) => !/[\\/](?:objects|refs|logs|hooks|info)(?:[\\/]|$)/i.test(folder));
  const repositories = new Map<string, unknown>();
  for (const folder of [ws, ...folders]) {
    const answer = await git('-C', folder, 'rev-parse', '--absolute-git-dir', '--git-common-dir', '--git-path', 'hooks')
      .catch(() => undefined); // prettier-ignore
    const [gitFolder, ...shared] = answer?.split('\n') ?? [];
    if (gitFolder === undefined || repositories.has(gitFolder)) continue;
    const [common = '', hooks = ''] = shared.map((name) => path.resolve(folder, name));
    const files = [
      ...['config', 'info/attributes', 'objects/info/alternates'].map((name) => path.join(common, name)),
      ...['HEAD', 'config.worktree', 'commondir'].map((name) => path.join(gitFolder, name)),
      ...(await readdir(hooks).catch(() => [])).map((name) => path.join(hooks, name)),
    ];
    const texts = files.map(async (file) => [file, await readFile(file, 'utf8').catch(() => undefined)]);
    repositories.set(gitFolder, await Promise.all(texts));
  }
  return repositories;
}

/** Writes what may be written without a question, as an agent does. Returns the refused writes. */
async function writeUnasked(ws: string, writes: readonly Write[], atOnce: boolean): Promise<readonly Write[]> {
  const protectedFiles = new ProtectedFiles();
  const editor = new DiskEditor([ws], new ExcludeList([]), () => protectedFiles);
  const refused: Write[] = [];
  const writeOne = async (write: Write): Promise<void> => {
    await editor.writeText(path.join(ws, write.file), write.text).catch((error: unknown) => {
      // A file can be where a folder should be, or the other way round.
      if (!isEditorError(error)) throw error;
      if (error.code === 'protected') refused.push(write);
    });
  };
  if (atOnce) await Promise.all(writes.map(writeOne));
  else for (const write of writes) await writeOne(write);
  return refused;
}

const everyWrite: readonly Write[] = [
  ...foldersToWriteIn.flatMap((folder) =>
    partsOfGitFolders.map(({ file, text }) => ({ file: path.join(folder, file), text })),
  ),
  ...otherWrites,
];
/** Most parts of a repository in one folder, in any order. */
const oneRepository: fc.Arbitrary<Write[]> = fc.constantFrom(...foldersToWriteIn).chain((folder) =>
  fc.shuffledSubarray(
    everyWrite.filter(({ file }) => folder === '.' || file.startsWith(`${folder}/`)),
    { minLength: partsOfGitFolders.length / 2 },
  ),
);
const writesInAnyOrder: fc.Arbitrary<Write[]> = fc.oneof(
  oneRepository,
  fc.shuffledSubarray([...everyWrite], { minLength: 1, maxLength: 12 }),
  fc.shuffledSubarray([...everyWrite], { minLength: everyWrite.length / 2 }),
);

describe('what Git takes for a repository', () => {
  let root: string;
  let runs = 0;
  before(async () => {
    root = await realpath(await mkdtemp(path.join(tmpdir(), 'backline-oracle-')));
  });
  after(() => rm(root, { recursive: true, force: true }));

  const startIn = async (layout: Layout): Promise<{ ws: string; git: Git }> => {
    const ws = path.join(root, String(runs++), 'ws');
    await mkdir(ws, { recursive: true });
    const env = {
      PATH: process.env['PATH'],
      HOME: root,
      GIT_CEILING_DIRECTORIES: path.dirname(ws),
      ...{ GIT_AUTHOR_NAME: 'Test', GIT_AUTHOR_EMAIL: 'test@example.com' },
      ...{ GIT_COMMITTER_NAME: 'Test', GIT_COMMITTER_EMAIL: 'test@example.com' },
    };
    const git: Git = async (...args) => (await run('git', args, { cwd: ws, env })).stdout.trim();
    await layout(ws, git);
    return { ws, git };
  };

  for (const [title, layout] of Object.entries(layouts)) {
    it(`neither comes to be nor changes by writes that need no approval, with ${title} before`, async () => {
      await fc.assert(
        fc.asyncProperty(writesInAnyOrder, fc.boolean(), async (writes, atOnce) => {
          const { git, ws } = await startIn(layout);
          const before = await readRepositories(ws, git);
          await writeUnasked(ws, writes, atOnce);
          assert.deepEqual(await readRepositories(ws, git), before);
          await rm(path.dirname(ws), { recursive: true, force: true });
        }),
        { numRuns: 4 },
      );
    });
  }

  it('is found by this test: the same writes make a repository if they are approved', async () => {
    const { git, ws } = await startIn(() => Promise.resolve());
    for (const { file, text } of [
      { file: 'a/HEAD', text: 'ref: refs/heads/main\n' },
      { file: 'a/objects/x', text: '' },
      { file: 'a/refs/x', text: '' },
    ])
      await put(ws, file, text);
    assert.deepEqual([...(await readRepositories(ws, git)).keys()], [path.join(ws, 'a')]);
  });

  it('is no reason to ask for files that only have similar names', async () => {
    const { ws } = await startIn(() => Promise.resolve());
    const writes = ['src/hooks/useHead.ts', 'src/objects/a.ts', 'src/refs/a.ts', 'src/head/a.ts', 'src/HEAD', 'src/info/a']; // prettier-ignore
    assert.deepEqual(
      await writeUnasked(
        ws,
        writes.map((file) => ({ file, text: 'text\n' })),
        false,
      ),
      [],
    );
  });
});
