import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import type { Chat } from '../../../../src/chat/common/chatPorts';
import { gitMoveLabel } from '../../../../src/changes/common/gitHead';
import { eventually } from '../../../support/eventually';
import { only } from '../../../support/only';
import { contentsOf, gitIn, TestWorkspace, writesIn } from '../../changes/support/workspace';
import { changeLines, DiskWindow } from '../support/diskWindow';

const isGit = (name: string): boolean => name.split(path.sep)[0] === '.git';

interface Prepared {
  /** Default is the folder of the workspace. */
  readonly folder?: string;
  /** The user's repository. */
  readonly gitDir?: string;
}

/** Each makes a workspace with `a.txt`, `b.txt`, `sub/c.txt` and no `new.txt`. */
const workspaces: Record<string, (workspace: TestWorkspace) => Prepared> = {
  'without a repository': () => ({}),
  'with a clean repository': (workspace) => {
    workspace.commitAll();
    return {};
  },
  'with dirty and staged files': (workspace) => {
    workspace.commitAll();
    workspace.write({ 'a.txt': 'one\nstaged\n', 'sub/c.txt': 'dirty\n', 'added.txt': 'added\n', 'free.txt': 'free\n' });
    workspace.git('add', 'a.txt', 'added.txt');
    workspace.write({ 'a.txt': 'one\nstaged and dirty\n' });
    return {};
  },
  'with a detached HEAD': (workspace) => {
    workspace.commitAll();
    workspace.git('checkout', '-q', '--detach');
    return {};
  },
  'in a linked work tree': (workspace) => {
    workspace.commitAll();
    const folder = path.join(workspace.root, 'tree');
    workspace.git('worktree', 'add', '-q', folder);
    return { folder, gitDir: workspace.file('.git') };
  },
  'with a submodule': (workspace) => {
    const inner = path.join(workspace.root, 'inner');
    mkdirSync(inner);
    writeFileSync(path.join(inner, 'i.txt'), 'inner');
    gitIn(inner, 'init', '-q', '-b', 'main');
    gitIn(inner, 'add', '-A');
    gitIn(inner, 'commit', '-q', '-m', 'inner');
    workspace.commitAll();
    workspace.git('-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', inner, 'module');
    return {};
  },
  'as a submodule': (workspace) => {
    workspace.commitAll();
    const outer = path.join(workspace.root, 'outer');
    mkdirSync(outer);
    gitIn(outer, 'init', '-q', '-b', 'main');
    gitIn(outer, '-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', workspace.folder, 'module');
    return { folder: path.join(outer, 'module'), gitDir: path.join(outer, '.git') };
  },
  'with LFS pointers and a filter that must not run': (workspace) => {
    workspace.write({
      '.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n',
      'large.bin': 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n',
    });
    workspace.commitAll();
    for (const name of ['clean', 'smudge', 'process']) workspace.git('config', `filter.lfs.${name}`, 'false');
    workspace.git('config', 'filter.lfs.required', 'true');
    return {};
  },
  'with core.autocrlf=true': (workspace) => {
    workspace.git('init', '-q', '-b', 'main');
    workspace.git('config', 'core.autocrlf', 'true');
    workspace.write({ 'crlf.txt': 'one\r\ntwo\r\n' });
    workspace.commitAll();
    return {};
  },
  'with core.autocrlf=input and attributes': (workspace) => {
    workspace.git('init', '-q', '-b', 'main');
    workspace.git('config', 'core.autocrlf', 'input');
    workspace.write({ '.gitattributes': '* text=auto eol=crlf\n', 'crlf.txt': 'one\r\ntwo\r\n' });
    workspace.commitAll();
    return {};
  },
  'whose core.worktree is elsewhere': (workspace) => {
    workspace.commitAll();
    workspace.git('config', 'core.worktree', workspace.root);
    return {};
  },
  'with borrowed objects': (workspace) => {
    workspace.commitAll();
    const folder = path.join(workspace.root, 'clone');
    gitIn(workspace.root, 'clone', '-q', '--shared', workspace.folder, folder);
    return { folder };
  },
};

