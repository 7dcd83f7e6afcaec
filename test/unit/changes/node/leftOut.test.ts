import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  closeSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import * as path from 'node:path';
import { defaultExclude, ExcludeList } from '../../../../src/editor/common/excludeList';
import { systemClock } from '../../../../src/base/node/systemClock';
import type { CheckpointDetails } from '../../../../src/changes/common/checkpoint';
import { currentStateId } from '../../../../src/changes/node/stateComparer';
import { FakeClock } from '../../../fake/fakeClock';
import { eventually, until } from '../../../support/eventually';
import { contentAt, contentsOf, taken, TestWorkspace, textAt } from '../support/workspace';

const reasons = (items: readonly { path: string; reason: string }[]): string[] =>
  items.map(({ path: name, reason }) => `${name} ${reason}`).sort();

/** A file with that many bytes that takes no room on the disk. */
function sparse(file: string, bytes: number): void {
  const handle = openSync(file, 'w');
  ftruncateSync(handle, bytes);
  closeSync(handle);
}

/** Whether any object of the store contains the text. */
function holds(storage: string, text: string): boolean {
  const gitDir = path.join(storage, 'git-sha1');
  const args = ['cat-file', '--batch-all-objects', '--batch'];
  return execFileSync('git', args, { cwd: gitDir, env: { ...process.env, GIT_DIR: gitDir } }).includes(text);
}

