import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { systemClock } from '../../../../src/base/node/systemClock';
import { nullLogger } from '../../../../src/base/common/log';
import { FolderCheckpoints } from '../../../../src/changes/node/folderCheckpoints';
import { importStore } from '../../../../src/changes/node/storage/importStore';
import { gitIn, TestWorkspace, patientScans } from '../support/workspace';

const { signal } = new AbortController();
const keyOf = (folder: string): string => createHash('sha256').update(folder).digest('hex').slice(0, 16);

describe('the storage of checkpoints', () => {
  let workspace: TestWorkspace;
  const opened: FolderCheckpoints[] = [];
  beforeEach(() => (workspace = new TestWorkspace()));
  afterEach(async () => {
    for (const one of opened.splice(0)) await one.stop();
    await workspace.dispose();
  });

  function open(folders: readonly string[], storageFolder = workspace.storage): FolderCheckpoints {
    const checkpoints = new FolderCheckpoints({
      folders: () => folders,
      storageFolder,
      olderStorage: { root: `${workspace.root}/workspaceStorage`, below: 'backline/checkpoints' },
      isTrusted: () => true,
      excludes: () => false,
      decode: (bytes) => Promise.resolve(Buffer.from(bytes).toString()),
      retention: () => ({ maxAgeMs: 1e12, maxBytes: 1e9 }),
      log: nullLogger,
      clock: systemClock,
      limits: patientScans,
    });
    opened.push(checkpoints);
    return checkpoints;
  }
  /** As versions before had it: in the storage of one workspace. */
  const older = (id: string): string => `${workspace.root}/workspaceStorage/${id}/backline/checkpoints`;
  const changed = async (checkpoints: FolderCheckpoints, folder: string, id: string): Promise<string[]> => {
    const { files, problems } = await checkpoints.changesSince([{ folder, id }]);
    assert.deepEqual(problems, []);
    return files.map((file) => path.relative(folder, file.path)).sort();
  };
  const takeIn = async (checkpoints: FolderCheckpoints): Promise<string> => {
    const { folders, problems } = await checkpoints.take('a prompt', signal);
    assert.deepEqual(problems, []);
    return folders[0]?.id ?? '';
  };

  it('belongs to the real place of a folder: a link to the folder finds the same checkpoints', async () => {
    workspace.write({ 'a.txt': 'a\n' });
    const id = await takeIn(open([workspace.folder]));
    const link = `${workspace.root}/link`;
    symlinkSync(workspace.folder, link);
    workspace.write({ 'a.txt': 'A\n' });
    assert.deepEqual(await changed(open([link]), link, id), ['a.txt']);
  });

  for (const [what, prepare] of [
    ['with loose objects', () => undefined],
    [
      'with packs and packed refs',
      (store: string) => {
        gitIn(store, '--git-dir=git-sha1', 'repack', '-adq');
        gitIn(store, '--git-dir=git-sha1', 'pack-refs', '--all');
      },
    ],
  ] as const) {
    it(`takes over what older versions have in the storage of each workspace, ${what}`, async () => {
      workspace.write({ 'a.txt': 'a\n' });
      const first = await takeIn(open([workspace.folder], older('one')));
      workspace.write({ 'b.txt': 'b\n' });
      const second = await takeIn(open([workspace.folder], older('two')));
      prepare(`${older('one')}/${keyOf(workspace.folder)}`);
      workspace.write({ 'c.txt': 'c\n' });
      const now = open([workspace.folder]);
      assert.deepEqual(await changed(now, workspace.folder, first), ['b.txt', 'c.txt']);
      assert.deepEqual(await changed(now, workspace.folder, second), ['c.txt']);
      // The older version runs beside it and adds one.
      const third = await takeIn(open([workspace.folder], older('two')));
      workspace.write({ 'd.txt': 'd\n' });
      assert.deepEqual(await changed(open([workspace.folder]), workspace.folder, third), ['d.txt']);
      assert.deepEqual(await changed(open([workspace.folder], older('one')), workspace.folder, first), [
        'b.txt',
        'c.txt',
        'd.txt',
      ]);
    });
  }

  it('does not bring back a checkpoint that was removed since', async () => {
    workspace.write({ 'a.txt': 'a\n' });
    const from = `${older('one')}/${keyOf(workspace.folder)}`;
    const id = await takeIn(open([workspace.folder], older('one')));
    const to = `${workspace.storage}/${keyOf(workspace.folder)}`;
    await importStore(from, to);
    assert.deepEqual(readdirSync(`${to}/git-sha1/refs/checkpoints`), [id]);
    rmSync(`${to}/git-sha1/refs/checkpoints/${id}`);
    await importStore(from, to);
    assert.deepEqual(readdirSync(`${to}/git-sha1/refs/checkpoints`), []);
  });

  it('takes over twice at once, and again after it was cut off before the checkpoints were listed', async () => {
    workspace.write({ 'a.txt': 'a\n' });
    const from = `${older('one')}/${keyOf(workspace.folder)}`;
    const to = `${workspace.storage}/${keyOf(workspace.folder)}`;
    const id = await takeIn(open([workspace.folder], older('one')));
    // A cut-off one has linked some objects.
    mkdirSync(`${to}/git-sha1/objects`, { recursive: true });
    await Promise.all([importStore(from, to), importStore(from, to)]);
    workspace.write({ 'a.txt': 'A\n' });
    assert.deepEqual(await changed(open([workspace.folder]), workspace.folder, id), ['a.txt']);
  });

  it('takes over an interrupted restore, but not one that still runs in an older version', async () => {
    workspace.write({ 'a.txt': 'a\n' });
    const key = keyOf(workspace.folder);
    await takeIn(open([workspace.folder], older('one')));
    const journal = (pid: number): string =>
      JSON.stringify({ version: 1, id: 'x', checkpointId: 'c', undoId: 'u', pid, at: Date.now(), steps: [] });
    writeFileSync(`${older('one')}/${key}/restore.json`, journal(process.pid));
    await open([workspace.folder]).prepare();
    assert.ok(!existsSync(`${workspace.storage}/${key}/restore.json`));
    writeFileSync(`${older('one')}/${key}/restore.json`, journal(2 ** 22 + 1));
    await open([workspace.folder]).prepare();
    assert.ok(existsSync(`${workspace.storage}/${key}/restore.json`));
    assert.ok(!existsSync(`${older('one')}/${key}/restore.json`));
  });

  it('follows a folder that was moved', async () => {
    workspace.write({ 'a.txt': 'a\n' });
    const id = await takeIn(open([workspace.folder]));
    const moved = `${workspace.root}/moved`;
    renameSync(workspace.folder, moved);
    const there = open([moved]);
    assert.equal((await there.changesSince([{ folder: moved, id }])).problems.length, 1);
    await there.adopt(workspace.folder, moved);
    writeFileSync(`${moved}/b.txt`, 'b\n');
    assert.deepEqual(await changed(there, moved, id), ['b.txt']);
  });
});
