import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, realpathSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { type CheckpointStore } from '../../../../src/changes/node/checkpointStore';
import { currentStateId } from '../../../../src/changes/node/stateComparer';
import { contentsOf, gitIn, taken, TestWorkspace, textAt, writesIn } from '../support/workspace';

const isGit = (name: string): boolean => name.split(path.sep).includes('.git');

/** A turn that changes all sorts of things, then a restore; the files are as before and `.git` was never written. */
async function turnAndBack(workspace: TestWorkspace, store: CheckpointStore, gitDir: string): Promise<void> {
  const files = contentsOf(workspace.folder, isGit);
  const repository = writesIn(gitDir);
  const before = await taken(store);
  workspace.write({ 'a.txt': 'agent\n', 'sub/new.txt': 'new\n' });
  workspace.remove('b.txt');
  const after = await taken(store);
  const { changes } = await store.diff(before.id, after.id);
  assert.deepEqual(changes.map(({ status, path: name }) => `${status} ${name}`).sort(), [
    'added sub/new.txt',
    'deleted b.txt',
    'modified a.txt',
  ]);
  const { skipped } = await store.applyRestore(await store.planRestore(before.id), 'undo');
  assert.deepEqual(skipped, []);
  await store.prune({ maxAgeMs: 1e9, maxBytes: 1e9 });
  assert.deepEqual(contentsOf(workspace.folder, isGit), files);
  assert.deepEqual(writesIn(gitDir), repository, 'nothing of .git was written, not even a time');
}