describe('A turn of an agent that only runs shell commands', () => {
  let workspace: TestWorkspace;
  let window: DiskWindow | undefined;
  beforeEach(() => {
    workspace = new TestWorkspace();
    workspace.write({ 'a.txt': 'one\ntwo\n', 'b.txt': 'b\n', 'sub/c.txt': 'c\n' });
  });
  afterEach(async () => {
    await window?.close();
    window = undefined;
    await workspace.dispose();
  });

  const listed = (chat: Chat, folder: string, expected: readonly string[]): Promise<void> =>
    eventually('the changes', () => assert.deepEqual(changeLines(chat, folder), [...expected].sort()));

  const notices = (chat: Chat): string[] =>
    [...chat.transcript.entries()].flatMap((entry) =>
      entry.kind === 'notice' ? [`${entry.text} ${entry.details ?? ''}`.trim()] : [],
    );

  for (const [where, prepare] of Object.entries(workspaces)) {
    it(`is detected and undone, and leaves the repository unchanged: ${where}`, async () => {
      const { folder = workspace.folder, gitDir = path.join(folder, '.git') } = prepare(workspace);
      const file = (name: string): string => path.join(folder, name);
      const files = contentsOf(folder, isGit);
      const repository = writesIn(path.dirname(gitDir));
      const ownRepository = Object.fromEntries(Object.entries(repository).filter(([name]) => isGit(name)));
      window = await DiskWindow.open(workspace, { folders: [folder] });
      const chat = await window.create();
      const now = contentsOf(folder)['a.txt'];
      await window.turn(chat, () => {
        writeFileSync(file('new.txt'), 'new\n');
        writeFileSync(file('a.txt'), 'one\nAGENT\n');
        renameSync(file('b.txt'), file('sub/moved.txt'));
        if (files['large.bin'] !== undefined) writeFileSync(file('large.bin'), 'agent\n');
        if (files['crlf.txt'] !== undefined) writeFileSync(file('crlf.txt'), 'one\nTWO\n');
      });
      const lines = ['created new.txt', 'modified a.txt', 'created sub/moved.txt from b.txt', 'deleted b.txt'];
      if (files['large.bin'] !== undefined) lines.push('modified large.bin');
      if (files['crlf.txt'] !== undefined) lines.push('modified crlf.txt (bytes)');
      await listed(chat, folder, lines);
      for (const { path: changed } of [...chat.fileChanges.list]) await chat.revert(changed);
      await listed(chat, folder, []);
      assert.deepEqual(contentsOf(folder, isGit), files);
      assert.equal(contentsOf(folder)['a.txt'], now);
      const after = Object.entries(writesIn(path.dirname(gitDir))).filter(([name]) => isGit(name));
      assert.deepEqual(Object.fromEntries(after), ownRepository);
    });
  }

  it('is known to have switched the branch, by a restore and by an undo of its changes', async () => {
    workspace.commitAll();
    workspace.git('branch', 'other');
    window = await DiskWindow.open(workspace);
    const chat = await window.create();
    await window.turn(chat, () => workspace.write({ 'a.txt': 'first\n' }));
    await eventually('the change', () => assert.equal(chat.fileChanges.list.length, 1));
    await chat.keepChanges(workspace.file('a.txt'));
    workspace.git('commit', '-qam', 'by the user');
    await window.turn(chat, () => {
      workspace.git('switch', '-q', 'other');
      workspace.write({ 'new.txt': 'new\n' });
    });
    await eventually('the changes', () => assert.equal(chat.fileChanges.list.length, 2));
    const paths = chat.fileChanges.list.map(({ path: name }) => name);
    const label = /^Git was switched from main to other/;
    const [move, ...others] = await chat.restores.gitMovesSinceChanges(paths);
    assert.ok(move);
    assert.match(gitMoveLabel(move), label);
    assert.deepEqual(others, []);
    assert.equal(move.before.commit, workspace.git('rev-parse', 'main').trim(), 'since the change that remains');
    const prompts = [...chat.transcript.entries()].filter(({ kind }) => kind === 'prompt');
    const { folders } = await chat.restores.restorePointBefore(prompts[1]?.id ?? '');
    const { gitMoves } = await window.checkpoints.planRestore(folders, new AbortController().signal);
    assert.deepEqual(gitMoves, [move]);
  });

  it('is detected in two folders, one inside the other', async () => {
    workspace.write({ '../other/o.txt': 'o\n' });
    workspace.commitAll();
    const other = path.join(workspace.root, 'other');
    const folders = [workspace.folder, workspace.file('sub'), other];
    const before = contentsOf(workspace.root, (name) => /^(storage|chats)/.test(name));
    window = await DiskWindow.open(workspace, { folders });
    const chat = await window.create();
    await window.turn(chat, () => {
      workspace.write({ 'sub/c.txt': 'C\n', 'a.txt': 'one\n', '../other/new.bin': Uint8Array.of(0, 1) });
    });
    await listed(chat, workspace.root, [
      'modified workspace/sub/c.txt',
      'modified workspace/a.txt',
      'created other/new.bin (binary)',
    ]);
    for (const { path: changed } of [...chat.fileChanges.list]) await chat.revert(changed);
    assert.deepEqual(
      contentsOf(workspace.root, (name) => /^(storage|chats)/.test(name)),
      before,
    );
  });

  it('is detected and undone for any file names', async () => {
    const names = [
      'with space',
      'quote " \' `',
      'emoji 🚀',
      'new\nline',
      'tab\t',
      '-dash',
      '#hash?',
      'percent%20',
      'ä',
    ];
    workspace.write(Object.fromEntries(names.map((name) => [`${name}/${name}.txt`, `${name}\n`])));
    const before = contentsOf(workspace.folder);
    window = await DiskWindow.open(workspace);
    const chat = await window.create();
    await window.turn(chat, () => {
      for (const name of names) {
        workspace.write({ [`${name}/${name}.txt`]: 'agent\n', [`${name}/${name}.bin`]: Uint8Array.of(0, 1) });
      }
    });
    await listed(
      chat,
      workspace.folder,
      names.flatMap((name) => [`modified ${name}/${name}.txt`, `created ${name}/${name}.bin (binary)`]),
    );
    for (const { path: changed } of [...chat.fileChanges.list]) await chat.revert(changed);
    assert.deepEqual(contentsOf(workspace.folder), before);
  });

  it('reports what is not covered: a file of 200 MB, a submodule', async () => {
    workspace.write({ 'huge.bin': 'x' });
    truncateSync(workspace.file('huge.bin'), 200 * 1024 * 1024);
    workspace.write({ 'nested/n.txt': 'n' });
    gitIn(workspace.file('nested'), 'init', '-q');
    window = await DiskWindow.open(workspace);
    const chat = await window.create();
    await window.turn(chat, () =>
      workspace.write({ 'huge.bin': 'agent', 'nested/n.txt': 'agent', 'a.txt': 'agent\n' }),
    );
    await listed(chat, workspace.folder, ['modified a.txt']);
    assert.deepEqual(notices(chat), [
      `Some files and folders are not included in checkpoints. ${workspace.file('huge.bin')}\n${workspace.file('nested')}/`.replace(
        `${workspace.file('huge.bin')}\n${workspace.file('nested')}/`,
        [`${workspace.file('nested')}/`, workspace.file('huge.bin')].join('\n'),
      ),
    ]);
  });

  only('with POSIX modes', process.platform !== 'win32').it(
    'is undone in a read-only file, which stays read-only',
    async () => {
      workspace.write({ 'locked.bin': Uint8Array.of(0, 1) });
      chmodSync(workspace.file('locked.bin'), 0o444);
      const before = contentsOf(workspace.folder);
      window = await DiskWindow.open(workspace);
      const chat = await window.create();
      await window.turn(chat, () => {
        chmodSync(workspace.file('locked.bin'), 0o644);
        workspace.write({ 'locked.bin': Uint8Array.of(0, 2) });
        chmodSync(workspace.file('locked.bin'), 0o444);
      });
      await listed(chat, workspace.folder, ['modified locked.bin (binary)']);
      await chat.revert(workspace.file('locked.bin'));
      assert.deepEqual(contentsOf(workspace.folder), before);
    },
  );

  it('uses the reported files where there is no Git, and reports that the rest is not covered', async () => {
    window = await DiskWindow.open(workspace, { searchPath: path.join(workspace.root, 'nowhere') });
    const chat = await window.create();
    await window.turn(chat, () => workspace.write({ 'a.txt': 'agent\n' }));
    await eventually('the notice', () =>
      assert.deepEqual(notices(chat), [
        'Changes made by shell commands can’t be shown or undone. Git is not installed. Install Git to track all changes.',
      ]),
    );
    assert.deepEqual(changeLines(chat, workspace.folder), []);
  });

  it('reports that its changes are unknown if the folder is gone at its end', async () => {
    window = await DiskWindow.open(workspace);
    const chat = await window.create();
    await window.begin(chat);
    renameSync(workspace.folder, path.join(workspace.root, 'renamed'));
    await window.end(chat);
    await eventually('the notice', () =>
      assert.match(notices(chat).join(), /Some changes made by shell commands in this turn .* was removed or renamed/),
    );
  });

  it('is detected with 5,000 files in bounded time, and reports the files beyond the limit', async () => {
    const count = 5_200;
    const name = (at: number): string => `many/${at % 50}/f${at}.txt`;
    workspace.write(Object.fromEntries(Array.from({ length: count }, (_, at) => [name(at), `${at}\n`])));
    workspace.commitAll();
    window = await DiskWindow.open(workspace);
    const chat = await window.create();
    await window.turn(chat, () => {
      workspace.write(Object.fromEntries(Array.from({ length: count }, (_, at) => [name(at), `${at}\nagent\n`])));
    });
    for (const wanted of [1_500, 3_000, 5_000]) {
      await eventually('the changes', () => assert.ok(chat.fileChanges.list.length >= wanted));
    }
    assert.equal(chat.fileChanges.list.length, 5_000);
    await eventually('the notice', () =>
      assert.match(notices(chat).join(), /changed 5200 files. Only the first 5000 are listed/),
    );
    const prompt = [...chat.transcript.entries()].find(({ kind }) => kind === 'prompt');
    const point = await chat.restores.restorePointBefore(prompt?.id ?? '');
    const all = Array.from({ length: count }, (_, at) => workspace.file(name(at))).sort();
    assert.deepEqual([...point.writtenPaths].sort(), all, 'a restore knows all of them');
    assert.deepEqual([...point.pathsByCommand].sort(), all);
    const [first] = chat.fileChanges.list;
    assert.ok(first);
    await chat.revert(first.path);
    assert.equal(chat.fileChanges.list.length, 4_999);
  });
});
