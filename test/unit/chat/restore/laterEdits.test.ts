import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, rmSync, symlinkSync } from 'node:fs';
import * as path from 'node:path';
import { nullLogger } from '../../../../src/base/common/log';
import { systemClock } from '../../../../src/base/node/systemClock';
import type { Chat } from '../../../../src/chat/common/chatPorts';
import { undoInFiles } from '../../../../src/chat/common/restore/undoChanges';
import type { RestorePoint } from '../../../../src/chat/common/restore/restorePorts';
import { AgentWritesFolder } from '../../../../src/chat/node/writes/agentWritesFolder';
import { contentsOf, TestWorkspace } from '../../changes/support/workspace';
import { changeLines, DiskWindow } from '../support/diskWindow';

const { signal } = new AbortController();

describe('edits after a prompt that a restore must not lose', () => {
  let workspace: TestWorkspace;
  let window: DiskWindow;
  let chat: Chat;

  const shared = (windowId: string): AgentWritesFolder =>
    new AgentWritesFolder({
      folder: path.join(workspace.root, 'writes'),
      windowId,
      clock: systemClock,
      log: nullLogger,
    });

  beforeEach(async () => {
    workspace = new TestWorkspace();
    workspace.write({ 'a.txt': 'one\ntwo\nthree\n', 'b.txt': 'b\n', 'sub/c.txt': 'c\n' });
    window = await DiskWindow.open(workspace, { agentWrites: shared('one') });
    chat = await window.create();
  });
  afterEach(async () => {
    await window.close();
    await workspace.dispose();
  });

  async function turn(work: () => void): Promise<void> {
    await window.turn(chat, work);
    await chat.restores.whenTurnRecorded();
  }

  async function pointOf(turn: number): Promise<RestorePoint> {
    const prompt = [...chat.transcript.entries()].find((entry) => entry.kind === 'prompt' && entry.turn === turn);
    return await chat.restores.restorePointBefore(prompt?.id ?? '');
  }

  async function editedSince(turn: number): Promise<string[]> {
    const point = await pointOf(turn);
    const preview = await window.checkpoints.planRestore(point.folders, signal);
    const edited = await chat.restores.pathsEditedByOthers(point, (file) =>
      window.checkpoints.textAfterRestore(preview, file),
    );
    return [...edited].map((file) => path.relative(workspace.folder, file)).sort();
  }

  for (const decision of ['kept', 'undone'] as const) {
    it(`are found in a file whose changes were ${decision}`, async () => {
      await turn(() => workspace.write({ 'a.txt': 'one\ntwo\nagent\n', 'b.txt': 'agent\n' }));
      for (const name of ['a.txt', 'b.txt']) {
        if (decision === 'kept') await chat.keepChanges(workspace.file(name));
        else await chat.revert(workspace.file(name));
      }
      assert.deepEqual(await editedSince(1), []);
      workspace.write({ 'a.txt': 'mine\n' });
      assert.deepEqual(await editedSince(1), ['a.txt']);
    });
  }

  describe('after Undo All, as the user does it', () => {
    const made = (bytes: number): Buffer => Buffer.from([0, bytes]);
    const names = ['a.txt', 'b.txt', 'new.txt', 'old.dat', 'new.dat'];
    const work = (): void =>
      workspace.write({
        'a.txt': 'agent\n',
        'b.txt': 'agent\n',
        'new.txt': 'agent\n',
        'old.dat': made(2),
        'new.dat': made(3),
      });
    beforeEach(() => workspace.write({ 'old.dat': made(1) }));

    async function undoEverything(): Promise<readonly string[]> {
      const paths = chat.fileChanges.list.map((change) => change.path);
      const undo = async (file: string, undoId: string) => ({
        restoreId: await chat.revert(file, { undoId, force: true }),
      });
      const { failures, restored } = await undoInFiles(chat, paths, undefined, undo);
      assert.deepEqual(failures, []);
      return [...new Set(restored.map(({ restoreId }) => restoreId))];
    }

    it('are found, and nothing else is', async () => {
      await turn(work);
      await undoEverything();
      assert.deepEqual(await editedSince(1), []);
      workspace.write({ 'a.txt': 'mine\n', 'new.txt': 'mine\n', 'old.dat': made(4), 'new.dat': made(5) });
      assert.deepEqual(await editedSince(1), names.filter((name) => name !== 'b.txt').sort());
    });

    it('are found when the agent has written over them since', async () => {
      await turn(work);
      await undoEverything();
      workspace.write({ 'a.txt': 'mine\n' });
      await turn(() => workspace.write({ 'a.txt': 'agent 2\n', 'b.txt': 'agent 2\n', 'new.txt': 'agent 2\n' }));
      assert.deepEqual(await editedSince(1), ['a.txt']);
    });

    it('are found when they were made before it and have come back with Undo Restore', async () => {
      await turn(work);
      workspace.write({ 'a.txt': 'mine\n', 'old.dat': made(4) });
      const ids = await undoEverything();
      for (const id of ids) {
        const restore = chat.restores.get(id);
        assert.ok(restore);
        const files = await window.restorer.previewUndo(chat, restore, signal);
        await window.restorer.undo(chat, restore, { ...files, refused: [], left: [] }, signal);
      }
      assert.equal(workspace.read('a.txt'), 'mine\n');
      assert.deepEqual(await editedSince(1), ['a.txt', 'old.dat']);
    });
  });

  it('are found between two turns, and not before the prompt', async () => {
    await turn(() => workspace.write({ 'a.txt': 'agent 1\n', 'b.txt': 'agent 1\n' }));
    workspace.write({ 'a.txt': 'agent 1\nmine\n' });
    await turn(() => workspace.write({ 'a.txt': 'agent 2\nmine\n', 'b.txt': 'agent 2\n' }));
    assert.deepEqual(await editedSince(1), ['a.txt']);
    assert.deepEqual(await editedSince(2), []);
  });

  it('are found in files without texts, also after Keep', async () => {
    workspace.write({ 'b.dat': Buffer.from([0, 1]), 'c.dat': Buffer.from([0, 2]) });
    await turn(() =>
      workspace.write({ 'a.dat': Buffer.from([0, 3]), 'b.dat': Buffer.from([0, 4]), 'a.txt': 'agent\n' }),
    );
    await turn(() => workspace.write({ 'b.dat': Buffer.from([0, 5]), 'c.dat': Buffer.from([0, 6]) }));
    await chat.keepChanges();
    assert.deepEqual(await editedSince(1), []);
    workspace.write({ 'a.dat': Buffer.from([0, 7]), 'b.dat': 'a text\n' });
    rmSync(workspace.file('a.txt'));
    symlinkSync('nowhere', workspace.file('a.txt'));
    assert.deepEqual(await editedSince(1), ['a.dat', 'a.txt', 'b.dat']);
    assert.deepEqual(await editedSince(2), ['b.dat']);
  });

  it('are found between two turns in files without texts', async () => {
    workspace.write({ 'b.dat': Buffer.from([0, 1]) });
    await turn(() => workspace.write({ 'a.dat': Buffer.from([0, 3]) }));
    workspace.write({ 'a.dat': Buffer.from([0, 4]), 'b.dat': Buffer.from([0, 5]) });
    await turn(() => workspace.write({ 'a.dat': Buffer.from([0, 6]), 'b.dat': Buffer.from([0, 7]) }));
    assert.deepEqual(await editedSince(1), ['a.dat', 'b.dat']);
    assert.deepEqual(await editedSince(2), []);
  });

  it('are found in the work of another conversation of any window, with its id', async () => {
    const other = shared('two');
    await turn(() => workspace.write({ 'a.txt': 'agent\n' }));
    const file = workspace.file('a.txt');
    assert.deepEqual([...(await chat.restores.pathsOfOthersSince(await pointOf(1)))], []);
    other.add({ conversation: 'other', path: file, text: 'x'.repeat(64) });
    await other.since(0);
    assert.deepEqual([...(await chat.restores.pathsOfOthersSince(await pointOf(1)))], [[file, 'other']]);
  });

  describe('after a restore with a fork', () => {
    const bytes = (last: number): Buffer => Buffer.from([0, last]);
    const values = (value: number): void =>
      workspace.write({ 'a.txt': `${value}\n`, [`made ${value}.txt`]: 'made\n', 'b.dat': bytes(value) });

    async function namedAs(asked: Chat, turn: number): Promise<string[]> {
      const prompt = [...asked.transcript.entries()].find((entry) => entry.kind === 'prompt' && entry.turn === turn);
      const point = await asked.restores.restorePointBefore(prompt?.id ?? '');
      const found = [...(await asked.restores.pathsOfOthersSince(point))];
      return found
        .map(([file, id]) => `${path.relative(workspace.folder, file)}: ${id === chat.id ? 'original' : 'fork'}`)
        .sort();
    }

    /** Takes the conversation and its files back to the second of three prompts. */
    async function restoreWithFork(): Promise<Chat> {
      workspace.write({ 'b.dat': bytes(0) });
      for (const value of [1, 2, 3]) await turn(() => values(value));
      const entryId = [...chat.transcript.entries()].find((one) => one.kind === 'prompt' && one.turn === 2)?.id ?? '';
      const point = await pointOf(2);
      const preview = await window.checkpoints.planRestore(point.folders, signal);
      const paths = preview.changes.map((change) => change.path);
      const request = { chat, entryId, isFork: true, point, preview, paths, canChange: () => true, refused: [] };
      const { chat: fork } = await window.restorer.restore(request, signal);
      assert.equal(workspace.read('a.txt'), '1\n');
      return fork;
    }

    async function undoRestore(from: Chat): Promise<void> {
      const restore = from.restores.last;
      assert.ok(restore);
      const files = await window.restorer.previewUndo(from, restore, signal);
      await window.restorer.undo(from, restore, { ...files, refused: [], left: [] }, signal);
      assert.equal(workspace.read('a.txt'), '3\n');
    }

    it('are named in neither of its conversations', async () => {
      const fork = await restoreWithFork();
      assert.deepEqual(await namedAs(fork, 1), []);
      for (const turn of [1, 2, 3]) assert.deepEqual(await namedAs(chat, turn), []);
    });

    for (const undoneIn of ['original', 'fork'] as const) {
      it(`are not named in the original when it was undone in the ${undoneIn}`, async () => {
        const fork = await restoreWithFork();
        await undoRestore(undoneIn === 'fork' ? fork : chat);
        for (const turn of [1, 2, 3]) assert.deepEqual(await namedAs(chat, turn), []);
        // The files have the work of the original again.
        assert.deepEqual(await namedAs(fork, 1), [
          'a.txt: original',
          'b.dat: original',
          'made 2.txt: original',
          'made 3.txt: original',
        ]);
      });
    }

    it('are not named, though the user has edited files, when only the conversation was taken back', async () => {
      await turn(() => values(1));
      await turn(() => values(2));
      workspace.write({ 'a.txt': 'mine\n' });
      const entry = [...chat.transcript.entries()].find((one) => one.kind === 'prompt' && one.turn === 2);
      await window.restorer.fork(chat, entry?.id);
      for (const turn of [1, 2]) assert.deepEqual(await namedAs(chat, turn), []);
    });

    it('are named in a fork for what the original has written later', async () => {
      const fork = await restoreWithFork();
      await turn(() => workspace.write({ 'a.txt': 'later\n' }));
      assert.deepEqual(await namedAs(fork, 1), ['a.txt: original']);
    });
  });

  it('are not the changes of this agent when another window has made them', async () => {
    const other = shared('two');
    await window.begin(chat);
    workspace.write({ 'a.txt': 'agent\n', 'b.txt': 'by the other window\n' });
    const text = createHash('sha256').update('by the other window\n').digest('hex');
    other.add({ conversation: 'other', path: workspace.file('b.txt'), text });
    await other.since(0);
    await window.end(chat);
    await chat.restores.whenTurnRecorded();
    assert.deepEqual(changeLines(chat, workspace.folder), ['modified a.txt']);
  });

  describe('an undo of all changes', () => {
    async function undoAll(): Promise<string> {
      const paths = chat.fileChanges.list.map((change) => change.path);
      const undoId = await chat.restores.beginUndo(paths);
      for (const file of paths) await chat.revert(file, { undoId });
      assert.deepEqual([...(await chat.restores.endUndo(undoId, paths))].sort(), [...paths].sort());
      return undoId;
    }

    async function undoRestore(id: string): Promise<void> {
      const restore = chat.restores.get(id);
      assert.ok(restore);
      const files = await window.restorer.previewUndo(chat, restore, signal);
      assert.deepEqual(files.changedSince, []);
      await window.restorer.undo(chat, restore, { ...files, refused: [], left: [] }, signal);
      await chat.fileChanges.refresh();
    }

    const work = (): void => {
      workspace.write({ 'a.txt': 'one\r\ntwo\nagent\n', 'new/deep.txt': 'made\n', 'bin.dat': Buffer.from([0, 1, 2]) });
      rmSync(workspace.file('sub/c.txt'));
    };

    for (const isReopened of [false, true]) {
      it(`is undone byte for byte${isReopened ? ', after a restart' : ''}`, async () => {
        const before = contentsOf(workspace.folder);
        await turn(work);
        const after = contentsOf(workspace.folder);
        const lines = changeLines(chat, workspace.folder);
        const authors = (): string[] =>
          chat.fileChanges.list.map(({ author, path: file }) => `${file} ${author}`).sort();
        const authorsBefore = authors();
        assert.match(authorsBefore.join(), /command/);
        const id = await undoAll();
        assert.deepEqual(contentsOf(workspace.folder), before);
        assert.deepEqual(changeLines(chat, workspace.folder), []);
        if (isReopened) {
          await window.close();
          window = await DiskWindow.open(workspace);
          chat = await window.reopen(chat.id);
        }
        await undoRestore(id);
        assert.deepEqual(contentsOf(workspace.folder), after);
        assert.deepEqual(changeLines(chat, workspace.folder), lines);
        assert.deepEqual(authors(), authorsBefore);
      });
    }

    it('that was interrupted is offered at the next start, and brings all files back', async () => {
      await turn(work);
      const after = contentsOf(workspace.folder);
      const paths = chat.fileChanges.list.map((change) => change.path);
      const undoId = await chat.restores.beginUndo(paths);
      await chat.revert(paths[0] ?? '', { undoId });
      await window.close();
      window = await DiskWindow.open(workspace);
      chat = await window.reopen(chat.id);
      const notice = [...chat.transcript.entries()].findLast((entry) => entry.kind === 'notice');
      assert.equal(notice?.restoreId, undoId);
      assert.match(notice.text, /VS Code was closed while changes in 4 files were undone/);
      const restore = chat.restores.get(undoId);
      assert.ok(restore);
      const files = await window.restorer.previewUndo(chat, restore, signal);
      await window.restorer.undo(chat, restore, { ...files, refused: [], left: [] }, signal);
      assert.deepEqual(contentsOf(workspace.folder), after);
      const [same] = [...chat.transcript.entries('notice')].filter(({ id }) => id === notice.id);
      assert.match(same?.text ?? '', /The changes are there again\.$/);
    });

    it('leaves a file that can’t be saved before', async () => {
      await window.close();
      window = await DiskWindow.open(workspace, { limits: { maxFileBytes: 1000 } });
      chat = await window.create();
      await turn(() => workspace.write({ 'a.txt': 'agent\n' }));
      const large = 'mine\n'.repeat(1_200_000);
      workspace.write({ 'a.txt': large });
      const file = workspace.file('a.txt');
      const { failures } = await undoInFiles(chat, [file], undefined, async (one, undoId) => ({
        restoreId: await chat.revert(one, { undoId, force: true }),
      }));
      assert.match(failures[0]?.reason ?? '', /can’t back the file up as it is now/);
      assert.equal(workspace.read('a.txt'), large);
    });

    it('brings back what was not saved in a notebook', async () => {
      await turn(() => workspace.write({ 'a.ipynb': '{}\n' }));
      window.unsavedNotebooks.set(workspace.file('a.ipynb'), '{"cells":"mine"}\n');
      const paths = [workspace.file('a.ipynb')];
      let isTyping = true;
      const { restored } = await undoInFiles(chat, paths, undefined, async (file, undoId) => {
        // The user types on while Backline asks.
        if (isTyping) window.unsavedNotebooks.set(file, '{"cells":"mine, too"}\n');
        isTyping = false;
        return { restoreId: await chat.revert(file, { undoId, force: true }) };
      });
      assert.equal(existsSync(paths[0] ?? ''), false);
      for (const { restoreId } of restored) await undoRestore(restoreId);
      assert.equal(workspace.read('a.ipynb'), '{"cells":"mine, too"}\n');
    });

    it('brings back files that no checkpoint has', async () => {
      workspace.write({ '.gitignore': 'ignored.txt\n' });
      await turn(() => workspace.write({ 'a.txt': 'agent\n' }));
      workspace.write({ '.gitignore': 'ignored.txt\na.txt\n' });
      const id = await undoAll();
      assert.equal(workspace.read('a.txt'), 'one\ntwo\nthree\n');
      await undoRestore(id);
      assert.equal(workspace.read('a.txt'), 'agent\n');
    });
  });
});
