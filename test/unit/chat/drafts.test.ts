import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import { BackendError } from '../../../src/session/common/sessionBackend';
import { joinDrafts } from '../../../src/chat/common/conversation/drafts';
import { SharedDraft } from '../../../src/chat/common/conversation/sharedDraft';
import type { DraftTransition } from '../../../src/chat/common/chatPorts';
import type { Draft } from '../../../src/chat/common/chatView';
import { until } from '../../support/eventually';
import { draft, outline, spoken, Window } from './support/window';

const file = { kind: 'file' as const, id: 'f', title: 'a.ts', path: '/ws/a.ts' };

describe('The draft of a conversation', () => {
  let window: Window;
  beforeEach(async () => {
    window = await Window.open();
  });
  afterEach(() => window.remove());

  /** One that was spoken in, whose agent has to be started again. */
  async function left() {
    const chat = await spoken(window);
    window.agent.last.log.end();
    await until('the loss', () => window.chats.rows[0]?.state !== 'busy' && chat.view.status === 'idle');
    return chat;
  }

  /** The agent starts; the returned function lets it, or lets it fail. */
  function starting(): (error?: Error) => void {
    const { promise, reject, resolve } = Promise.withResolvers<undefined>();
    window.agent.beforeSession = () => promise;
    return (error) => (error ? reject(error) : resolve(undefined));
  }

  async function reopened(id: string) {
    const { folder } = window;
    await window.close();
    window = await Window.open({ folder });
    return await window.chats.open(id);
  }

  it('keeps what is typed while the agent starts, after the prompt was accepted', async () => {
    const chat = await left();
    chat.saveDraft(draft('second'));
    const start = starting();
    const sent = chat.send(draft('second'));
    assert.deepEqual(chat.draft, draft(''), 'it is on its way');
    chat.saveDraft(draft('third'));
    start();
    await sent;
    assert.deepEqual(chat.draft, draft('third'));
  });

  it('puts a refused prompt before what was typed meanwhile, even without a page', async () => {
    const chat = await left();
    chat.saveDraft(draft('Ple'));
    const start = starting();
    const sent = chat.send({ text: 'Please do it', attachments: [file] }, [{ kind: 'git', id: 'g', title: 'main' }]);
    chat.saveDraft(draft('And this'));
    start(new BackendError('notReady', 'Install it first.'));
    await assert.rejects(sent, /Install it first/);
    const whole = { text: 'Please do it\nAnd this', attachments: [file] };
    assert.deepEqual(chat.draft, whole, 'without what goes along by itself');
    assert.deepEqual((await reopened(chat.id)).draft, whole);
  });

  it('reports that it was sent, and that it was restored', async () => {
    const chat = await left();
    const moves: DraftTransition[] = [];
    chat.onDidSendOrRestoreDraft((move) => moves.push(move));
    window.agent.beforeSession = () => Promise.reject(new BackendError('notReady', 'Install it first.'));
    await assert.rejects(chat.send(draft('Go')));
    assert.deepEqual(moves, [
      { kind: 'sent', draft: draft('Go') },
      { kind: 'refused', draft: draft('Go') },
    ]);
  });

  const image = (id: string): Draft['attachments'][number] => {
    const data = id.repeat(2_200_000 / id.length);
    return { kind: 'image', id: `image:${id}`, title: `${id}.png`, image: { mimeType: 'image/png', data } };
  };
  const imagesFolderOf = (id: string): string => path.join(window.folder, id, 'draftImages');

  it('keeps large images after a reload, outside of the file that the list of conversations reads', async () => {
    const chat = await left();
    chat.saveDraft(draft('old'));
    const whole: Draft = { text: 'about the pictures', attachments: [image('A'), file, image('B')] };
    chat.saveDraft(whole);
    assert.deepEqual(chat.draft, whole);
    const again = await reopened(chat.id);
    assert.deepEqual(again.draft, whole);
    const heads = await readFile(path.join(window.folder, 'heads', `${chat.id}.json`), 'utf8');
    assert.ok(heads.length < 10_000, `${heads.length} units`);
    // What another page changes does not have to name what is in them again.
    again.saveDraft({ ...whole, text: 'about two pictures' });
    await window.chats.rename(chat.id, 'Pictures');
    assert.deepEqual((await reopened(chat.id)).draft, { ...whole, text: 'about two pictures' });
    (await window.chats.open(chat.id)).saveDraft(draft('without'));
    await reopened(chat.id);
    await assert.rejects(readdir(imagesFolderOf(chat.id)), { code: 'ENOENT' });
  });

  it('keeps large images when a conversation is renamed that is not open', async () => {
    const chat = await left();
    const whole: Draft = { text: 'about the picture', attachments: [image('A')] };
    chat.saveDraft(whole);
    const { id } = chat;
    const { folder } = window;
    await window.close();
    window = await Window.open({ folder });
    await window.store.updateHead(id, { title: 'Renamed' });
    assert.deepEqual((await reopened(id)).draft, whole);
    assert.equal(window.chats.rows[0]?.title, 'Renamed');
  });

  it('keeps the rest after a reload if an image cannot be read, and names the image', async () => {
    const chat = await left();
    chat.saveDraft({ text: 'about the pictures', attachments: [image('A'), file, image('B')] });
    await window.store.search('picture');
    const [first = ''] = await readdir(imagesFolderOf(chat.id));
    await writeFile(path.join(imagesFolderOf(chat.id), first), '{"mimeType":"image/png","da');
    const again = await reopened(chat.id);
    const kept = again.draft.attachments.map(({ id }) => id);
    const missing = kept.includes('image:A') ? 'B' : 'A';
    assert.deepEqual(new Set(kept), new Set(['f', missing === 'A' ? 'image:B' : 'image:A']));
    assert.equal(again.draft.text, 'about the pictures');
    assert.ok(outline(again).some((line) => line.startsWith('notice: ') && line.includes(`${missing}.png`)));
  });

  it('is that of the window that writes the conversation', async () => {
    const chat = await window.chats.create('one');
    await chat.send(draft('Hello'));
    chat.saveDraft(draft('precious'));
    await window.store.search('Hello');
    const other = await Window.open({ folder: window.folder });
    const there = await other.chats.open(chat.id);
    assert.equal(there.view.status, 'readonly');
    there.saveDraft(draft('Hello'));
    await other.close();
    assert.deepEqual((await reopened(chat.id)).draft, draft('precious'));
  });
});

