import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import * as path from 'node:path';
import { BackendError } from '../../../src/session/common/sessionBackend';
import { until } from '../../support/eventually';
import { a, b, RestoreBench } from './support/restoreBench';
import { draft, outline, settled } from './support/window';

describe('Forking', () => {
  let made: RestoreBench;
  beforeEach(async () => {
    made = await RestoreBench.open();
  });
  afterEach(() => made.remove());

  describe('forks the conversation', () => {
    it('with everything before the prompt, the prompt as draft, and no session', async () => {
      const chat = await made.conversation();
      const fork = await made.window.chats.fork(chat.id, made.promptOf(chat, 2));
      assert.notEqual(fork.id, chat.id);
      assert.deepEqual(fork.draft, draft('second'));
      assert.deepEqual(fork.sentPromptTexts, ['first']);
      const text = `This conversation continues “first” from before prompt 2. ${chat.view.backendTitle} starts a new session and gets a summary with your next prompt.`;
      assert.deepEqual(outline(fork), [...outline(chat).slice(0, 4), `notice: ${text}`]);
      const head = made.window.store.heads.find(({ id }) => id === fork.id);
      assert.equal(head?.forkedFrom, chat.id);
      assert.equal(head.remoteId, undefined);
      assert.equal(head.title, 'first (from prompt 2)');
      assert.deepEqual(chat.sentPromptTexts, ['first', 'second', 'third']);
      const rows = made.window.chats.rows.map(({ id }) => id);
      assert.deepEqual(new Set(rows), new Set([fork.id, chat.id]));
    });

    it('with a title of its own, which says from where, also if that is restored again', async () => {
      const chat = await made.conversation();
      const titleFrom = async (source: typeof chat, turn: number): Promise<string> =>
        (await made.window.chats.fork(source.id, made.promptOf(source, turn))).view.title;
      const fork = await made.window.chats.fork(chat.id, made.promptOf(chat, 3));
      assert.equal(fork.view.title, 'first (from prompt 3)');
      assert.equal(await titleFrom(chat, 3), 'first (from prompt 3) (2)');
      assert.equal(await titleFrom(fork, 2), 'first (from prompt 2)');
      assert.equal(await titleFrom(chat, 1), 'first (from prompt 1)');
      assert.equal(chat.view.title, 'first');
    });

    it('so that its next prompt starts a session with a summary', async () => {
      const chat = await made.conversation();
      const fork = await made.window.chats.fork(chat.id, made.promptOf(chat, 3));
      const before = made.window.agent.last;
      await fork.send(draft('other'));
      assert.notEqual(made.window.agent.last, before);
      const [summary] = made.window.agent.last.prompts[0]?.attachments ?? [];
      assert.ok(summary?.type === 'text');
      assert.match(summary.text, /User: first[^]*User: second/);
      assert.doesNotMatch(summary.text, /third/);
      made.window.agent.last.end();
      await until('the end', () => made.ends(fork) === 3);
    });

    it('before its first prompt', async () => {
      const chat = await made.conversation();
      const fork = await made.window.chats.fork(chat.id, made.promptOf(chat, 1));
      assert.deepEqual(fork.draft, draft('first'));
      assert.deepEqual(fork.sentPromptTexts, []);
      assert.deepEqual(await made.listed(fork), {});
      const again = await made.reopened(fork.id);
      assert.deepEqual(again.draft, draft('first'));
      await again.send(draft('another title'));
      assert.equal(again.view.title, 'another title');
    });

    it('without queued prompts, and with changes of a turn recorded after the prompt', async () => {
      const chat = await made.window.chats.create('one', undefined);
      await chat.send(draft('first'));
      await chat.send(draft('second'));
      await chat.send(draft('third'));
      made.editor.setFile(a, 'ONE\n');
      made.window.agent.last.end('Did it.');
      await until('the second prompt', () => chat.sentPromptTexts.length === 2);
      await settled();
      await until('its checkpoint', () => made.checkpoints.taken.length === 2);
      await settled();
      const fork = await made.window.chats.fork(chat.id, made.promptOf(chat, 2));
      assert.deepEqual(fork.view.queue, []);
      assert.deepEqual(await made.listed(fork), { [a]: 'one\n' });
      const end = [...fork.transcript.entries()].find((entry) => entry.kind === 'end');
      assert.deepEqual(end?.kind === 'end' && end.changes?.map((change) => change.path), [a]);
      await chat.stop();
    });

    it('only for an existing prompt', async () => {
      const chat = await made.conversation();
      await assert.rejects(made.window.chats.fork(chat.id, 'nothing'), { code: 'notFound' });
    });

    it('completely or not at all if the disk is full', async () => {
      const chat = await made.conversation();
      const before = await readdir(made.window.folder);
      await made.writtenToDisk(chat);
      made.disk.isFull = true;
      await assert.rejects(made.window.chats.fork(chat.id, made.promptOf(chat, 2)), {
        code: 'storage',
        message: 'The conversation could not be copied. The disk is full.',
      });
      assert.deepEqual(await readdir(made.window.folder), before);
      const heads = (await readdir(path.join(made.window.folder, 'heads'))).filter((name) => name.endsWith('.json'));
      assert.equal(heads.length, 1, 'besides a head that is being replaced');
      assert.equal(made.window.chats.rows.length, 1);
    });

    it('not while the last part of the old one is not on disk', async () => {
      const chat = await made.conversation();
      await made.writtenToDisk(chat);
      made.disk.isFull = true;
      await chat.send(draft('fourth'));
      await assert.rejects(made.window.chats.fork(chat.id, made.promptOf(chat, 2)), {
        code: 'storage',
        message: /^The disk is full\. The conversation continues in memory only/,
      });
      assert.equal(made.window.chats.rows.length, 1);
      made.disk.isFull = false;
      await chat.stop();
    });

    it('and leaves the changes to the old conversation if files are not restored', async () => {
      const chat = await made.conversation();
      const fork = await made.restorer().fork(chat, made.promptOf(chat, 3));
      assert.deepEqual(await made.listed(fork), {});
      assert.deepEqual(await made.listed(chat), { [a]: 'one\n', [b]: null });
      assert.deepEqual(await made.listed(await made.reopened(fork.id)), {});
    });
  });

  describe('continues the conversation in another one', () => {
    it('from here, in a copy of the session that the backend makes', async () => {
      const chat = await made.conversation();
      const { id } = made.window.agent.last;
      made.window.agent.fork = () => Promise.resolve('copy');
      const fork = await made.restorer().fork(chat);
      assert.deepEqual(made.window.agent.calls.at(-1), `fork ${id}`);
      assert.deepEqual([fork.sentPromptTexts, fork.draft.text], [chat.sentPromptTexts, '']);
      const head = made.window.store.heads.find((known) => known.id === fork.id);
      assert.deepEqual([head?.forkedFrom, head?.remoteId, head?.title], [chat.id, 'copy', 'Forked: first']);
      assert.match(
        outline(fork).at(-1) ?? '',
        /continues “first”, which stays as it is\. .* in a copy of its session\.$/,
      );
      await fork.send(draft('other'));
      assert.ok(made.window.agent.calls.includes('load copy'));
      assert.deepEqual(made.window.agent.last.prompts[0]?.attachments, []);
      made.window.agent.last.end();
      await until('the end', () => made.ends(fork) === 4);
      assert.deepEqual(chat.sentPromptTexts, ['first', 'second', 'third']);
    });

    it('whose changes stay with the first one, also after a restart', async () => {
      const chat = await made.conversation();
      made.window.agent.fork = () => Promise.resolve('copy');
      const fork = await made.restorer().fork(chat);
      assert.deepEqual(await made.listed(fork), {});
      assert.deepEqual(await made.listed(chat), { [a]: 'one\n', [b]: null });
      const again = await made.reopened(fork.id);
      assert.deepEqual(await made.listed(again), {});
      await again.send(draft('other'));
      assert.ok(made.window.agent.calls.includes('load copy'));
      await again.stop();
    });

    for (const [why, copy] of [
      ['cannot copy sessions', () => Promise.resolve(undefined)],
      ['refuses', () => Promise.reject(new BackendError('notFound', 'There is no such session.'))],
    ] as const) {
      it(`with a summary if the backend ${why}`, async () => {
        const chat = await made.conversation();
        const before = made.window.agent.last;
        made.window.agent.fork = copy;
        const fork = await made.restorer().fork(chat);
        assert.match(outline(fork).at(-1) ?? '', /starts a new session and gets a summary with your next prompt\.$/);
        await fork.send(draft('other'));
        assert.notEqual(made.window.agent.last, before);
        const [summary] = made.window.agent.last.prompts[0]?.attachments ?? [];
        assert.ok(summary?.type === 'text');
        assert.match(summary.text, /User: first[^]*User: third/);
        made.window.agent.last.end();
        await until('the end', () => made.ends(fork) === 4);
      });
    }

    it('which can be taken back to a prompt like any other', async () => {
      const chat = await made.conversation();
      made.window.agent.fork = () => Promise.resolve('copy');
      const fork = await made.restorer().fork(chat);
      const again = await made.window.chats.fork(fork.id, made.promptOf(fork, 2));
      assert.deepEqual([again.sentPromptTexts, again.draft.text], [['first'], 'second']);
      assert.equal(made.window.store.heads.find((known) => known.id === again.id)?.remoteId, undefined);
    });

    it('with another agent, which is given what was refused instead of what was answered', async () => {
      const chat = await made.conversation();
      const other = { backendId: made.window.store.heads[0]?.backendId ?? '', backendTitle: 'Other' };
      assert.equal((await made.restorer().fork(chat, undefined, other)).draft.text, chat.sentPromptTexts.at(-1));
      made.window.agent.last.beforePrompt = () => Promise.reject(new BackendError('backend', 'Not taken.'));
      await assert.rejects(chat.send(draft('Refused')), /Not taken/);
      assert.equal((await made.restorer().fork(chat, undefined, other)).draft.text, 'Refused');
    });

    it('with a title that no other conversation has', async () => {
      const chat = await made.conversation();
      const fork = await made.restorer().fork(chat);
      const titles = [fork, await made.restorer().fork(fork), await made.restorer().fork(chat)].map(
        ({ view }) => view.title,
      );
      assert.deepEqual(titles, ['Forked: first', 'Forked: first (2)', 'Forked: first (3)']);
      await made.window.chats.delete(fork.id);
      assert.equal((await made.restorer().fork(chat)).view.title, 'Forked: first');
    });

    it('whose copy is closed with it if it was never prompted, and not later', async () => {
      const chat = await made.conversation();
      let copies = 0;
      made.window.agent.fork = () => Promise.resolve(`copy${++copies}`);
      const { id } = await made.restorer().fork(chat);
      const prompted = await made.restorer().fork(chat);
      await prompted.send(draft('other'));
      made.window.agent.last.end();
      await until('the end', () => made.ends(prompted) === 4);
      await made.restorer().fork(chat);
      made.window.agent.calls.length = 0;
      await made.window.chats.delete(id);
      assert.deepEqual(made.window.agent.calls, ['close copy1', 'close copy1', 'delete copy1']);
      made.window.agent.calls.length = 0;
      await made.window.close();
      assert.deepEqual(made.window.agent.calls, ['close copy3']);
    });

    it('but keeps no copy of the session if there is no new conversation', async () => {
      const chat = await made.conversation();
      made.window.agent.fork = () => {
        made.disk.isFull = true;
        made.window.agent.calls.length = 0;
        return Promise.resolve('copy');
      };
      await assert.rejects(made.window.chats.fork(chat.id), { code: 'storage' });
      assert.deepEqual(made.window.agent.calls, ['close copy', 'delete copy']);
    });

    it('but not while a turn runs, or begins meanwhile', async () => {
      const chat = await made.conversation();
      const rows = made.window.chats.rows.length;
      let send: Promise<void> | undefined;
      made.window.agent.fork = () => {
        send = chat.send(draft('meanwhile'));
        return Promise.resolve('copy');
      };
      await assert.rejects(made.window.chats.fork(chat.id), { code: 'busy' });
      assert.deepEqual(made.window.agent.calls.slice(-2), ['close copy', 'delete copy']);
      await send;
      made.window.agent.calls.length = 0;
      await assert.rejects(made.window.chats.fork(chat.id), { code: 'busy' });
      assert.deepEqual([made.window.agent.calls, made.window.chats.rows.length], [[], rows]);
      made.window.agent.last.end();
      await until('the end', () => made.ends(chat) === 4);
    });
  });
});