describe('CheckpointStore in a Git workspace', () => {
  let workspace: TestWorkspace;
  let gitDir: string;
  beforeEach(() => {
    workspace = new TestWorkspace();
    gitDir = workspace.file('.git');
    workspace.write({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'sub/c.txt': 'c\n', 'crlf.txt': 'one\r\ntwo\n' });
    workspace.git('init', '-q', '-b', 'main');
  });
  afterEach(() => workspace.dispose());

  const commit = (): void => {
    workspace.git('add', '-A');
    workspace.git('commit', '-q', '-m', 'more');
  };

  it('writes nothing to .git, and brings back everything: clean', async () => {
    commit();
    await turnAndBack(workspace, await workspace.open(), gitDir);
  });

  it('writes nothing to .git, and brings back everything: dirty, staged, and to be added later', async () => {
    commit();
    workspace.write({
      'a.txt': 'staged\n',
      'sub/c.txt': 'dirty\n',
      'later.txt': 'later\n',
      'none.txt': '',
      'free.txt': 'x',
    });
    workspace.git('add', 'a.txt');
    workspace.git('add', '-N', 'later.txt', 'none.txt');
    workspace.write({ 'a.txt': 'staged and dirty\n' });
    await turnAndBack(workspace, await workspace.open(), gitDir);
  });

  it('writes nothing to .git, and brings back everything: detached, and before the first commit', async () => {
    await turnAndBack(workspace, await workspace.open(), gitDir);
    commit();
    workspace.git('checkout', '-q', '--detach');
    await turnAndBack(workspace, await workspace.open(), gitDir);
  });

  it('writes nothing to .git, and brings back everything: in the middle of a merge with conflicts', async () => {
    commit();
    workspace.git('checkout', '-q', '-b', 'other');
    workspace.write({ 'a.txt': 'theirs\n' });
    commit();
    workspace.git('checkout', '-q', 'main');
    workspace.write({ 'a.txt': 'ours\n' });
    commit();
    assert.throws(() => workspace.git('merge', 'other'));
    await turnAndBack(workspace, await workspace.open(), gitDir);
  });

  it('writes nothing to .git, and brings back everything: entries marked as never changed, and left to sparse checkout', async () => {
    commit();
    workspace.git('update-index', '--assume-unchanged', 'a.txt');
    workspace.git('update-index', '--skip-worktree', 'b.txt');
    await turnAndBack(workspace, await workspace.open(), gitDir);
  });

  for (const version of ['2', '3', '4']) {
    it(`writes nothing to .git, and brings back everything: an index of version ${version}`, async () => {
      workspace.write({ 'sub/deep/d.txt': 'd', 'sub/deeper/e.txt': 'e', [`long/${'n'.repeat(200)}`]: 'n' });
      commit();
      workspace.git('update-index', '--index-version', version);
      await turnAndBack(workspace, await workspace.open(), gitDir);
    });
  }

  for (const setting of ['core.splitIndex', 'feature.manyFiles', 'core.untrackedCache']) {
    it(`writes nothing to .git, and brings back everything: with ${setting}`, async () => {
      workspace.git('config', setting, 'true');
      commit();
      workspace.git('status');
      await turnAndBack(workspace, await workspace.open(), gitDir);
    });
  }

  it('writes nothing to .git, and brings back everything: in a work tree of its own', async () => {
    commit();
    const tree = path.join(workspace.root, 'tree');
    workspace.git('worktree', 'add', '-q', tree);
    const before = writesIn(gitDir);
    const store = await workspace.open({ folder: tree });
    const { id } = await taken(store);
    writeFileSync(path.join(tree, 'a.txt'), 'agent\n');
    assert.equal((await store.diff(id, currentStateId)).changes.length, 1);
    await store.applyRestore(await store.planRestore(id), 'undo');
    assert.equal(gitIn(tree, '--no-optional-locks', 'status', '--porcelain'), '');
    assert.deepEqual(writesIn(gitDir), before);
  });

  it('writes nothing to .git, and brings back everything: objects named by SHA-256', async () => {
    workspace.remove('.git');
    workspace.git('init', '-q', '-b', 'main', '--object-format=sha256');
    commit();
    await turnAndBack(workspace, await workspace.open(), gitDir);
  });

  it('does not touch an object of the user when an agent writes what is in their history', async () => {
    commit();
    workspace.write({ 'a.txt': 'second\n' });
    commit();
    workspace.git('gc', '-q');
    const past = new Date(1_600_000_000_000);
    for (const name of Object.keys(contentsOf(gitDir))) utimesSync(path.join(gitDir, name), past, past);
    const repository = writesIn(gitDir);
    const store = await workspace.open();
    const { id } = await taken(store);
    workspace.write({ 'a.txt': 'a\n' });
    await store.diff(id, (await taken(store)).id);
    assert.deepEqual(writesIn(gitDir), repository);
  });

  it('keeps bytes as they are, whatever line endings are set', async () => {
    workspace.git('config', 'core.autocrlf', 'true');
    workspace.write({
      '.gitattributes': '* text=auto eol=crlf\n*.utf16 working-tree-encoding=UTF-16LE\n*.id ident\n',
      'u.utf16': Buffer.from('hello\n', 'utf16le'),
      'x.id': '$Id$\n',
      'lf.txt': 'one\ntwo\n',
    });
    workspace.git('-c', 'core.safecrlf=false', 'add', '-A');
    workspace.git('commit', '-q', '-m', 'more');
    const names = ['crlf.txt', 'lf.txt', 'u.utf16', 'x.id'];
    const bytes = names.map((name) => workspace.read(name));
    const store = await workspace.open();
    workspace.write({ 'lf.txt': 'one\ntwo\nthree\n', 'crlf.txt': 'one\r\ntwo\nthree\r\n' });
    const changed = names.map((name) => workspace.read(name));
    const before = await taken(store);
    for (const [at, name] of names.entries()) workspace.write({ [name]: `${bytes[at] ?? ''}agent` });
    await store.applyRestore(await store.planRestore(before.id), 'undo');
    assert.deepEqual(
      names.map((name) => workspace.read(name)),
      changed,
    );
    assert.deepEqual((await store.diff(before.id, currentStateId)).changes, []);
  });

  it('runs nothing that the workspace configures', async () => {
    const marker = path.join(workspace.root, 'ran');
    const program = path.join(workspace.root, 'program.sh');
    writeFileSync(program, `#!/bin/sh\necho "$0 $@" >> '${marker}'\ncat\n`);
    chmodSync(program, 0o755);
    commit();
    mkdirSync(path.join(gitDir, 'hooks'), { recursive: true });
    const hooks = ['pre-commit', 'post-index-change', 'post-checkout', 'reference-transaction', 'pre-auto-gc'];
    for (const hook of hooks) symlinkSync(program, path.join(gitDir, 'hooks', hook));
    const included = path.join(workspace.root, 'included');
    const settings = ['core.fsmonitor', 'filter.lfs.clean', 'filter.lfs.smudge', 'filter.lfs.process', 'diff.external'];
    const more = [
      'diff.x.command',
      'diff.x.textconv',
      'core.pager',
      'core.editor',
      'core.sshCommand',
      'alias.ls-files',
    ];
    for (const name of [...settings, ...more, 'alias.diff-files', 'alias.update-index']) {
      const value = name.startsWith('alias.') ? `!${program}` : program;
      gitIn(workspace.root, 'config', '--file', included, name, value);
    }
    gitIn(workspace.root, 'config', '--file', included, 'core.hooksPath', path.join(gitDir, 'hooks'));
    gitIn(workspace.root, 'config', '--file', included, 'filter.lfs.required', 'true');
    gitIn(workspace.root, 'config', '--file', path.join(gitDir, 'config'), 'include.path', included);
    const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n';
    workspace.write({ '.gitattributes': '*.txt filter=lfs diff=x merge=x -text\n', 'big.txt': pointer });
    const store = await workspace.open();
    const before = await taken(store);
    workspace.write({ 'big.txt': 'the real content\n', 'a.txt': 'agent\n' });
    const { changes } = await store.diff(before.id, currentStateId);
    assert.deepEqual(changes.map(({ path: name }) => name).sort(), ['a.txt', 'big.txt']);
    await store.applyRestore(await store.planRestore(before.id), 'undo');
    await store.prune({ maxAgeMs: 0, maxBytes: 0 });
    assert.equal(workspace.read('big.txt'), pointer);
    assert.equal(existsSync(marker), false, 'nothing has run');
    assert.throws(() => workspace.git('status'));
    assert.equal(existsSync(marker), true, "it would have been run by the user's own Git");
  });

  it('runs nothing that a submodule configures, does not enter it and says so', async () => {
    const marker = path.join(workspace.root, 'ran');
    const inner = path.join(workspace.root, 'inner');
    mkdirSync(inner);
    gitIn(inner, 'init', '-q', '-b', 'main');
    writeFileSync(path.join(inner, 'i.txt'), 'inner');
    gitIn(inner, 'add', '-A');
    gitIn(inner, 'commit', '-q', '-m', 'inner');
    commit();
    workspace.git('-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', inner, 'module');
    commit();
    const nested = workspace.file('nested');
    mkdirSync(nested);
    gitIn(nested, 'init', '-q');
    workspace.write({ 'nested/n.txt': 'n' });
    gitIn(workspace.file('module'), 'config', 'core.fsmonitor', `touch '${marker}'; false`);
    const store = await workspace.open();
    const before = await taken(store);
    workspace.write({ 'module/i.txt': 'agent', 'nested/n.txt': 'agent', 'nested/m.txt': 'agent' });
    const { changes } = await store.diff(before.id, currentStateId);
    assert.deepEqual(changes, []);
    assert.deepEqual(before.leftOut.map(({ path: name, reason }) => `${name} ${reason}`).sort(), [
      'module/ nestedRepository',
      'nested/ nestedRepository',
    ]);
    await store.applyRestore(await store.planRestore(before.id), 'undo');
    assert.equal(workspace.read('module/i.txt'), 'agent');
    assert.equal(existsSync(marker), false);
  });

  it('obeys .gitignore, info/exclude and the excludes file of the repository, but keeps what is tracked', async () => {
    workspace.write({ 'forced.log': 'tracked', '.gitignore': '*.log\n' });
    workspace.git('add', '-f', 'forced.log');
    commit();
    const excludes = path.join(workspace.root, 'excludes');
    writeFileSync(excludes, '*.global\n');
    workspace.git('config', 'core.excludesFile', excludes);
    writeFileSync(path.join(gitDir, 'info', 'exclude'), '*.local\n');
    const store = await workspace.open();
    const before = await taken(store);
    workspace.write({ 'x.log': '', 'x.global': '', 'x.local': '', 'x.seen': '', 'forced.log': 'agent' });
    const { changes } = await store.diff(before.id, currentStateId);
    assert.deepEqual(changes.map(({ path: name }) => name).sort(), ['forced.log', 'x.seen']);
  });

  it('looks at a folder inside the repository only, with the patterns of the folders above', async () => {
    workspace.write({ '.gitignore': '/sub/*.log\n', 'sub/deep/d.txt': 'd' });
    commit();
    const store = await workspace.open({ folder: workspace.file('sub') });
    const before = await taken(store);
    workspace.write({ 'a.txt': 'outside', 'sub/x.log': 'ignored', 'sub/c.txt': 'agent', 'sub/deep/e.txt': 'new' });
    const { changes } = await store.diff(before.id, currentStateId);
    assert.deepEqual(
      changes.map(({ path: name }) => name),
      ['c.txt', 'deep/e.txt'],
    );
    await store.applyRestore(await store.planRestore(before.id), 'undo');
    assert.equal(workspace.read('sub/c.txt'), 'c\n');
    assert.equal(workspace.read('a.txt'), 'outside');
    assert.equal(existsSync(workspace.file('sub/deep/e.txt')), false);
    workspace.remove('sub/c.txt', 'sub/deep', 'sub/x.log');
    assert.equal((await store.diff(before.id, (await taken(store)).id)).changes.length, 2);
  });

  it('looks at a folder that the repository around it ignores', async () => {
    workspace.write({ '.gitignore': '*\n', 'project/p.txt': 'p' });
    const store = await workspace.open({ folder: workspace.file('project') });
    const before = await taken(store);
    workspace.write({ 'project/p.txt': 'agent' });
    assert.equal((await store.diff(before.id, currentStateId)).changes.length, 1);
  });

  it('continues when a repository is made in the folder, and when it goes', async () => {
    workspace.remove('.git');
    const store = await workspace.open();
    const before = await taken(store);
    workspace.write({ 'a.txt': 'agent\n' });
    workspace.git('init', '-q');
    commit();
    assert.equal((await store.diff(before.id, currentStateId)).changes.length, 1);
    const between = await taken(store);
    workspace.remove('.git');
    workspace.write({ 'b.txt': 'agent\n' });
    assert.equal((await store.diff(between.id, currentStateId)).changes.length, 1);
    await store.applyRestore(await store.planRestore(before.id), 'undo');
    assert.equal(workspace.read('a.txt'), 'a\n');
  });

  it("says so when the content was in the user's repository only, and that is gone", async () => {
    commit();
    const store = await workspace.open({ folder: realpathSync(workspace.folder) });
    const before = await taken(store);
    workspace.write({ 'a.txt': 'agent\n' });
    workspace.remove('.git');
    await assert.rejects(textAt(store, before.id, 'a.txt'), { code: 'contentMissing' });
  });

  it('restores the other files when the content of one was only in a repository of the user that is gone', async () => {
    commit();
    const store = await workspace.open({ folder: realpathSync(workspace.folder) });
    workspace.write({ 'new.txt': 'new\n' });
    const before = await taken(store);
    workspace.write({ 'a.txt': 'agent\n', 'new.txt': 'agent\n' });
    workspace.remove('.git');
    const { changes } = await store.diff(before.id, currentStateId);
    assert.deepEqual(changes.map(({ path }) => path).sort(), ['a.txt', 'new.txt']);
    const { skipped } = await store.applyRestore(await store.planRestore(before.id), 'undo');
    assert.deepEqual(
      skipped.map(({ path }) => path),
      ['a.txt'],
    );
    assert.equal(workspace.read('a.txt'), 'agent\n');
    assert.equal(workspace.read('new.txt'), 'new\n');
  });
});