describe('joinDrafts', () => {
  const attached = { text: '', attachments: [file] };

  it('keeps drafts without text and attaches nothing twice', () => {
    assert.deepEqual(joinDrafts(attached, draft('next')), { text: 'next', attachments: [file] });
    assert.deepEqual(joinDrafts(attached, attached), attached);
    assert.deepEqual(joinDrafts(draft('one \n'), draft('two')), draft('one\ntwo'));
  });
});

describe('SharedDraft', () => {
  const [page, other] = [{}, {}];
  const held = (): SharedDraft => new SharedDraft(undefined, () => undefined, assert.ifError);

  it('ignores a late lower revision of a page', () => {
    const one = held();
    one.save(draft('newer'), { page: page, revision: 2 });
    one.save(draft('older'), { page: page, revision: 1 });
    assert.deepEqual(one.value, draft('newer'));
    one.save(draft('of another page'), { page: other, revision: 1 });
    assert.deepEqual(one.value, draft('of another page'), 'each counts for itself');
    one.save(draft('newer still'), { page: page, revision: 1 });
    assert.deepEqual(one.value, draft('newer still'), 'who writes after another one is not late');
  });

  it('keeps what was typed after the prompt that is confirmed only now', () => {
    const one = held();
    one.save(draft('next thought'), { page: page, revision: 2 });
    one.beginSend('p', draft('sent'), { page: page, revision: 1 });
    assert.deepEqual(one.value, draft('next thought'));
    one.restoreRefused('p');
    assert.deepEqual(one.value, draft('sent\nnext thought'));
  });

  it('restores a refused prompt once, and not a confirmed one', () => {
    const one = held();
    one.beginSend('p', draft('first'));
    one.beginSend('q', draft('second'));
    one.confirmSent('q');
    for (const prompt of ['p', 'p', 'q']) one.restoreRefused(prompt);
    assert.deepEqual(one.value, draft('first'));
  });

  it('moves the later text of the page that started a conversation to it, and no other text', async () => {
    const window = await Window.open();
    const chat = await window.chats.create('one');
    const one = held();
    one.save(draft('elsewhere'), { page: other, revision: 1 });
    one.moveToChat(chat, page);
    assert.deepEqual([one.value, chat.draft], [draft('elsewhere'), draft('')]);
    one.save(draft('next thought'), { page: page, revision: 2 });
    one.moveToChat(chat, page);
    assert.deepEqual([one.value, chat.draft], [draft(''), draft('next thought')]);
    await chat.send(draft('first'), [], { page: page, revision: 1 });
    assert.deepEqual(chat.draft, draft('next thought'));
    await window.remove();
  });

  it('has only the comments that were attached last', () => {
    const attachment = (id: string) => ({ kind: 'comments' as const, id, title: id });
    const joined = joinDrafts(
      { text: '', attachments: [attachment('one'), { kind: 'file', id: 'file', title: 'file' }] },
      { text: '', attachments: [attachment('two')] },
    );
    assert.deepEqual(
      joined.attachments.map(({ id }) => id),
      ['file', 'two'],
    );
    assert.deepEqual(joinDrafts(joined, joined).attachments.length, 2);
  });
});