describe('a checkpoint', () => {
  let workspace: TestWorkspace;
  beforeEach(() => (workspace = new TestWorkspace()));
  afterEach(() => workspace.dispose());

  it('keeps files of any name', async () => {
    const names = [
      'with space.txt',
      'quotes "and\' more',
      'emoji 🚀 and ä',
      'new\nline',
      '-leading dash',
      '--help',
      ':colon',
      ':(glob)*',
      '*.star',
      '[brackets]',
      'back\\slash',
      'tab\there',
      ' ',
      'HEAD',
      '#hash',
      '!not',
      'deep/🚀 folder/-x/\n/y',
    ];
    workspace.write(Object.fromEntries(names.map((name) => [name, name])));
    workspace.commitAll();
    const store = await workspace.open();
    const before = await taken(store);
    workspace.write(Object.fromEntries(names.map((name) => [name, `${name} changed`])));
    const { changes } = await store.diff(before.id, currentStateId);
    assert.deepEqual(changes.map(({ path: name }) => name).sort(), [...names].sort());
    for (const name of names) assert.equal(await textAt(store, before.id, name), name);
    await taken(store);
    workspace.remove(...names);
    const { skipped } = await store.applyRestore(await store.planRestore(before.id), 'undo');
    assert.deepEqual(skipped, []);
    for (const name of names) assert.equal(workspace.read(name), name);
  });

  it('knows what it does not contain, and names it when it is gone', async () => {
    workspace.write({
      '.gitignore': '*.local\nbuild/\nkept/\n',
      'a.txt': 'a',
      'app.local': 'mine',
      'sub/b.txt': 'b',
      'sub/b.local': 'mine',
      'stays.local': 'mine',
      'build/x.js': 'x',
      'build/y.js': 'y',
      'kept/x.js': 'x',
    });
    workspace.commitAll();
    workspace.write({ '.env': 'SECRET=1' });
    const store = await workspace.open({ excludes: (file) => path.basename(file) === '.env' });
    const { id } = await taken(store);
    const gone = async (): Promise<string[]> =>
      [...(await store.diff(id, currentStateId, undefined, true)).gone].sort();
    assert.deepEqual(await gone(), []);
    workspace.remove('kept/x.js', 'a.txt');
    assert.deepEqual(await gone(), [], 'a file in a folder that is ignored, and one that the checkpoint has');
    workspace.remove('app.local', 'sub/b.local', 'build', '.env');
    assert.deepEqual(await gone(), ['.env', 'app.local', 'build/', 'sub/b.local']);
    workspace.write({ 'app.local': 'again' });
    assert.deepEqual(await gone(), ['.env', 'build/', 'sub/b.local']);
    assert.deepEqual((await store.diff(id, (await taken(store)).id, undefined, true)).gone, [], 'between two');
    assert.deepEqual((await store.diff(id, currentStateId)).gone, [], 'while a turn runs');
  });

  it('says so of a name that is not UTF-8', async () => {
    writeFileSync(Buffer.concat([Buffer.from(`${workspace.folder}/`), Buffer.of(0x66, 0xff)]), 'x');
    workspace.write({ 'a.txt': 'a' });
    workspace.commitAll();
    const { leftOut } = await taken(await workspace.open());
    assert.deepEqual(reasons(leftOut), ['f\uFFFD nameNotText']);
  });

  it('keeps symbolic links as links, and follows none', async () => {
    const outside = path.join(workspace.root, 'outside');
    mkdirSync(outside);
    writeFileSync(path.join(outside, 'secret.txt'), 'outside');
    workspace.write({ 'a/x.txt': 'x' });
    symlinkSync(outside, workspace.file('to-folder'));
    symlinkSync('nowhere', workspace.file('dangling'));
    const store = await workspace.open();
    const before = await taken(store);
    assert.equal(await textAt(store, before.id, 'to-folder'), outside);
    assert.equal(await contentAt(store, before.id, 'to-folder/secret.txt'), undefined);
    workspace.remove('dangling', 'a');
    symlinkSync(outside, workspace.file('a'));
    writeFileSync(path.join(outside, 'x.txt'), 'outside');
    const { skipped } = await store.applyRestore(await store.planRestore(before.id), 'undo');
    assert.deepEqual(skipped, []);
    assert.equal(readlinkSync(workspace.file('dangling')), 'nowhere');
    assert.equal(lstatSync(workspace.file('a')).isDirectory(), true);
    assert.equal(workspace.read('a/x.txt'), 'x');
    assert.equal(readFileSync(path.join(outside, 'x.txt'), 'utf8'), 'outside');
  });

  it('does not write behind a link that was put in place of a folder after the plan was made', async () => {
    const outside = path.join(workspace.root, 'outside');
    mkdirSync(outside);
    workspace.write({ 'a/x.txt': 'x', 'b.txt': 'b' });
    const store = await workspace.open();
    const before = await taken(store);
    workspace.remove('a');
    workspace.write({ 'b.txt': 'agent' });
    const plan = await store.planRestore(before.id);
    symlinkSync(outside, workspace.file('a'));
    const { skipped } = await store.applyRestore(plan, 'undo');
    assert.deepEqual(reasons(skipped), ['a/x.txt behindLink']);
    assert.deepEqual(contentsOf(outside), {});
    assert.equal(workspace.read('b.txt'), 'b');
  });

  it('leaves out a file that is too large, says so, and never deletes it', async () => {
    workspace.write({ 'a.txt': 'a' });
    sparse(workspace.file('big.bin'), 200 * 1024 * 1024);
    const store = await workspace.open();
    const before = await taken(store);
    assert.deepEqual(before.leftOut, [{ path: 'big.bin', reason: 'tooLarge', bytes: 200 * 1024 * 1024 }]);
    workspace.write({ 'a.txt': 'agent', 'big.bin': 'small by now' });
    const { changes, leftOut } = await store.diff(before.id, (await taken(store)).id);
    assert.deepEqual(
      changes.map(({ path: name }) => name),
      ['a.txt'],
    );
    assert.deepEqual(reasons(leftOut), ['big.bin tooLarge']);
    await store.applyRestore(await store.planRestore(before.id), 'undo');
    assert.equal(workspace.read('big.bin'), 'small by now');
  });

  it('leaves a tracked file alone that has become too large', async () => {
    workspace.write({ 'grows.bin': 'small' });
    workspace.commitAll();
    const store = await workspace.open();
    const before = await taken(store);
    sparse(workspace.file('grows.bin'), 200 * 1024 * 1024);
    const after = await taken(store);
    const { changes, leftOut } = await store.diff(before.id, after.id);
    assert.deepEqual([changes.length, reasons(leftOut)], [0, ['grows.bin tooLarge']]);
    assert.deepEqual((await store.planRestore(before.id)).steps, []);
  });

  it('leaves out what is no file, and does not wait for it', async () => {
    workspace.write({ 'was-file.txt': 'a', 'a.txt': 'a' });
    const store = await workspace.open();
    const before = await taken(store);
    execFileSync('mkfifo', [workspace.file('pipe')]);
    workspace.remove('was-file.txt');
    execFileSync('mkfifo', [workspace.file('was-file.txt')]);
    const after = await taken(store);
    assert.deepEqual(reasons(after.leftOut), ['was-file.txt special']);
    assert.deepEqual(reasons((await taken(store)).leftOut), ['was-file.txt special'], 'also the next time');
    assert.deepEqual((await store.diff(before.id, after.id)).changes, []);
    await store.applyRestore(await store.planRestore(before.id), 'undo');
    assert.equal(lstatSync(workspace.file('was-file.txt')).isFIFO(), true);
  });

  it('never holds an excluded file, whether it is new, tracked or excluded only later', async () => {
    const list = new ExcludeList(defaultExclude);
    let more: (name: string) => boolean = () => false;
    const excludes = (file: string, below: string): boolean => list.excludes(file, below) || more(below);
    workspace.write({ 'a.txt': 'a', 'later.txt': 'first' });
    workspace.commitAll();
    workspace.write({ '.env': 'TOKEN=untracked', 'deep/id_rsa': 'key' });
    workspace.git('add', '-f', 'deep/id_rsa');
    const store = await workspace.open({ excludes });
    const before = await taken(store);
    assert.deepEqual(reasons(before.leftOut), ['.env excluded']);
    more = (below) => below === 'later.txt';
    workspace.write({
      '.env': 'TOKEN=changed',
      'deep/id_rsa': 'changed key',
      'later.txt': 'LATER TEXT',
      'a.txt': 'agent',
    });
    const after = await taken(store);
    const { changes, leftOut } = await store.diff(before.id, after.id);
    assert.deepEqual(
      changes.map(({ path: name }) => name),
      ['a.txt'],
    );
    assert.deepEqual(reasons(leftOut), ['.env excluded', 'deep/id_rsa excluded', 'later.txt excluded']);
    assert.equal(await textAt(store, before.id, 'later.txt'), undefined);
    assert.equal(await textAt(store, before.id, 'deep/id_rsa'), undefined);
    for (const text of ['TOKEN', 'changed key', 'LATER TEXT'])
      assert.equal(holds(workspace.storage, text), false, text);
    await store.applyRestore(await store.planRestore(before.id), 'undo');
    assert.deepEqual([workspace.read('.env'), workspace.read('later.txt')], ['TOKEN=changed', 'LATER TEXT']);
  });

  it('does not take files for new that were ignored before, and does not delete them', async () => {
    workspace.write({ '.gitignore': 'data/\n', 'data/precious.txt': 'precious', 'a.txt': 'a' });
    workspace.commitAll();
    const store = await workspace.open();
    const before = await taken(store);
    workspace.write({ '.gitignore': '\n', 'a.txt': 'agent', 'made.txt': 'agent' });
    const after = await taken(store);
    const { changes, leftOut } = await store.diff(before.id, after.id);
    assert.deepEqual(changes.map(({ path: name }) => name).sort(), ['.gitignore', 'a.txt', 'made.txt']);
    assert.deepEqual(reasons(leftOut), ['data/precious.txt ignored']);
    await store.applyRestore(await store.planRestore(before.id), 'undo');
    assert.equal(workspace.read('data/precious.txt'), 'precious');
    assert.equal(existsSync(workspace.file('made.txt')), false);
  });

  it('does not keep what is ignored by now, nor take it for deleted', async () => {
    workspace.write({ 'secret.local': 'first', 'a.txt': 'a' });
    const store = await workspace.open();
    const before = await taken(store);
    workspace.write({ '.gitignore': '*.local\n', 'secret.local': 'SECOND' });
    const after = await taken(store);
    assert.deepEqual(
      (await store.diff(before.id, after.id)).changes.map(({ path: name }) => name),
      ['.gitignore'],
    );
    assert.equal(holds(workspace.storage, 'SECOND'), false);
    const again = await workspace.open();
    assert.deepEqual((await again.diff(before.id, (await taken(again)).id)).changes.length, 1);
    await again.applyRestore(await again.planRestore(before.id), 'undo');
    assert.equal(workspace.read('secret.local'), 'SECOND');
  });

  it('replaces a read-only file, and keeps its permissions', async () => {
    workspace.write({ 'locked.txt': 'a' });
    chmodSync(workspace.file('locked.txt'), 0o440);
    const store = await workspace.open();
    const before = await taken(store);
    chmodSync(workspace.file('locked.txt'), 0o640);
    workspace.write({ 'locked.txt': 'agent' });
    chmodSync(workspace.file('locked.txt'), 0o440);
    await store.applyRestore(await store.planRestore(before.id), 'undo');
    assert.equal(workspace.read('locked.txt'), 'a');
    assert.equal(lstatSync(workspace.file('locked.txt')).mode & 0o777, 0o440);
  });

  it('tells of a mode, a kind and a binary', async () => {
    workspace.write({ 'run.sh': 'x\n', 'kind.txt': 'x', 'bin.dat': Uint8Array.of(0, 1), 'gone.txt': 'one\ntwo\n' });
    const store = await workspace.open();
    const before = await taken(store);
    chmodSync(workspace.file('run.sh'), 0o755);
    workspace.remove('kind.txt', 'gone.txt');
    symlinkSync('run.sh', workspace.file('kind.txt'));
    workspace.write({ 'bin.dat': Uint8Array.of(0, 2, 3), 'new.txt': 'new\n' });
    const { changes } = await store.diff(before.id, currentStateId);
    const told = changes.map((change) => {
      const { status, path: name, isBinary, addedLines, deletedLines } = change;
      const [from, to] = ['before' in change ? change.before : undefined, 'after' in change ? change.after : undefined];
      return [name, status, isBinary, addedLines, deletedLines, from?.kind, to?.kind, from?.bytes, to?.bytes];
    });
    assert.deepEqual(told, [
      ['bin.dat', 'modified', true, 0, 0, 'file', 'file', 2, 3],
      ['gone.txt', 'deleted', false, 0, 2, 'file', undefined, 8, undefined],
      ['kind.txt', 'typeChanged', false, 1, 1, 'file', 'symlink', 1, 6],
      ['new.txt', 'added', false, 1, 0, undefined, 'file', undefined, 4],
      ['run.sh', 'modeChanged', false, 0, 0, 'file', 'executable', 2, 2],
    ]);
  });

  it('is refused for a folder that is too large, by files and by bytes', async () => {
    workspace.write(Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`${at}.txt`, 'x'.repeat(1_000)])));
    const limited = async (limits: object): Promise<string> => {
      const result = await (await workspace.open({ limits })).take('prompt');
      return result.kind === 'refused' ? result.error.code : result.kind;
    };
    assert.equal(await limited({ maxNewFiles: 20 }), 'tooLarge');
    assert.equal(await limited({ maxNewBytes: 20_000 }), 'tooLarge');
    assert.equal(await limited({ maxMs: 0 }), 'tooSlow');
    assert.equal(await limited({}), 'taken');
  });

  it('is given up when the caller does not want it any more', async () => {
    workspace.write({ 'a.txt': 'a' });
    const store = await workspace.open();
    const controller = new AbortController();
    const result = store.take('prompt', controller.signal);
    controller.abort();
    const { kind } = await result;
    assert.equal(kind, 'refused');
    assert.equal((await store.take('next')).kind, 'taken');
  });

  it('sees 5,000 files that were changed in one turn', async function () {
    this.timeout(600_000);
    const files = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`d${at % 50}/f${at}.txt`, `${at}\n`]));
    workspace.write(files);
    workspace.commitAll();
    const original = contentsOf(workspace.folder, (name) => name.startsWith('.git'));
    const store = await workspace.open();
    const before = await taken(store);
    workspace.write(Object.fromEntries(Object.keys(files).map((name) => [name, 'agent\n'])));
    const after = await taken(store);
    assert.equal((await store.diff(before.id, after.id)).changes.length, 5_000);
    const { restored, skipped } = await store.applyRestore(await store.planRestore(before.id), 'undo');
    assert.deepEqual([restored, skipped.length], [5_000, 0]);
    assert.deepEqual(
      contentsOf(workspace.folder, (name) => name.startsWith('.git')),
      original,
    );
  });

  it('sees a change of the same length within the same moment, also when its times were set back', async () => {
    workspace.write({ 'a.txt': '0' });
    const store = await workspace.open();
    let before = await taken(store);
    for (let round = 1; round < 10; round++) {
      workspace.write({ 'a.txt': String(round) });
      const after = await taken(store);
      assert.equal(await textAt(store, after.id, 'a.txt'), String(round));
      assert.equal((await store.diff(before.id, after.id)).changes.length, 1);
      before = after;
    }
    const { mtime, atime } = lstatSync(workspace.file('a.txt'));
    workspace.write({ 'a.txt': 'X' });
    utimesSync(workspace.file('a.txt'), atime, mtime);
    assert.equal(await textAt(store, (await taken(store)).id, 'a.txt'), 'X');
  });

  it('sees all changes after the clock was set back', async () => {
    workspace.write({ 'a.txt': 'one', 'b.txt': 'one' });
    const store = await workspace.open();
    await taken(store);
    workspace.write({ 'a.txt': 'two' });
    // As if the index had been written later than it is now: Git would take the times in it for older than all changes.
    const index = path.join(workspace.storage, 'git-sha1', 'index');
    const info = lstatSync(workspace.file('a.txt'));
    const text = readFileSync(index);
    const at = text.indexOf('a.txt') - 62;
    text.writeUInt32BE(Math.floor(info.ctimeMs / 1_000), at);
    text.writeUInt32BE(Math.floor(info.mtimeMs / 1_000), at + 8);
    const { createHash } = await import('node:crypto');
    createHash('sha1')
      .update(text.subarray(0, -20))
      .digest()
      .copy(text, text.length - 20);
    writeFileSync(index, text);
    const future = new Date(info.mtimeMs + 3_600_000);
    utimesSync(index, future, future);
    assert.equal(await textAt(store, (await taken(store)).id, 'a.txt'), 'two');
  });

  for (const [size, bytes] of [
    ['small', 1],
    ['large', 8 * 1024 * 1024],
  ] as const) {
    it(`leaves out a ${size} file that changes while it is read, and neither deletes nor overwrites it later`, async () => {
      workspace.write({ 'a.txt': 'a', 'log.txt': 'x'.repeat(bytes) });
      const store = await workspace.open();
      const before = await taken(store);
      assert.equal((await contentAt(store, before.id, 'log.txt'))?.length, bytes);
      const writer = spawn('sh', ['-c', 'while :; do printf x >> log.txt; done'], { cwd: workspace.folder });
      let disturbed: CheckpointDetails;
      try {
        const { size: start } = lstatSync(workspace.file('log.txt'));
        await until('the writer writes', () => lstatSync(workspace.file('log.txt')).size > start);
        // On a busy machine the writer may be still while a checkpoint is taken.
        disturbed = await eventually('a checkpoint that was disturbed', async () => {
          const details = await taken(store);
          assert.deepEqual(details.leftOut, [{ path: 'log.txt', reason: 'unreadable' }]);
          return details;
        });
      } finally {
        const ended = once(writer, 'exit');
        writer.kill('SIGKILL');
        await ended;
      }
      assert.equal(await textAt(store, disturbed.id, 'a.txt'), 'a');
      assert.equal(await textAt(store, disturbed.id, 'log.txt'), undefined);
      workspace.write({ 'a.txt': 'changed' });
      const text = workspace.read('log.txt');
      const plan = await store.planRestore(disturbed.id);
      assert.deepEqual(
        plan.steps.map(({ path: name }) => name),
        ['a.txt'],
      );
      assert.deepEqual(plan.leftOut, [{ path: 'log.txt', reason: 'unreadable' }]);
      await store.applyRestore(plan, 'restore');
      assert.equal(workspace.read('a.txt'), 'a');
      assert.equal(workspace.read('log.txt'), text);
      const { id, leftOut } = await taken(store);
      assert.deepEqual(leftOut, [], 'it has come to rest');
      assert.equal(await textAt(store, id, 'log.txt'), text);
      const earlier = await store.planRestore(before.id);
      const { undo } = await store.applyRestore(earlier, 'restore');
      assert.equal(workspace.read('log.txt').length, bytes);
      await store.applyRestore(await store.planRestore(undo.id), 'undo');
      assert.equal(workspace.read('log.txt'), text);
    });
  }

  it('has a budget of time that includes the wait for other work', async () => {
    workspace.write({ 'a.txt': 'a' });
    const clock = Object.assign(new FakeClock(), { now: () => systemClock.now() });
    const store = await workspace.open({ clock, limits: { maxMs: 15_000 } });
    const { id } = await taken(store);
    const comparing = store.diff(id, currentStateId);
    const waiting = store.take('prompt');
    clock.advance(15_000);
    const result = await waiting;
    assert.equal(result.kind === 'refused' && result.error.code, 'tooSlow');
    assert.deepEqual((await comparing).changes, []);
    assert.equal((await store.take('next')).kind, 'taken');
  });
});
