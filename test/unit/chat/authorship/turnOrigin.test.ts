import assert from 'node:assert/strict';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { withoutUndefined } from '../../../../src/base/common/withoutUndefined';
import { turnOrigin } from '../../../../src/chat/common/authorship/turnOrigin';
import { LogRecord } from '../../../../src/chat/common/conversation/logRecord';
import { headCommitOf } from '../../../../src/chat/node/repositoryIdentity';
import type { ConfigOption } from '../../../../src/session/common/sessionEvents';
import { eventually, until } from '../../../support/eventually';
import { gitIn, TestWorkspace } from '../../changes/support/workspace';
import { DiskWindow } from '../support/diskWindow';
import { event } from '../support/transcriptRecorder';

const models: ConfigOption = {
  type: 'select',
  id: 'the-model',
  name: 'Model',
  category: 'model',
  value: 'large-5',
  choices: [
    { value: 'small-5', name: 'Small 5' },
    { value: 'large-5', name: 'Large 5' },
  ],
};

describe('the origin of a turn', () => {
  it('is the model that is chosen, the version of the agent and the commit that is checked out, as far as they are known', () => {
    assert.deepEqual(turnOrigin([models], { kind: 'ready', version: '1.2.3' }, 'a'.repeat(40)), {
      model: { id: 'large-5', name: 'Large 5' },
      agentVersion: '1.2.3',
      head: 'a'.repeat(40),
    });
    assert.deepEqual(turnOrigin([{ ...models, value: 'hidden' }], { kind: 'ready' }, undefined), {
      model: { id: 'hidden', name: 'hidden' },
    });
    assert.deepEqual(turnOrigin([], { kind: 'stopped' }, undefined), {});
  });

  it('does not keep the record from being read if a member of it is damaged', () => {
    const record = { type: 'changed', at: 1, turn: 2, changes: [] };
    const damaged = LogRecord.parse({ ...record, model: 'Large', agentVersion: 5, head: {} });
    assert.deepEqual(withoutUndefined(damaged), record);
  });

  describe('of a conversation', () => {
    let workspace: TestWorkspace;
    let window: DiskWindow;
    beforeEach(async () => {
      workspace = new TestWorkspace();
      workspace.write({ 'a.txt': 'one\n' });
      workspace.commitAll();
      window = await DiskWindow.open(workspace);
    });
    afterEach(async () => {
      await window.close();
      await workspace.dispose();
    });

    it('is in the record of its changes, and each write names its call', async () => {
      const chat = await window.create();
      await window.turn(chat, () => undefined);
      const [backend] = window.backends.backends;
      assert.ok(backend);
      backend.last.config = [models];
      backend.change({ kind: 'ready', version: '2.0' });
      const head = workspace.git('rev-parse', 'HEAD').trim();
      await window.begin(chat);
      const [edited, asked] = [workspace.file('a.txt'), workspace.file('b.txt')];
      const input = { path: edited };
      const call = { tool_name: 'edit', operation: 'edit' };
      backend.last.tell(event('tool:pre', { ...call, call_id: 'edit 1', kind: 'edit', input }));
      backend.last.tell(event('tool:pre', { ...call, call_id: 'edit 2', kind: 'edit', input: { path: asked } }));
      await window.write(edited, 'one\ntwo\n');
      workspace.write({ 'b.txt': 'new\n' });
      backend.last.tell(event('tool:post', { ...call, call_id: 'edit 2', result: { success: true } }));
      // The commit of the turn is the one before it.
      workspace.git('commit', '-qam', 'by the agent');
      await window.end(chat);
      await until('the changes', () => chat.fileChanges.list.length === 2);
      const records = await eventually('the record', async () => {
        const stored = await window.recordsOf(chat);
        assert.ok(stored.some(({ type }) => type === 'changed'));
        return stored;
      });
      const origins = records.flatMap((one) =>
        one.type === 'changed' ? [[one.agentVersion, one.head, one.model]] : [],
      );
      assert.deepEqual(origins, [['2.0', head, { id: 'large-5', name: 'Large 5' }]]);
      const calls = records.flatMap((one) => (one.type === 'written' ? [[path.basename(one.path), one.callId]] : []));
      assert.deepEqual(calls.sort(), [
        ['a.txt', 'edit 1'],
        ['b.txt', 'edit 2'],
      ]);
    });
  });
});

describe('the commit that is checked out in a folder', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await realpath(await mkdtemp(path.join(tmpdir(), 'backline-head-')));
    gitIn(folder, 'init', '-q', '-b', 'main');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const commit = (): string => {
    gitIn(folder, 'commit', '-q', '--allow-empty', '-m', 'one');
    return gitIn(folder, 'rev-parse', 'HEAD').trim();
  };

  it('is read from the files of the repository: of a branch, a packed one, a linked work tree, and no branch', async () => {
    assert.equal(await headCommitOf(folder), undefined);
    const first = commit();
    assert.equal(await headCommitOf(folder), first);
    gitIn(folder, 'pack-refs', '--all');
    assert.equal(await headCommitOf(folder), first);
    const linked = path.join(folder, 'linked');
    gitIn(folder, 'worktree', 'add', '-q', linked);
    const second = commit();
    assert.deepEqual([await headCommitOf(folder), await headCommitOf(linked)], [second, first]);
    gitIn(folder, 'checkout', '-q', '--detach');
    assert.equal(await headCommitOf(folder), second);
  });

  it('is not known without a repository, and with a reference outside of it', async () => {
    assert.equal(await headCommitOf(path.parse(folder).root), undefined);
    await writeFile(path.join(folder, 'secret'), 'b'.repeat(40));
    await writeFile(path.join(folder, '.git', 'HEAD'), 'ref: refs/../../secret\n');
    assert.equal(await headCommitOf(folder), undefined);
  });
});
