import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import * as path from 'node:path';
import * as fc from 'fast-check';
import { systemClock } from '../../../../src/base/node/systemClock';
import { nullLogger } from '../../../../src/base/common/log';
import { FolderCheckpoints } from '../../../../src/changes/node/folderCheckpoints';
import { hasInterruptedRestore } from '../../../../src/changes/node/restore/hasInterruptedRestore';
import { FakeClock } from '../../../fake/fakeClock';
import { eventually } from '../../../support/eventually';
import { contentsOf, gitIn, TestWorkspace, patientScans } from '../support/workspace';

const decode = (bytes: Uint8Array): Promise<string> =>
  Promise.resolve(new TextDecoder('utf-8', { fatal: true }).decode(bytes));

describe('FolderCheckpoints', () => {
  let workspace: TestWorkspace;
  let second: string;
  let checkpoints: FolderCheckpoints;
  const { signal } = new AbortController();
  beforeEach(() => {
    workspace = new TestWorkspace();
    second = `${workspace.root}/second`;
    mkdirSync(second);
    checkpoints = open();
  });
  afterEach(async () => {
    await checkpoints.stop();
    await workspace.dispose();
  });

  function open(options: Partial<ConstructorParameters<typeof FolderCheckpoints>[0]> = {}): FolderCheckpoints {
    return new FolderCheckpoints({
      folders: () => [workspace.folder, second],
      storageFolder: workspace.storage,
      isTrusted: () => true,
      excludes: (_path, relativePath) => relativePath === '.env',
      decode,
      retention: () => ({ maxAgeMs: 1e9, maxBytes: 1e9 }),
      log: nullLogger,
      clock: systemClock,
      limits: patientScans,
      ...options,
    });
  }

  const changedSince = async (folders: Parameters<FolderCheckpoints['changesSince']>[0]): Promise<string[]> =>
    (await checkpoints.changesSince(folders)).files.map(({ path }) => path).sort();

  it('names changed files of all folders by absolute paths, a renamed one twice', async () => {
    const long = 'a text that is long enough to be known again\n'.repeat(9);
    workspace.write({ 'a.txt': 'a\n', 'old name.txt': long, '.env': 'KEY=1', '../second/b.txt': 'b\n' });
    const { folders, problems } = await checkpoints.take('first', signal);
    assert.deepEqual(problems, []);
    workspace.write({ 'a.txt': 'A\n', 'new 名.txt': long, '.env': 'KEY=2', '../second/c.txt': 'c\n' });
    workspace.remove('old name.txt', '../second/b.txt');
    assert.deepEqual(await changedSince(folders), [
      `${second}/b.txt`,
      `${second}/c.txt`,
      `${workspace.folder}/a.txt`,
      `${workspace.folder}/new 名.txt`,
      `${workspace.folder}/old name.txt`,
    ]);
    const texts = await checkpoints.textsBefore((await checkpoints.changesSince(folders)).files);
    assert.equal(texts.get(`${workspace.folder}/a.txt`), 'a\n');
    assert.equal(texts.get(`${second}/b.txt`), 'b\n');
    assert.equal(texts.get(`${second}/c.txt`), null);
  });

  it('get smaller while one prompt follows another, and say once that the newest need more space', async () => {
    const clock = Object.assign(new FakeClock(), { now: () => systemClock.now() });
    const warnings: string[] = [];
    const log = { ...nullLogger, warn: (text: string) => void warnings.push(text) };
    checkpoints = open({ clock, log, retention: () => ({ maxAgeMs: 1e9, maxBytes: 1 }) });
    const ids: string[] = [];
    for (let turn = 1; turn <= 4; turn++) {
      workspace.write({ 'a.bin': randomBytes(50_000) });
      const { folders } = await checkpoints.take(`Turn ${turn}`, signal, { series: 'turns of a' });
      ids.push(folders[0]?.id ?? '');
      const key = createHash('sha256').update(workspace.folder).digest('hex').slice(0, 16);
      const store = await workspace.open({ storage: path.join(workspace.storage, key) });
      await eventually('the store with one checkpoint', async () => {
        clock.advance(5_000);
        assert.deepEqual(
          (await store.list()).map(({ id }) => id),
          [ids.at(-1)],
        );
      });
    }
    assert.equal(warnings.filter((text) => text.includes(workspace.folder)).length, 1, warnings.join('\n'));
  });

  it('does not say where Git stands in a folder that is not in the workspace any more', async () => {
    workspace.write({ 'a.txt': 'a\n' });
    workspace.commitAll();
    const folders = [workspace.folder, second];
    checkpoints = open({ folders: () => folders });
    const { folders: before } = await checkpoints.take('first', signal);
    workspace.write({ 'a.txt': 'b\n' });
    workspace.commitAll();
    assert.equal((await checkpoints.gitMovesSince(before)).length, 1);
    folders.shift();
    assert.deepEqual(await checkpoints.gitMovesSince(before), []);
    const reloaded = open({ folders: () => [second], searchPath: '/nowhere' });
    assert.deepEqual(await reloaded.gitMovesSince(before), []);
    await reloaded.stop();
  });

  it('returns the state of a file in its checkpoint, and none of excluded and ignored files', async () => {
    workspace.write({ 'a[1].txt': 'a\n', '.gitignore': '*.log\n', 'b.log': 'b\n', '.env': 'KEY=1' });
    const { folders } = await checkpoints.take('first', signal);
    const checkpoint = folders.find(({ folder }) => folder === workspace.folder);
    assert.ok(checkpoint);
    const stateAt = (name: string) => checkpoints.stateAt({ path: workspace.file(name), checkpoint });
    assert.equal((await stateAt('a[1].txt'))?.bytes, 2);
    for (const name of ['b.log', '.env', 'none']) assert.equal(await stateAt(name), undefined, name);
  });

  it('has no text of what is no text: bytes, a link, a large file', async () => {
    workspace.write({ 'bytes.bin': Uint8Array.of(0xff, 0xfe, 0xff), 'large.txt': 'x'.repeat(5 * 1024 * 1024 + 1) });
    symlinkSync('bytes.bin', workspace.file('link'));
    const { folders } = await checkpoints.take('first', signal);
    workspace.remove('bytes.bin', 'link', 'large.txt');
    const texts = await checkpoints.textsBefore((await checkpoints.changesSince(folders)).files);
    assert.deepEqual([...texts.values()], [undefined, undefined, undefined]);
  });

  it('reports what users may miss: nested repositories, but nothing that is ignored or excluded', async () => {
    workspace.write({ '.gitignore': 'ignored/\n', 'ignored/a': 'a', '.env': 'KEY=1', 'nested/a.txt': 'a' });
    gitIn(workspace.file('nested'), 'init', '-q');
    const { uncovered } = await checkpoints.take('first', signal);
    assert.deepEqual(uncovered, [`${workspace.folder}/nested/`]);
  });

  it('keeps a folder where the other one fails, and explains why once', async () => {
    await checkpoints.stop();
    checkpoints = open({ searchPath: '/nowhere' });
    const { folders, problems } = await checkpoints.take('first', signal);
    assert.deepEqual(folders, []);
    assert.deepEqual(problems, ['Git is not installed. Install Git to track all changes.']);
  });

  it('leaves no checkpoint behind when it only prepares', async () => {
    workspace.write({ 'a.txt': 'a\n' });
    await checkpoints.prepare();
    const { folders } = await checkpoints.take('first', signal);
    workspace.write({ 'a.txt': 'A\n' });
    assert.deepEqual(await changedSince(folders), [`${workspace.folder}/a.txt`]);
  });

  it('ends with the signal of the caller', async () => {
    await assert.rejects(checkpoints.take('first', AbortSignal.abort(new Error('stopped'))), /stopped/);
  });

  it('has one checkpoint, one list and one restore of each file where folders overlap', async () => {
    const aPlace = fc.constantFrom('.', 'sub', 'sub/deep', 'other', 'link', 'sub/link');
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(aPlace, { minLength: 1 }), fc.boolean(), async (places, isIgnored) => {
        const here = new TestWorkspace();
        here.write({
          '.gitignore': isIgnored ? 'sub/deep/\n' : '',
          'a.txt': '1',
          'sub/b.txt': '1',
          'sub/deep/c.txt': '1',
          'other/d.txt': '1',
        });
        symlinkSync('.', here.file('link'));
        symlinkSync('../other', here.file('sub/link'));
        const folders = places.map((place) => path.join(here.folder, place));
        const one = open({ folders: () => folders, storageFolder: here.storage });
        try {
          const { folders: before } = await one.take('first', signal);
          here.write({ 'a.txt': '2', 'sub/b.txt': '2', 'sub/deep/c.txt': '2', 'other/d.txt': '2', 'sub/new.txt': '2' });
          const left = contentsOf(here.folder);
          const { files } = await one.changesSince(before);
          const preview = await one.planRestore(before, signal);
          const real = (paths: readonly { readonly path: string }[]): string[] =>
            paths.map((file) => path.join(realpathSync(path.dirname(file.path)), path.basename(file.path))).sort();
          assert.deepEqual(real(files), [...new Set(real(files))], 'listed once');
          assert.deepEqual(real(preview.changes).map(String), real(files), 'restored as listed');
          const wanted = preview.changes.map((change) => change.path);
          const { restored, skipped, undo } = await one.restore(preview, wanted, 'restore', signal);
          assert.deepEqual([skipped, restored.length], [[], wanted.length]);
          assert.deepEqual((await one.planRestore(before, signal)).changes, []);
          const back = await one.planRestore(undo, signal);
          await one.restore(back, wanted, 'undo', signal);
          assert.deepEqual(contentsOf(here.folder), left);
        } finally {
          await one.stop();
          await here.dispose();
        }
      }),
      {
        numRuns: 12,
        examples: [
          [['.', 'sub'], false],
          [['.', 'link'], false],
          [['.', 'sub/deep', 'sub'], true],
        ],
      },
    );
  });

  describe('restores', () => {
    const preview = (folders: Parameters<FolderCheckpoints['planRestore']>[0]) =>
      checkpoints.planRestore(folders, signal);
    const a = (): string => workspace.file('a.txt');
    const b = (): string => `${second}/b.txt`;
    const journal = (store: string): string => path.join(workspace.storage, store, 'restore.json');

    it('files of all folders, after saying what happens to each, and can be undone', async () => {
      workspace.write({ 'a.txt': 'a\n', 'gone.sh': 'run\n', '../second/b.txt': 'b\n' });
      chmodSync(workspace.file('gone.sh'), 0o755);
      const { folders } = await checkpoints.take('first', signal);
      workspace.write({ 'a.txt': 'A\n', '../second/b.txt': 'B\n', '../second/new 名.txt': 'new\n' });
      workspace.remove('gone.sh');
      const plan = await preview(folders);
      assert.deepEqual(
        plan.changes
          .map(({ after, ...change }) => ({ ...change, bytes: after?.bytes }))
          .toSorted((one, other) => (one.path < other.path ? -1 : 1)),
        [
          { path: b(), change: 'modified', kind: 'file', bytes: 2 },
          { path: `${second}/new 名.txt`, change: 'deleted', kind: 'file', bytes: undefined },
          { path: a(), change: 'modified', kind: 'file', bytes: 2 },
          { path: workspace.file('gone.sh'), change: 'created', kind: 'executable', bytes: 4 },
        ],
      );
      const chosen = [a(), `${second}/new 名.txt`];
      const { restored, skipped, undo } = await checkpoints.restore(plan, chosen, 'undo', signal);
      assert.deepEqual([...restored].sort(), [...chosen].sort());
      assert.deepEqual(skipped, []);
      assert.equal(workspace.read('a.txt'), 'a\n');
      assert.equal(workspace.read('../second/b.txt'), 'B\n');
      assert.equal(existsSync(chosen[1] ?? ''), false);
      await checkpoints.restore(await preview(undo), chosen, 'again', signal);
      assert.equal(workspace.read('a.txt'), 'A\n');
      assert.equal(workspace.read('../second/new 名.txt'), 'new\n');
    });

    it('skip a file that has changed since the preview, and say so', async () => {
      workspace.write({ 'a.txt': 'a\n' });
      const { folders } = await checkpoints.take('first', signal);
      workspace.write({ 'a.txt': 'A\n' });
      const plan = await preview(folders);
      workspace.write({ 'a.txt': 'mine\n' });
      const { restored, skipped } = await checkpoints.restore(plan, [a()], 'undo', signal);
      assert.deepEqual(restored, []);
      assert.deepEqual(skipped, [{ path: a(), reason: 'It was changed in the meantime.' }]);
      assert.equal(workspace.read('a.txt'), 'mine\n');
    });

    it('report what they leave out, and a folder that is no longer in the workspace', async () => {
      workspace.write({ 'a.txt': 'a\n', 'nested/b.txt': 'b\n' });
      gitIn(workspace.file('nested'), 'init', '-q');
      const { folders } = await checkpoints.take('first', signal);
      const elsewhere = { folder: '/elsewhere', id: folders[0]?.id ?? '' };
      assert.deepEqual((await preview([...folders, elsewhere])).leftOut, [workspace.file('nested/'), '/elsewhere/']);
    });

    it('need a checkpoint that still exists', async () => {
      workspace.write({ 'a.txt': 'a\n' });
      await checkpoints.take('first', signal);
      await assert.rejects(preview([{ folder: workspace.folder, id: 'a'.repeat(40) }]), { code: 'unknownCheckpoint' });
    });

    it('keep what was restored in one folder when the other one fails, which stays as it is', async () => {
      workspace.write({ 'a.txt': 'a\n', '../second/b.txt': 'b\n' });
      const { folders } = await checkpoints.take('first', signal);
      workspace.write({ 'a.txt': 'A\n', '../second/b.txt': 'B\n' });
      const plan = await preview(folders);
      const [, last = ''] = storesOf([workspace.folder, second]);
      writeFileSync(journal(last), journalOf('b.txt'));
      const { restored, skipped, undo } = await checkpoints.restore(plan, [a(), b()], 'undo', signal);
      assert.deepEqual(restored, [a()]);
      assert.deepEqual(
        undo.map(({ folder }) => folder),
        [workspace.folder],
      );
      assert.deepEqual(
        skipped.map((file) => file.path),
        [b()],
      );
      assert.match(skipped[0]?.reason ?? '', /not finished/);
      assert.equal(workspace.read('../second/b.txt'), 'B\n');
    });

    it('are refused while one is cut off in any folder, which is seen without Git and can be finished', async () => {
      workspace.write({ 'a.txt': 'a\n', '../second/b.txt': 'b\n' });
      const { folders } = await checkpoints.take('first', signal);
      assert.equal(
        await hasInterruptedRestore(storesOf([workspace.folder, second]).map((name) => `${workspace.storage}/${name}`)),
        false,
      );
      workspace.write({ '../second/b.txt': 'B\n' });
      const plan = await preview(folders);
      const [, last = ''] = storesOf([workspace.folder, second]);
      writeFileSync(journal(last), journalOf('b.txt'));
      assert.equal(
        await hasInterruptedRestore(storesOf([workspace.folder, second]).map((name) => `${workspace.storage}/${name}`)),
        true,
      );
      assert.deepEqual(await checkpoints.findInterruptedRestore(), { restored: 0, total: 1 });
      await assert.rejects(checkpoints.restore(plan, [b()], 'undo', signal), { code: 'restoreUnfinished' });
      // The checkpoint before that restore was removed long ago.
      const outcome = await checkpoints.resume('finish', signal);
      assert.deepEqual(outcome.skipped, [{ path: b(), reason: 'Its contents are no longer stored.' }]);
      assert.equal(await checkpoints.findInterruptedRestore(), undefined);
      assert.equal(
        await hasInterruptedRestore(storesOf([workspace.folder, second]).map((name) => `${workspace.storage}/${name}`)),
        false,
      );
      assert.equal(await hasInterruptedRestore(['/nowhere']), false);
    });

    /** The folders of the stores, in the order of the workspace folders. */
    function storesOf(folders: readonly string[]): string[] {
      const names = readdirSync(workspace.storage);
      const stores = folders.map((folder) => createHash('sha256').update(folder).digest('hex').slice(0, 16));
      assert.deepEqual([...names].sort(), [...stores].sort());
      return stores;
    }

    /** Of a process that was killed before its first step, which would have written something else. */
    function journalOf(name: string): string {
      const bytes = readFileSync(`${second}/${name}`);
      const blob = createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
      const before = { kind: 'file', object: blob, bytes: bytes.length };
      const steps = [{ path: name, before, after: { kind: 'file', object: 'b'.repeat(40), bytes: 3 } }];
      const ids = { id: 'cut-off', checkpointId: 'c'.repeat(40), undoId: 'd'.repeat(40) };
      return JSON.stringify({ version: 1, ...ids, pid: 2 ** 30, at: 0, steps });
    }
  });
});
