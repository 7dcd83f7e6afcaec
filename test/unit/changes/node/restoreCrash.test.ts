import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { nullLogger } from '../../../../src/base/common/log';
import { openCheckpointStore } from '../../../../src/changes/node/checkpointStore';
import { temporaryRestoreFilePrefix } from '../../../../src/changes/node/git/privateRepository';
import { until } from '../../../support/eventually';
import { contentsOf, taken, TestWorkspace } from '../support/workspace';

const files = 300;
const roleVariable = 'BACKLINE_TEST_RESTORE';

/** What the process does that is killed. */
async function restoreAll(role: string): Promise<void> {
  const [folder = '', storage = '', id = ''] = role.split('|');
  const opened = await openCheckpointStore({ folder, storage, excludes: () => false, logger: nullLogger });
  if (opened.kind !== 'open') return;
  await opened.store.applyRestore(await opened.store.planRestore(id), 'undo', undefined, 'the request');
}

function tests(): void {
  let workspace: TestWorkspace;
  beforeEach(() => (workspace = new TestWorkspace()));
  afterEach(() => workspace.dispose());

  const names = Array.from({ length: files }, (_, at) => `d${at % 7}/f${at}.txt`);
  const isRestored = (name: string): boolean => {
    try {
      return readFileSync(workspace.file(name), 'utf8') === 'before';
    } catch {
      return false;
    }
  };

  /** Kills a process as soon as it has restored so many files, then opens the folder anew. */
  async function killedAfter(
    count: number,
  ): Promise<{ id: string; before: Record<string, string>; after: Record<string, string> }> {
    workspace.write(Object.fromEntries(names.map((name) => [name, 'before'])));
    const store = await workspace.open();
    const { id } = await taken(store);
    const before = contentsOf(workspace.folder);
    names.forEach((name, at) => {
      if (at % 3 === 0) rmSync(workspace.file(name));
      else writeFileSync(workspace.file(name), 'agent');
    });
    workspace.write(Object.fromEntries(names.slice(0, 50).map((name) => [`made/${name}`, 'agent'])));
    const after = contentsOf(workspace.folder);
    const role = [workspace.folder, workspace.storage, id].join('|');
    const child = fork(__filename, [], { env: { ...process.env, [roleVariable]: role }, execArgv: [] });
    const ended = once(child, 'exit');
    await until('the restore is on its way', () => {
      const journal = existsSync(path.join(workspace.storage, 'restore.json'));
      return child.exitCode !== null || (journal && names.filter(isRestored).length >= count);
    });
    child.kill('SIGKILL');
    await ended;
    return { id, before, after };
  }

  for (const [direction, counts] of [
    ['finish', [0, 17, 230]],
    ['undo', [0, 60, 250]],
  ] as const) {
    for (const count of counts) {
      it(`can be ${direction === 'undo' ? 'undone' : 'finished'} after it was killed in mid-restore, ${count} files in`, async () => {
        const { id, before, after } = await killedAfter(count);
        const store = await workspace.open();
        const found = await store.findInterruptedRestore();
        if (found) {
          assert.equal(found.checkpointId, id);
          assert.equal(found.touched, 0);
          assert.ok(found.done >= count);
          await assert.rejects(store.applyRestore(await store.planRestore(id), 'again'), { code: 'restoreUnfinished' });
        }
        const result = await store.resumeRestore(direction);
        assert.deepEqual(result?.skipped ?? [], []);
        const files = contentsOf(workspace.folder);
        // Without a journal it had not begun, or was over.
        const isFinished = found ? direction === 'finish' : isRestored('d0/f0.txt');
        const expected: Readonly<Record<string, string>> = isFinished ? before : after;
        const names = new Set([...Object.keys(files), ...Object.keys(expected)]);
        const wrong = [...names].filter((name) => files[name] !== expected[name]);
        assert.deepEqual(wrong.slice(0, 5), []);
        assert.equal(await store.findInterruptedRestore(), undefined);
        const leftovers = readdirSync(workspace.folder, { recursive: true, encoding: 'utf8' });
        assert.deepEqual(
          leftovers.filter((name) => name.includes(temporaryRestoreFilePrefix)),
          [],
        );
        assert.equal((await store.planRestore(id)).steps.length === 0, isFinished);
        if (!found || !result) return;
        assert.equal(result.request, 'the request');
        // The checkpoint before the restore brings all back.
        await store.applyRestore(await store.planRestore(result.undoId), 'undo');
        assert.deepEqual(contentsOf(workspace.folder), after);
      });
    }
  }

  it('does not touch what somebody has written after the crash', async () => {
    await killedAfter(20);
    const store = await workspace.open();
    const found = await store.findInterruptedRestore();
    workspace.write({ 'd0/f0.txt': 'user' });
    const result = await store.resumeRestore('undo');
    assert.equal(workspace.read('d0/f0.txt'), 'user');
    if (found) assert.deepEqual(result?.skipped, [{ path: 'd0/f0.txt', reason: 'changedMeanwhile' }]);
  });

  it('did not begin when its journal was cut short', async () => {
    workspace.write({ 'a.txt': 'a' });
    const store = await workspace.open();
    const { id } = await taken(store);
    writeFileSync(path.join(workspace.storage, 'restore.json'), '{"version":1,"id":"x","ste');
    assert.equal(await store.findInterruptedRestore(), undefined);
    workspace.write({ 'a.txt': 'agent' });
    await store.applyRestore(await store.planRestore(id), 'undo');
    assert.equal(workspace.read('a.txt'), 'a');
  });

  it('has no step outside of the folder, whoever has written its journal', async () => {
    workspace.write({ 'a.txt': 'a' });
    const store = await workspace.open();
    const { id } = await taken(store);
    writeFileSync(path.join(workspace.root, 'outside.txt'), '');
    const empty = 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391';
    const steps = [{ path: '../outside.txt', before: { kind: 'file', object: empty, bytes: 0 } }];
    const journal = { version: 1, id: 'x', checkpointId: id, undoId: id, pid: 1, at: 0, steps };
    writeFileSync(path.join(workspace.storage, 'restore.json'), JSON.stringify(journal));
    await store.resumeRestore('finish');
    assert.equal(existsSync(path.join(workspace.root, 'outside.txt')), true);
  });
}

const role = process.env[roleVariable];
if (role === undefined) describe('a restore', tests);
else {
  restoreAll(role).catch((error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  });
}
