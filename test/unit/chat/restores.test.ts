import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import * as path from 'node:path';
import type { Chat } from '../../../src/chat/common/chatPorts';
import { FileRestorer, type ChatRestoreResult } from '../../../src/chat/common/restore/fileRestorer';
import { BackendError } from '../../../src/session/common/sessionBackend';
import { NodeFiles } from '../../../src/base/node/filePort';
import { FakeCheckpoints } from '../../fake/fakeCheckpoints';
import { FakeEditor } from '../../fake/fakeEditor';
import { until } from '../../support/eventually';
import { draft, outline, settled, Window } from './support/window';

const { signal } = new AbortController();
const a = '/ws/a.txt';
const b = '/ws/b.txt';

/** The disk is full as soon as a test says so. */
class FullDisk extends NodeFiles {
  isFull = false;

  override replace(file: string, text: string): Promise<void> {
    if (!this.isFull || !file.endsWith('log.jsonl')) return super.replace(file, text);
    return Promise.reject(Object.assign(new Error('ENOSPC'), { code: 'ENOSPC', syscall: 'write' }));
  }
}

describe('Restoring to a prompt', () => {
  let editor: FakeEditor;
  let checkpoints: FakeCheckpoints;
  let window: Window;
  let disk: FullDisk;
  beforeEach(async () => {
    editor = new FakeEditor({ [a]: 'one\n' });
    checkpoints = new FakeCheckpoints(editor);
    disk = new FullDisk();
    window = await Window.open({ editor, checkpoints, files: disk });
  });
  afterEach(() => window.remove());

  const restorer = (): FileRestorer =>
    new FileRestorer({ chats: window.chats, checkpoints, newId: () => `restore-${Math.random()}` });
  const ends = (chat: Chat): number => outline(chat).filter((line) => line.startsWith('end:')).length;

  async function turn(chat: Chat, prompt: string, files: Readonly<Record<string, string | undefined>>): Promise<void> {
    await chat.send(draft(prompt));
    for (const [file, text] of Object.entries(files)) {
      if (text === undefined) editor.deleteFile(file);
      else editor.setFile(file, text);
    }
    const before = ends(chat);
    window.agent.last.end(`Did ${prompt}.`);
    await until('the end', () => ends(chat) > before);
    await settled();
    await chat.restores.whenTurnRecorded();
  }

  /** Three prompts: the first changes a file, the second the same one, the third makes another. */
  async function conversation(): Promise<Chat> {
    const chat = await window.chats.create('one', undefined);
    await turn(chat, 'first', { [a]: 'ONE\n' });
    await turn(chat, 'second', { [a]: 'TWO\n' });
    await turn(chat, 'third', { [b]: 'new\n' });
    return chat;
  }

  function promptOf(chat: Chat, number: number): string {
    const found = [...chat.transcript.entries()].find((entry) => entry.kind === 'prompt' && entry.turn === number);
    assert.ok(found);
    return found.id;
  }

  async function restore(
    chat: Chat,
    number: number,
    { isFork = true, paths }: { isFork?: boolean; paths?: readonly string[] } = {},
  ): Promise<ChatRestoreResult> {
    const entryId = promptOf(chat, number);
    const point = await chat.restores.restorePointBefore(entryId);
    const preview = point.folders.length > 0 ? await checkpoints.planRestore(point.folders) : undefined;
    const all = preview?.changes.map((change) => change.path) ?? [...point.pathsByTurn.values()].flat();
    const request = { chat, entryId, point, preview, paths: paths ?? [...new Set(all)], refused: [], isFork };
    return await restorer().restore({ ...request, canChange: () => false }, signal);
  }

  async function undo(chat: Chat, left: readonly string[] = []): Promise<ChatRestoreResult> {
    const notice = [...chat.transcript.entries()].findLast(
      (entry) => entry.kind === 'notice' && entry.restoreId !== undefined,
    );
    assert.ok(notice?.kind === 'notice' && notice.restoreId !== undefined);
    const found = chat.restores.get(notice.restoreId);
    assert.ok(found);
    const files = await restorer().previewUndo(found, signal);
    const paths = files.paths.filter((path) => !left.includes(path));
    return await restorer().undo(chat, found, { ...files, paths, refused: [], left }, signal);
  }

  const filesNow = async (): Promise<Record<string, string>> =>
    Object.fromEntries((await editor.glob('**/*')).map((file) => [file, editor.diskText(file)]));

  async function listed(chat: Chat): Promise<Record<string, string | null | undefined>> {
    await chat.fileChanges.refresh();
    const list = chat.fileChanges.list.map(
      async (change) => [change.path, await chat.fileChanges.baseline(change.path)] as const,
    );
    return Object.fromEntries(await Promise.all(list));
  }

  const reopened = async (id: string): Promise<Chat> => {
    const { folder } = window;
    await window.close();
    window = await Window.open({ folder, editor, checkpoints });
    return await window.chats.open(id);
  };

  describe('forks the conversation', () => {
    it('with everything before the prompt, the prompt as draft, and no session', async () => {
      const chat = await conversation();
      const fork = await window.chats.fork(chat.id, promptOf(chat, 2));
      assert.notEqual(fork.id, chat.id);
      assert.deepEqual(fork.draft, draft('second'));
      assert.deepEqual(fork.history, ['first']);
      const text = `This conversation continues “first” from before prompt 2. ${chat.view.backendTitle} starts a new session and gets a summary with your next prompt.`;
      assert.deepEqual(outline(fork), [...outline(chat).slice(0, 3), `notice: ${text}`]);
      const head = window.store.heads.find(({ id }) => id === fork.id);
      assert.equal(head?.forkedFrom, chat.id);
      assert.equal(head.remoteId, undefined);
      assert.equal(head.title, 'first');
      assert.deepEqual(chat.history, ['first', 'second', 'third']);
      const rows = window.chats.rows.map(({ id }) => id);
      assert.deepEqual(new Set(rows), new Set([fork.id, chat.id]));
    });

    it('so that its next prompt starts a session with a summary', async () => {
      const chat = await conversation();
      const fork = await window.chats.fork(chat.id, promptOf(chat, 3));
      const before = window.agent.last;
      await fork.send(draft('other'));
      assert.notEqual(window.agent.last, before);
      const [summary] = window.agent.last.prompts[0]?.attachments ?? [];
      assert.ok(summary?.type === 'text');
      assert.match(summary.text, /User: first[^]*User: second/);
      assert.doesNotMatch(summary.text, /third/);
      window.agent.last.end();
      await until('the end', () => ends(fork) === 3);
    });

    it('before its first prompt', async () => {
      const chat = await conversation();
      const fork = await window.chats.fork(chat.id, promptOf(chat, 1));
      assert.deepEqual(fork.draft, draft('first'));
      assert.deepEqual(fork.history, []);
      assert.deepEqual(await listed(fork), {});
      const again = await reopened(fork.id);
      assert.deepEqual(again.draft, draft('first'));
      await again.send(draft('another title'));
      assert.equal(again.view.title, 'another title');
    });

    it('without queued prompts, and with changes of a turn recorded after the prompt', async () => {
      const chat = await window.chats.create('one', undefined);
      await chat.send(draft('first'));
      await chat.send(draft('second'));
      await chat.send(draft('third'));
      editor.setFile(a, 'ONE\n');
      window.agent.last.end('Did it.');
      await until('the second prompt', () => chat.history.length === 2);
      await settled();
      await until('its checkpoint', () => checkpoints.taken.length === 2);
      await settled();
      const fork = await window.chats.fork(chat.id, promptOf(chat, 2));
      assert.deepEqual(fork.view.queue, []);
      assert.deepEqual(await listed(fork), { [a]: 'one\n' });
      const end = [...fork.transcript.entries()].find((entry) => entry.kind === 'end');
      assert.deepEqual(end?.kind === 'end' && end.changes?.map((change) => change.path), [a]);
      await chat.stop();
    });

    it('only for an existing prompt', async () => {
      const chat = await conversation();
      await assert.rejects(window.chats.fork(chat.id, 'nothing'), { code: 'notFound' });
    });

    it('completely or not at all if the disk is full', async () => {
      const chat = await conversation();
      const before = await readdir(window.folder);
      disk.isFull = true;
      await assert.rejects(window.chats.fork(chat.id, promptOf(chat, 2)), {
        code: 'storage',
        message: 'The conversation could not be copied. The disk is full.',
      });
      assert.deepEqual(await readdir(window.folder), before);
      assert.equal((await readdir(path.join(window.folder, 'heads'))).length, 1);
      assert.equal(window.chats.rows.length, 1);
    });

    it('and leaves the changes to the old conversation if files are not restored', async () => {
      const chat = await conversation();
      const fork = await restorer().fork(chat, promptOf(chat, 3));
      assert.deepEqual(await listed(fork), {});
      assert.deepEqual(await listed(chat), { [a]: 'one\n', [b]: null });
      assert.deepEqual(await listed(await reopened(fork.id)), {});
    });
  });

  describe('continues the conversation in another one', () => {
    it('from here, in a copy of the session that the backend makes', async () => {
      const chat = await conversation();
      const { id } = window.agent.last;
      window.agent.fork = () => Promise.resolve('copy');
      const fork = await restorer().fork(chat);
      assert.deepEqual(window.agent.calls.at(-1), `fork ${id}`);
      assert.deepEqual([fork.history, fork.draft.text], [chat.history, '']);
      const head = window.store.heads.find((known) => known.id === fork.id);
      assert.deepEqual([head?.forkedFrom, head?.remoteId, head?.title], [chat.id, 'copy', 'Forked: first']);
      assert.match(
        outline(fork).at(-1) ?? '',
        /continues “first”, which stays as it is\. .* in a copy of its session\.$/,
      );
      await fork.send(draft('other'));
      assert.ok(window.agent.calls.includes('load copy'));
      assert.deepEqual(window.agent.last.prompts[0]?.attachments, []);
      window.agent.last.end();
      await until('the end', () => ends(fork) === 4);
      assert.deepEqual(chat.history, ['first', 'second', 'third']);
    });

    it('whose changes stay with the first one, also after a restart', async () => {
      const chat = await conversation();
      window.agent.fork = () => Promise.resolve('copy');
      const fork = await restorer().fork(chat);
      assert.deepEqual(await listed(fork), {});
      assert.deepEqual(await listed(chat), { [a]: 'one\n', [b]: null });
      const again = await reopened(fork.id);
      assert.deepEqual(await listed(again), {});
      await again.send(draft('other'));
      assert.ok(window.agent.calls.includes('load copy'));
      await again.stop();
    });

    for (const [why, copy] of [
      ['cannot copy sessions', () => Promise.resolve(undefined)],
      ['refuses', () => Promise.reject(new BackendError('notFound', 'There is no such session.'))],
    ] as const) {
      it(`with a summary if the backend ${why}`, async () => {
        const chat = await conversation();
        const before = window.agent.last;
        window.agent.fork = copy;
        const fork = await restorer().fork(chat);
        assert.match(outline(fork).at(-1) ?? '', /starts a new session and gets a summary with your next prompt\.$/);
        await fork.send(draft('other'));
        assert.notEqual(window.agent.last, before);
        const [summary] = window.agent.last.prompts[0]?.attachments ?? [];
        assert.ok(summary?.type === 'text');
        assert.match(summary.text, /User: first[^]*User: third/);
        window.agent.last.end();
        await until('the end', () => ends(fork) === 4);
      });
    }

    it('which can be taken back to a prompt like any other', async () => {
      const chat = await conversation();
      window.agent.fork = () => Promise.resolve('copy');
      const fork = await restorer().fork(chat);
      const again = await window.chats.fork(fork.id, promptOf(fork, 2));
      assert.deepEqual([again.history, again.draft.text], [['first'], 'second']);
      assert.equal(window.store.heads.find((known) => known.id === again.id)?.remoteId, undefined);
    });

    it('with a title that no other conversation has', async () => {
      const chat = await conversation();
      const fork = await restorer().fork(chat);
      const titles = [fork, await restorer().fork(fork), await restorer().fork(chat)].map(({ view }) => view.title);
      assert.deepEqual(titles, ['Forked: first', 'Forked: first (2)', 'Forked: first (3)']);
      await window.chats.delete(fork.id);
      assert.equal((await restorer().fork(chat)).view.title, 'Forked: first');
    });

    it('whose copy is closed with it if it was never prompted, and not later', async () => {
      const chat = await conversation();
      let copies = 0;
      window.agent.fork = () => Promise.resolve(`copy${++copies}`);
      const { id } = await restorer().fork(chat);
      const prompted = await restorer().fork(chat);
      await prompted.send(draft('other'));
      window.agent.last.end();
      await until('the end', () => ends(prompted) === 4);
      await restorer().fork(chat);
      window.agent.calls.length = 0;
      await window.chats.delete(id);
      assert.deepEqual(window.agent.calls, ['close copy1', 'close copy1', 'delete copy1']);
      window.agent.calls.length = 0;
      await window.close();
      assert.deepEqual(window.agent.calls, ['close copy3']);
    });

    it('but keeps no copy of the session if there is no new conversation', async () => {
      const chat = await conversation();
      window.agent.fork = () => {
        disk.isFull = true;
        window.agent.calls.length = 0;
        return Promise.resolve('copy');
      };
      await assert.rejects(window.chats.fork(chat.id), { code: 'storage' });
      assert.deepEqual(window.agent.calls, ['close copy', 'delete copy']);
    });

    it('but not while a turn runs, or begins meanwhile', async () => {
      const chat = await conversation();
      const rows = window.chats.rows.length;
      let send: Promise<void> | undefined;
      window.agent.fork = () => {
        send = chat.send(draft('meanwhile'));
        return Promise.resolve('copy');
      };
      await assert.rejects(window.chats.fork(chat.id), { code: 'busy' });
      assert.deepEqual(window.agent.calls.slice(-2), ['close copy', 'delete copy']);
      await send;
      window.agent.calls.length = 0;
      await assert.rejects(window.chats.fork(chat.id), { code: 'busy' });
      assert.deepEqual([window.agent.calls, window.chats.rows.length], [[], rows]);
      window.agent.last.end();
      await until('the end', () => ends(chat) === 4);
    });
  });

  describe('restores files', () => {
    it('and the conversation, with its changes before the prompt, even after a restart', async () => {
      const chat = await conversation();
      const { chat: fork, restored } = await restore(chat, 2);
      assert.deepEqual([...restored].sort(), [a, b]);
      assert.deepEqual(await filesNow(), { [a]: 'ONE\n' });
      assert.deepEqual(await listed(fork), { [a]: 'one\n' });
      assert.deepEqual(await listed(chat), {});
      assert.deepEqual(fork.draft, draft('second'));
      const { id } = chat;
      assert.deepEqual(await listed(await reopened(fork.id)), { [a]: 'one\n' });
      assert.deepEqual(await listed(await window.chats.open(id)), {});
    });

    it('and reverts everything with Undo Restore, even after a restart', async () => {
      const chat = await conversation();
      const { chat: fork } = await restore(chat, 2);
      const again = await reopened(fork.id);
      const { chat: old } = await undo(again);
      assert.equal(old.id, chat.id);
      assert.deepEqual(await filesNow(), { [a]: 'TWO\n', [b]: 'new\n' });
      assert.deepEqual(await listed(old), { [a]: 'one\n', [b]: null });
      assert.deepEqual(await listed(again), {});
      for (const one of [again, old]) {
        const notices = [...one.transcript.entries()].filter((entry) => entry.kind === 'notice');
        assert.ok(notices.every((entry) => entry.restoreId === undefined));
        assert.ok(notices.some(({ text }) => text.endsWith('The restore was undone.')));
      }
      assert.deepEqual(await listed(await reopened(chat.id)), { [a]: 'one\n', [b]: null });
    });

    for (const isFork of [true, false]) {
      it(`and brings all back after VS Code was killed in the middle of it${isFork ? ', of a new conversation' : ''}`, async () => {
        const chat = await conversation();
        const before = await filesNow();
        checkpoints.killAfter = 1;
        void restore(chat, 2, { isFork });
        await until('the end of the process', () => checkpoints.cutOff !== undefined);
        await reopened(chat.id);
        const finished = await restorer().recordFinished(await checkpoints.resume('finish'), signal);
        assert.ok(finished);
        assert.deepEqual(await filesNow(), { [a]: 'ONE\n' });
        assert.deepEqual(await listed(finished.chat), { [a]: 'one\n' });
        assert.equal(finished.chat.id === chat.id, !isFork);
        const old = await window.chats.open(chat.id);
        if (isFork) assert.deepEqual(await listed(old), {});
        const { chat: again } = await undo(finished.chat);
        assert.equal(again.id, chat.id);
        assert.deepEqual(await filesNow(), before);
        assert.deepEqual(await listed(again), { [a]: 'one\n', [b]: null });
      });
    }

    it('that were cut off without a word if their conversation was deleted', async () => {
      const chat = await conversation();
      checkpoints.killAfter = 1;
      void restore(chat, 2, { isFork: false });
      await until('the end of the process', () => checkpoints.cutOff !== undefined);
      await window.chats.delete(chat.id);
      assert.equal(await restorer().recordFinished(await checkpoints.resume('finish'), signal), undefined);
    });

    it('and can undo the rest of a restore later if some files were skipped', async () => {
      const chat = await conversation();
      const before = await filesNow();
      await restore(chat, 2, { isFork: false });
      editor.setFile(a, 'mine\n');
      await undo(chat, [a]);
      assert.deepEqual(await filesNow(), { ...before, [a]: 'mine\n' });
      await undo(chat);
      assert.deepEqual(await filesNow(), before);
      await assert.rejects(undo(chat));
    });

    it('only, and continues the same conversation', async () => {
      const chat = await conversation();
      const { chat: same } = await restore(chat, 2, { isFork: false });
      assert.equal(same, chat);
      assert.deepEqual(await filesNow(), { [a]: 'ONE\n' });
      assert.deepEqual(await listed(chat), { [a]: 'one\n' });
      const states = [...chat.transcript.entries()].flatMap((entry) =>
        entry.kind === 'end' ? (entry.changes ?? []).map(({ state }) => state) : [],
      );
      assert.deepEqual(states.slice(1), ['reverted', 'reverted']);
      // The same text again is a new change.
      await turn(chat, 'again', { [a]: 'TWO\n' });
      assert.deepEqual(await listed(chat), { [a]: 'one\n' });
      const again = await reopened(chat.id);
      assert.deepEqual(await listed(again), { [a]: 'one\n' });
      await again.revert(a);
      assert.deepEqual(await filesNow(), { [a]: 'one\n' });
    });

    it('chosen by the user, and leaves the other changes to the old conversation', async () => {
      const chat = await conversation();
      const { chat: fork } = await restore(chat, 2, { paths: [b] });
      assert.deepEqual(await filesNow(), { [a]: 'TWO\n' });
      assert.deepEqual(await listed(fork), {});
      assert.deepEqual(await listed(chat), { [a]: 'one\n' });
    });

    it('and names the skipped files', async () => {
      const chat = await conversation();
      checkpoints.unrestorable.add(a);
      const { chat: fork, restored, skipped } = await restore(chat, 2);
      assert.deepEqual(restored, [b]);
      assert.deepEqual(skipped, [{ path: a, reason: 'It was changed in the meantime.' }]);
      const notice = [...fork.transcript.entries()].at(-1);
      assert.ok(notice?.kind === 'notice');
      assert.equal(notice.text, '1 file was restored to its state before prompt 2. 1 file could not be restored.');
      assert.equal(notice.details, `${a}: It was changed in the meantime.`);
      assert.deepEqual(await listed(chat), { [a]: 'one\n' });
    });

    it('so that the agent of the new conversation is known to write the same texts again', async () => {
      const chat = await conversation();
      const { chat: fork } = await restore(chat, 2);
      await turn(fork, 'second', { [a]: 'TWO\n' });
      const end = [...fork.transcript.entries()].findLast((entry) => entry.kind === 'end');
      assert.deepEqual(end?.kind === 'end' && end.changes?.map((change) => change.path), [a]);
    });

    it('and creates no new conversation if that fails', async () => {
      const chat = await conversation();
      checkpoints.restore = () => Promise.reject(new Error('The disk is full.'));
      await assert.rejects(restore(chat, 2), /disk is full/);
      assert.equal(window.chats.rows.length, 1);
      assert.deepEqual(await listed(chat), { [a]: 'one\n', [b]: null });
    });

    it('turn by turn without checkpoints, without Undo Restore', async () => {
      checkpoints.problems = ['Git is not installed.'];
      const chat = await window.chats.create('one', undefined);
      const write = async (prompt: string, text: string): Promise<void> => {
        await chat.send(draft(prompt));
        const writer = { backendId: 'one', sessionId: window.agent.last.id };
        await window.chats.beforeWrite(writer, a);
        editor.setFile(a, text);
        await window.chats.afterWrite(writer, a);
        const before = ends(chat);
        window.agent.last.end();
        await until('the end', () => ends(chat) > before);
        await settled();
      };
      await write('first', 'ONE\n');
      await write('second', 'TWO\n');
      await write('third', 'THREE\n');
      const { chat: fork, restored, skipped } = await restore(chat, 2);
      assert.deepEqual([restored, skipped], [[a], []]);
      assert.equal(editor.diskText(a), 'ONE\n');
      assert.deepEqual(await listed(fork), { [a]: 'one\n' });
      assert.deepEqual(await listed(chat), {});
      const notices = [...fork.transcript.entries()].filter((entry) => entry.kind === 'notice');
      assert.ok(notices.every((entry) => entry.restoreId === undefined));
    });
  });
});
