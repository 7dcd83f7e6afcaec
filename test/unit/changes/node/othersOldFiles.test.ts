import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import * as path from 'node:path';
import { currentStateId } from '../../../../src/changes/node/stateComparer';
import type { CheckpointStore } from '../../../../src/changes/node/checkpointStore';
import { eventually } from '../../../support/eventually';
import { gitIn, taken, TestWorkspace } from '../support/workspace';

describe('files of the user that a rule hid from a checkpoint', () => {
  let workspace: TestWorkspace;

  beforeEach(() => (workspace = new TestWorkspace()));
  afterEach(() => workspace.dispose());

  const changedPaths = async (store: CheckpointStore, id: string): Promise<string[]> =>
    (await store.diff(id, currentStateId)).changes.map((change) => change.path).sort();

  /** Restores everything, and returns the planned paths. */
  const restore = async (store: CheckpointStore, id: string): Promise<string[]> => {
    const plan = await store.planRestore(id);
    await store.applyRestore(plan, 'restore');
    return plan.steps.map((step) => step.path).sort();
  };

  /** The ways in which a rule from outside the folder’s `.gitignore` files ends. */
  const ways: Readonly<Record<string, { hide: () => void; show: () => void }>> = {
    'info/exclude': {
      hide: () => appendFileSync(workspace.file('.git/info/exclude'), '\nlocal/\n*.secret\n'),
      show: () => writeFileSync(workspace.file('.git/info/exclude'), ''),
    },
    'info/exclude, and the agent allows it in a .gitignore': {
      hide: () => appendFileSync(workspace.file('.git/info/exclude'), '\nlocal/\n*.secret\n'),
      show: () => workspace.write({ '.gitignore': '!local/\n!*.secret\n' }),
    },
    'the repository was made anew': {
      hide: () => appendFileSync(workspace.file('.git/info/exclude'), '\nlocal/\n*.secret\n'),
      show: () => {
        rmSync(workspace.file('.git'), { recursive: true });
        workspace.git('init', '-q', '-b', 'main');
      },
    },
    'core.excludesFile of the repository': {
      hide: () => {
        writeFileSync(path.join(workspace.root, 'rules'), 'local/\n*.secret\n');
        workspace.git('config', 'core.excludesFile', path.join(workspace.root, 'rules'));
      },
      show: () => rmSync(path.join(workspace.root, 'rules')),
    },
    'a .gitignore that ignores itself': {
      hide: () => {
        workspace.write({ 'local/.gitignore': '*\n', '.gitignore': '.gitignore\n*.secret\n' });
      },
      show: () => workspace.remove('local/.gitignore', '.gitignore'),
    },
  };

  for (const [way, { hide, show }] of Object.entries(ways)) {
    for (const isLater of [false, true]) {
      it(`stay after a restore, though they are seen now: ${way}${isLater ? ', in a later window' : ''}`, async () => {
        workspace.write({ 'a.txt': 'a' });
        workspace.commitAll();
        hide();
        workspace.write({ 'local/notes.txt': 'mine', 'local/deep/more.txt': 'mine', 'key.secret': 'mine' });
        // These contents are not in the user’s repository, which may be gone later.
        workspace.write({ 'a.txt': 'user' });
        let store = await workspace.open();
        const before = await taken(store);
        show();
        workspace.write({ 'a.txt': 'agent', 'made.txt': 'agent' });
        if (isLater) store = await workspace.open();
        const paths = (await changedPaths(store, before.id)).filter((name) => !name.endsWith('.gitignore'));
        assert.deepEqual(paths, ['a.txt', 'made.txt']);
        await restore(store, before.id);
        assert.equal(existsSync(workspace.file('made.txt')), false);
        assert.equal(workspace.read('a.txt'), 'user');
        for (const name of ['local/notes.txt', 'local/deep/more.txt', 'key.secret']) {
          assert.equal(workspace.read(name), 'mine', name);
        }
      });
    }
  }

  it('stay if the rule was in a .gitignore of a parent folder of the workspace', async () => {
    const { folder, root } = workspace;
    gitIn(root, 'init', '-q');
    writeFileSync(path.join(root, '.gitignore'), '/workspace/local/\n/storage/\n');
    workspace.write({ 'a.txt': 'a', 'local/notes.txt': 'mine' });
    gitIn(root, 'add', '-A');
    gitIn(root, 'commit', '-q', '-m', 'first');
    const store = await workspace.open();
    const before = await taken(store);
    writeFileSync(path.join(root, '.gitignore'), '/storage/\n');
    workspace.write({ 'a.txt': 'agent' });
    assert.deepEqual(await restore(store, before.id), ['a.txt']);
    assert.equal(readFileSync(path.join(folder, 'local/notes.txt'), 'utf8'), 'mine');
  });

  it('are not the agent’s if the rule hid a file that something else has made in the meantime', async () => {
    workspace.commitAll();
    appendFileSync(workspace.file('.git/info/exclude'), '\n*.log\n');
    const store = await workspace.open();
    const before = await taken(store);
    workspace.write({ 'server.log': 'a line of a server' });
    writeFileSync(workspace.file('.git/info/exclude'), '');
    assert.deepEqual(await restore(store, before.id), []);
    assert.equal(workspace.read('server.log'), 'a line of a server');
  });

  it('stay if they were moved to where they are seen, with and without a change of their name', async () => {
    workspace.write({ '.gitignore': 'local/\n', 'local/a.txt': 'mine', 'local/b.txt': 'mine too', 'kept.txt': 'x' });
    workspace.commitAll();
    await backdated();
    const store = await workspace.open();
    const before = await taken(store);
    renameSync(workspace.file('local/a.txt'), workspace.file('seen.txt'));
    renameSync(workspace.file('local'), workspace.file('visible'));
    workspace.write({ 'made.txt': 'agent' });
    assert.deepEqual(await restore(store, before.id), ['made.txt']);
    assert.equal(workspace.read('seen.txt'), 'mine');
    assert.equal(workspace.read('visible/b.txt'), 'mine too');
  });

  it('differ from files of the checkpoint that the agent has renamed, with or without an edit, or linked', async () => {
    const text = Array.from({ length: 50 }, (_, line) => `line ${line}`).join('\n');
    workspace.write({ 'src/a.txt': 'a', 'src/b.txt': text, 'c.txt': 'c' });
    await backdated();
    const store = await workspace.open();
    const before = await taken(store);
    renameSync(workspace.file('src'), workspace.file('lib'));
    appendFileSync(workspace.file('lib/b.txt'), '\nagent');
    linkSync(workspace.file('c.txt'), workspace.file('d.txt'));
    await restore(store, before.id);
    assert.equal(workspace.read('src/b.txt'), text);
    assert.deepEqual(
      ['lib/a.txt', 'lib/b.txt', 'src/a.txt'].map((name) => existsSync(workspace.file(name))),
      [false, false, true],
    );
    assert.equal(workspace.read('c.txt'), 'c');
  });

  it('differ from copies with an earlier time, which the agent has made', async () => {
    workspace.write({ 'a.txt': 'a' });
    await backdated();
    const store = await workspace.open();
    const before = await taken(store);
    workspace.write({ 'copy.txt': 'copied' });
    utimesSync(workspace.file('copy.txt'), 1, 1);
    assert.deepEqual(await restore(store, before.id), ['copy.txt']);
  });

  it('are all known, however many were left out', async () => {
    const nested = Array.from({ length: 2_100 }, (_, number) => `nested${number}`);
    for (const name of nested) {
      mkdirSync(workspace.file(`${name}/.git/objects`), { recursive: true });
      workspace.write({
        [`${name}/.git/HEAD`]: 'ref: refs/heads/main\n',
        [`${name}/.git/refs/x`]: '',
        [`${name}/a`]: 'mine',
      });
    }
    const store = await workspace.open();
    const before = await taken(store);
    for (const name of nested) workspace.remove(`${name}/.git`);
    const again = await workspace.open();
    assert.deepEqual(await restore(again, before.id), []);
    assert.equal(workspace.read('nested2099/a'), 'mine');
  });

  it('and the agent’s are saved before a restore deletes them, also if they are ignored by then', async () => {
    workspace.write({ 'a.txt': 'a' });
    const store = await workspace.open();
    const before = await taken(store);
    workspace.write({ 'made.bin': 'agent', 'a.txt': 'changed' });
    const plan = await store.planRestore(before.id);
    workspace.write({ '.gitignore': '*.bin\na.txt\n' });
    const result = await store.applyRestore(plan, 'restore');
    assert.deepEqual([existsSync(workspace.file('made.bin')), workspace.read('a.txt')], [false, 'a']);
    const back = await store.planRestore(result.undo.id, ['made.bin', 'a.txt']);
    await store.applyRestore(back, 'undo of the restore');
    assert.deepEqual([workspace.read('made.bin'), workspace.read('a.txt')], ['agent', 'changed']);
  });

  it('are not replaced or deleted if they are too large to be saved first', async () => {
    const store = await workspace.open({ limits: { maxFileBytes: 1_000 } });
    workspace.write({ 'a.txt': 'a' });
    const before = await taken(store);
    workspace.write({ 'a.txt': 'b' });
    const plan = await store.planRestore(before.id);
    const large = 'x'.repeat(2_000);
    workspace.write({ 'a.txt': large });
    const object = createHash('sha1').update(`blob 2000\0${large}`).digest('hex');
    const steps = plan.steps.map((step) => ({ ...step, before: { kind: 'file' as const, object, bytes: 2_000 } }));
    const result = await store.applyRestore({ ...plan, steps }, 'restore');
    assert.deepEqual(result.skipped, [{ path: 'a.txt', reason: 'tooLargeToSave' }]);
    assert.equal(workspace.read('a.txt'), large);
  });

  it('are saved in Backline’s repository, even if the user’s repository has the same contents', async () => {
    workspace.write({ 'a.txt': 'a' });
    workspace.commitAll();
    const store = await workspace.open();
    const before = await taken(store);
    workspace.write({ 'made.txt': 'only in the user’s repository' });
    workspace.commitAll();
    // The index is gone, as after pruning: the next one is a copy of the user’s.
    for (const name of ['git-sha1/index']) rmSync(path.join(workspace.storage, name));
    const again = await workspace.open();
    const { undo } = await again.applyRestore(await again.planRestore(before.id), 'restore');
    assert.equal(existsSync(workspace.file('made.txt')), false);
    rmSync(workspace.file('.git'), { recursive: true });
    const later = await workspace.open();
    await later.applyRestore(await later.planRestore(undo.id, ['made.txt']), 'undo of the restore');
    assert.equal(workspace.read('made.txt'), 'only in the user’s repository');
  });

  /** Lets the present files be older than the next checkpoint, beyond the resolution of times. */
  async function backdated(): Promise<void> {
    const probe = path.join(workspace.root, 'probe');
    const startMs = Date.now();
    await eventually('the next time step of the file system', () => {
      writeFileSync(probe, '');
      assert.ok(statSync(probe).ctimeMs > startMs + 2_100);
    });
  }
});
