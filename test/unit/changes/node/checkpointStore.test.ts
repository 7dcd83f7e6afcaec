import assert from 'node:assert/strict';
import { chmodSync, symlinkSync } from 'node:fs';
import type { CheckpointFileChange } from '../../../../src/changes/common/checkpoint';
import { currentStateId } from '../../../../src/changes/node/stateComparer';
import { contentAt, contentsOf, taken, TestWorkspace, textAt } from '../support/workspace';

const withoutGit = (name: string): boolean => name === '.git' || name.startsWith('.git/');

function told(changes: readonly CheckpointFileChange[]): string[] {
  return changes
    .map((change) =>
      change.status === 'renamed' ? `renamed ${change.from} ${change.path}` : `${change.status} ${change.path}`,
    )
    .sort();
}

describe('CheckpointStore', () => {
  let workspace: TestWorkspace;
  beforeEach(() => (workspace = new TestWorkspace()));
  afterEach(() => workspace.dispose());

  for (const hasGit of [true, false]) {
    const where = hasGit ? 'in a Git workspace' : 'in a folder without a repository';

    it(`tells what was added, changed, deleted and renamed ${where}`, async () => {
      workspace.write({
        'a.txt': 'one\n',
        'b.txt': 'two\n',
        'c.txt': 'a long text that can be found again\n'.repeat(9),
      });
      if (hasGit) workspace.commitAll();
      const store = await workspace.open();
      const before = await taken(store);
      workspace.write({ 'a.txt': 'one\nmore\n', 'new/d.txt': 'new\n', 'e.txt': workspace.read('c.txt') });
      workspace.remove('b.txt', 'c.txt');
      const after = await taken(store);
      const expected = ['added new/d.txt', 'deleted b.txt', 'modified a.txt', 'renamed c.txt e.txt'];
      assert.deepEqual(told((await store.diff(before.id, after.id)).changes), expected);
      assert.deepEqual(told((await store.diff(before.id, currentStateId)).changes), expected);
    });

    it(`gives the text of a file as it was ${where}`, async () => {
      workspace.write({ 'src/a.txt': 'before\n', 'bytes.bin': Uint8Array.of(0, 255, 13, 10) });
      if (hasGit) workspace.commitAll();
      const store = await workspace.open();
      const before = await taken(store);
      workspace.write({ 'src/a.txt': 'after\n', 'bytes.bin': Uint8Array.of(1) });
      assert.equal(await textAt(store, before.id, 'src/a.txt'), 'before\n');
      assert.deepEqual(await contentAt(store, before.id, 'bytes.bin'), Buffer.of(0, 255, 13, 10));
      assert.equal(await textAt(store, before.id, 'missing.txt'), undefined);
    });

    it(`brings back everything that was planned ${where}`, async () => {
      workspace.write({ 'a.txt': 'one\n', 'deep/er/b.txt': 'two\n', 'run.sh': 'echo\n', 'was-file': 'x' });
      chmodSync(workspace.file('run.sh'), 0o755);
      symlinkSync('a.txt', workspace.file('link'));
      if (hasGit) workspace.commitAll();
      const original = contentsOf(workspace.folder, withoutGit);
      const store = await workspace.open();
      const before = await taken(store);
      workspace.remove('deep', 'link', 'was-file');
      workspace.write({ 'a.txt': 'other', 'made/here/c.txt': 'c', link: 'no link now', 'was-file/inside': 'y' });
      chmodSync(workspace.file('run.sh'), 0o644);
      const changed = contentsOf(workspace.folder, withoutGit);
      const plan = await store.planRestore(before.id);
      assert.deepEqual(contentsOf(workspace.folder, withoutGit), changed, 'a plan changes nothing');
      const result = await store.applyRestore(plan, 'Before the restore');
      assert.deepEqual(result.skipped, []);
      assert.deepEqual(contentsOf(workspace.folder, withoutGit), original);
      await store.applyRestore(await store.planRestore(result.undo.id), 'Before the undo');
      assert.deepEqual(contentsOf(workspace.folder, withoutGit), changed, 'the restore can be undone');
    });
  }

  it('keeps its checkpoints when it is opened again', async () => {
    workspace.write({ 'a.txt': 'one' });
    const first = await taken(await workspace.open(), 'first\n"prompt" 🚀');
    workspace.write({ 'a.txt': 'two' });
    const store = await workspace.open();
    const [found] = await store.list();
    assert.deepEqual(found, { id: first.id, label: 'first\n"prompt" 🚀', at: first.at });
    assert.equal(await textAt(store, first.id, 'a.txt'), 'one');
  });

  it('restores only the paths that are asked for', async () => {
    workspace.write({ 'a/x': '1', 'a/y': '1', 'b/x': '1', ab: '1' });
    const store = await workspace.open();
    const { id } = await taken(store);
    workspace.write({ 'a/x': '2', 'a/y': '2', 'b/x': '2', ab: '2' });
    await store.applyRestore(await store.planRestore(id, ['a', 'b/x']), 'undo');
    const texts = ['a/x', 'a/y', 'b/x', 'ab'].map((name) => workspace.read(name));
    assert.deepEqual(texts, ['1', '1', '1', '2']);
  });

  it('does not touch a file that was written after the plan was made', async () => {
    workspace.write({ 'a.txt': 'one', 'b.txt': 'one' });
    const store = await workspace.open();
    const { id } = await taken(store);
    workspace.write({ 'a.txt': 'agent', 'b.txt': 'agent', 'c.txt': 'agent' });
    const plan = await store.planRestore(id);
    workspace.write({ 'a.txt': 'user', 'c.txt': 'user' });
    const { skipped, undo } = await store.applyRestore(plan, 'undo');
    const reasons = skipped.map(({ path, reason }) => `${path} ${reason}`).sort();
    assert.deepEqual(reasons, ['a.txt changedMeanwhile', 'c.txt changedMeanwhile']);
    assert.deepEqual(
      ['a.txt', 'b.txt', 'c.txt'].map((name) => workspace.read(name)),
      ['user', 'one', 'user'],
    );
    assert.equal(await textAt(store, undo.id, 'a.txt'), 'user');
  });

  it('says so when a checkpoint is not there', async () => {
    const store = await workspace.open();
    const { id } = await taken(store);
    await store.drop([id]);
    for (const unknown of [id, 'HEAD', '--help', 'f'.repeat(40)]) {
      await assert.rejects(textAt(store, unknown, 'a'), { code: 'unknownCheckpoint' });
      await assert.rejects(store.diff(unknown, currentStateId), { code: 'unknownCheckpoint' });
    }
    await store.drop([id]);
    assert.deepEqual(await store.list(), []);
  });

  it('says so when there is no Git', async () => {
    const { openCheckpointStore } = await import('../../../../src/changes/node/checkpointStore');
    const { nullLogger } = await import('../../../../src/base/common/log');
    const { folder, storage } = workspace;
    const opened = await openCheckpointStore({
      folder,
      storage,
      excludes: () => false,
      logger: nullLogger,
      searchPath: workspace.root,
    });
    assert.equal(opened.kind, 'noGit');
  });
});
