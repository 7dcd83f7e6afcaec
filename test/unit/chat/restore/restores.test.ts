import assert from 'node:assert/strict';
import type { Chat } from '../../../../src/chat/common/chatPorts';
import { undoInFiles } from '../../../../src/chat/common/restore/undoChanges';
import { until } from '../../../support/eventually';
import { a, b, RestoreBench } from '../support/restoreBench';
import { draft, outline, settled } from '../support/window';

const { signal } = new AbortController();

describe('Restoring to a prompt', () => {
  let made: RestoreBench;
  beforeEach(async () => {
    made = await RestoreBench.open();
  });
  afterEach(() => made.remove());

  describe('restores files', () => {
    it('and the conversation, with its changes before the prompt, even after a restart', async () => {
      const chat = await made.conversation();
      const { chat: fork, restored } = await made.restore(chat, 2);
      assert.deepEqual([...restored].sort(), [a, b]);
      assert.deepEqual(await made.filesNow(), { [a]: 'ONE\n' });
      assert.deepEqual(await made.listed(fork), { [a]: 'one\n' });
      assert.deepEqual(await made.listed(chat), {});
      assert.deepEqual(fork.draft, draft('second'));
      const { id } = chat;
      assert.deepEqual(await made.listed(await made.reopened(fork.id)), { [a]: 'one\n' });
      assert.deepEqual(await made.listed(await made.window.chats.open(id)), {});
    });

    it('and reverts everything with Undo Restore, even after a restart', async () => {
      const chat = await made.conversation();
      const { chat: fork } = await made.restore(chat, 2);
      const again = await made.reopened(fork.id);
      const { chat: old } = await made.undo(again);
      assert.equal(old.id, chat.id);
      assert.deepEqual(await made.filesNow(), { [a]: 'TWO\n', [b]: 'new\n' });
      assert.deepEqual(await made.listed(old), { [a]: 'one\n', [b]: null });
      assert.deepEqual(await made.listed(again), {});
      for (const one of [again, old]) {
        const notices = [...one.transcript.entries()].filter((entry) => entry.kind === 'notice');
        assert.ok(notices.every((entry) => entry.restoreId === undefined));
        assert.ok(notices.some(({ text }) => text.endsWith('The restore was undone.')));
      }
      assert.deepEqual(await made.listed(await made.reopened(chat.id)), { [a]: 'one\n', [b]: null });
    });

    for (const isFork of [true, false]) {
      it(`and brings all back after VS Code was killed in the middle of it${isFork ? ', of a new conversation' : ''}`, async () => {
        const chat = await made.conversation();
        const before = await made.filesNow();
        made.checkpoints.killAfter = 1;
        void made.restore(chat, 2, { isFork });
        await until('the end of the process', () => made.checkpoints.cutOff !== undefined);
        await made.reopened(chat.id);
        const finished = await made.restorer().recordFinished(await made.checkpoints.resume('finish'), signal);
        assert.ok(finished);
        assert.deepEqual(await made.filesNow(), { [a]: 'ONE\n' });
        assert.deepEqual(await made.listed(finished.chat), { [a]: 'one\n' });
        assert.equal(finished.chat.id === chat.id, !isFork);
        const old = await made.window.chats.open(chat.id);
        if (isFork) assert.deepEqual(await made.listed(old), {});
        const { chat: again } = await made.undo(finished.chat);
        assert.equal(again.id, chat.id);
        assert.deepEqual(await made.filesNow(), before);
        assert.deepEqual(await made.listed(again), { [a]: 'one\n', [b]: null });
      });
    }

    it('that were cut off without a word if their conversation was deleted', async () => {
      const chat = await made.conversation();
      made.checkpoints.killAfter = 1;
      void made.restore(chat, 2, { isFork: false });
      await until('the end of the process', () => made.checkpoints.cutOff !== undefined);
      await made.window.chats.delete(chat.id);
      assert.equal(await made.restorer().recordFinished(await made.checkpoints.resume('finish'), signal), undefined);
    });

    it('and can undo the rest of a restore later if some files were skipped', async () => {
      const chat = await made.conversation();
      const before = await made.filesNow();
      await made.restore(chat, 2, { isFork: false });
      made.editor.setFile(a, 'mine\n');
      await made.undo(chat, [a]);
      assert.deepEqual(await made.filesNow(), { ...before, [a]: 'mine\n' });
      await made.undo(chat);
      assert.deepEqual(await made.filesNow(), before);
      const notice = [...chat.transcript.entries()].findLast(({ kind }) => kind === 'notice');
      assert.match(notice?.kind === 'notice' ? notice.text : '', /has replaced later changes in 1 file\.$/);
      await made.undo(chat);
      assert.deepEqual(await made.filesNow(), { ...before, [a]: 'mine\n' });
      await assert.rejects(made.undo(chat));
    });

    it('only, and continues the same conversation', async () => {
      const chat = await made.conversation();
      const { chat: same } = await made.restore(chat, 2, { isFork: false });
      assert.equal(same, chat);
      assert.deepEqual(await made.filesNow(), { [a]: 'ONE\n' });
      assert.deepEqual(await made.listed(chat), { [a]: 'one\n' });
      const states = [...chat.transcript.entries()].flatMap((entry) =>
        entry.kind === 'end' ? (entry.changes ?? []).map(({ state }) => state) : [],
      );
      assert.deepEqual(states.slice(1), ['reverted', 'reverted']);
      // The same text again is a new change.
      await made.turn(chat, 'again', { [a]: 'TWO\n' });
      assert.deepEqual(await made.listed(chat), { [a]: 'one\n' });
      const again = await made.reopened(chat.id);
      assert.deepEqual(await made.listed(again), { [a]: 'one\n' });
      await again.revert(a);
      assert.deepEqual(await made.filesNow(), { [a]: 'one\n' });
    });

    for (const isFork of [true, false]) {
      it(`to a prompt that has joined a turn, in the middle of it${isFork ? ', in a new conversation' : ''}`, async () => {
        const chat = await made.conversation();
        const entryId = await made.steer(chat, {
          before: { [a]: 'HALF\n' },
          after: { [a]: 'WHOLE\n', [b]: 'newer\n' },
        });
        await made.turn(chat, 'last', { [b]: 'newest\n' });
        const opened = await made.reopened(chat.id);
        const point = await opened.restores.restorePointBefore(entryId);
        assert.deepEqual([point.draft, point.isInTurn, point.turn], [draft('steered'), true, 4]);
        const { chat: restored } = await made.restoreEntry(opened, entryId, { isFork });
        assert.deepEqual(await made.filesNow(), { [a]: 'HALF\n', [b]: 'new\n' });
        assert.deepEqual(await made.listed(restored), { [a]: 'one\n', [b]: null });
        if (!isFork) return;
        assert.deepEqual(restored.draft, draft('steered'));
        assert.deepEqual(
          outline(restored)
            .filter((line) => line !== 'tool')
            .slice(-5),
          [
            'prompt: fourth',
            'answer: Half. ',
            'end: cancelled',
            'notice: This conversation continues “first” from within turn 4. Agent one starts a new session and gets a summary with your next prompt.',
            'notice: 2 files were restored to their state within turn 4.',
          ],
        );
        const { chat: old } = await made.undo(restored);
        assert.deepEqual(await made.filesNow(), { [a]: 'WHOLE\n', [b]: 'newest\n' });
        assert.equal(old.id, chat.id);
      });
    }

    it('chosen by the user, and leaves the other changes to the old conversation', async () => {
      const chat = await made.conversation();
      const { chat: fork } = await made.restore(chat, 2, { paths: [b] });
      assert.deepEqual(await made.filesNow(), { [a]: 'TWO\n' });
      assert.deepEqual(await made.listed(fork), {});
      assert.deepEqual(await made.listed(chat), { [a]: 'one\n' });
    });

    it('and names the skipped files', async () => {
      const chat = await made.conversation();
      made.checkpoints.unrestorable.add(a);
      const { chat: fork, restored, skipped } = await made.restore(chat, 2);
      assert.deepEqual(restored, [b]);
      assert.deepEqual(skipped, [{ path: a, reason: 'It was changed in the meantime.' }]);
      const notice = [...fork.transcript.entries()].at(-1);
      assert.ok(notice?.kind === 'notice');
      assert.equal(notice.text, '1 file was restored to its state before prompt 2. 1 file could not be restored.');
      assert.equal(notice.details, `${a}: It was changed in the meantime.`);
      assert.deepEqual(await made.listed(chat), { [a]: 'one\n' });
    });

    it('so that the agent of the new conversation is known to write the same texts again', async () => {
      const chat = await made.conversation();
      const { chat: fork } = await made.restore(chat, 2);
      await made.turn(fork, 'second', { [a]: 'TWO\n' });
      const end = [...fork.transcript.entries()].findLast((entry) => entry.kind === 'end');
      assert.deepEqual(end?.kind === 'end' && end.changes?.map((change) => change.path), [a]);
    });

    it('and creates no new conversation if that fails', async () => {
      const chat = await made.conversation();
      made.checkpoints.restore = () => Promise.reject(new Error('The disk is full.'));
      await assert.rejects(made.restore(chat, 2), /disk is full/);
      assert.equal(made.window.chats.rows.length, 1);
      assert.deepEqual(await made.listed(chat), { [a]: 'one\n', [b]: null });
    });

    it('turn by turn without checkpoints, without Undo Restore', async () => {
      made.checkpoints.problems = ['Git is not installed.'];
      const chat = await made.window.chats.create('one', undefined);
      const write = async (prompt: string, text: string): Promise<void> => {
        await chat.send(draft(prompt));
        const writer = { backendId: 'one', sessionId: made.window.agent.last.id };
        await made.window.chats.beforeWrite(writer, a);
        made.editor.setFile(a, text);
        await made.window.chats.afterWrite(writer, a);
        const before = made.ends(chat);
        made.window.agent.last.end();
        await until('the end', () => made.ends(chat) > before);
        await settled();
      };
      await write('first', 'ONE\n');
      await write('second', 'TWO\n');
      await write('third', 'THREE\n');
      const { chat: fork, restored, skipped } = await made.restore(chat, 2);
      assert.deepEqual([restored, skipped], [[a], []]);
      assert.equal(made.editor.diskText(a), 'ONE\n');
      assert.deepEqual(await made.listed(fork), { [a]: 'one\n' });
      assert.deepEqual(await made.listed(chat), {});
      const notices = [...fork.transcript.entries()].filter((entry) => entry.kind === 'notice');
      assert.ok(notices.every((entry) => entry.restoreId === undefined));
    });
  });

  describe('undoes the changes of several files', () => {
    const undo = async (chat: Chat): Promise<Awaited<ReturnType<typeof undoInFiles>>> =>
      await undoInFiles(chat, [a, b], undefined, async (file, undoId) => ({
        restoreId: await chat.revert(file, { undoId, force: true }),
      }));

    it('with one checkpoint before and one after, also if a command may have made them', async () => {
      const chat = await made.conversation();
      const before = made.checkpoints.taken.length;
      assert.deepEqual((await undo(chat)).failures, []);
      assert.deepEqual(await made.filesNow(), { [a]: 'one\n' });
      assert.equal(made.checkpoints.taken.length - before, 2);
      await made.undo(chat);
      assert.deepEqual(await made.filesNow(), { [a]: 'TWO\n', [b]: 'new\n' });
    });

    it('so that they come back from their texts when the checkpoint was removed', async () => {
      const chat = await made.conversation();
      await undo(chat);
      made.checkpoints.forget();
      await made.undo(chat);
      assert.deepEqual(await made.filesNow(), { [a]: 'TWO\n', [b]: 'new\n' });
    });

    it('not if that can’t be written down before, and then there is nothing to undo', async () => {
      const chat = await made.conversation();
      made.disk.isFull = true;
      await assert.rejects(undo(chat), { code: 'storage' });
      assert.deepEqual(await made.filesNow(), { [a]: 'TWO\n', [b]: 'new\n' });
      assert.equal(chat.restores.last, undefined);
    });
  });
});
