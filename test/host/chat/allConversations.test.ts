import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { toDisposable, type Disposable } from '../../../src/base/common/disposable';
import { Emitter } from '../../../src/base/common/event';
import type { ConversationRow } from '../../../src/chat/common/chatView';
import type { ConversationSource } from '../../../src/chat/common/conversationSource';
import { commandIds, type CommandId } from '../../../src/manifest';
import { FakeClock } from '../../fake/fakeClock';
import { eventually } from '../../support/eventually';
import { ConversationsPageUnderTest, ConversationsUnderTest } from '../support/conversations';
import { closeAll } from '../support/workspace';

const throwIt = (error: unknown): never => {
  throw error;
};

/** Threads of another program, which notes what is asked of it. */
class FakeSource implements ConversationSource {
  readonly id = 'threads';
  readonly asked: string[] = [];
  readonly emitter = new Emitter<void>(throwIt);
  readonly onDidChange = this.emitter.event;
  stored = [this.row('threads:1', 'Old thread')];

  row(id: string, title: string): ConversationRow {
    return { id, title, backendId: 'amp', backendTitle: 'Amp', updatedAt: 1, state: 'idle', source: this.id };
  }

  show(): Disposable {
    return toDisposable(() => undefined);
  }

  rows(): Promise<readonly ConversationRow[]> {
    this.asked.push('rows');
    return Promise.resolve(this.stored);
  }

  search(query: string): ReturnType<ConversationSource['search']> {
    return Promise.resolve(this.stored.map((row) => ({ row: { ...row, snippet: query }, entryId: 'e1' })));
  }

  open(id: string, entryId?: string): Promise<void> {
    this.asked.push(`open ${id} ${entryId ?? ''}`);
    return Promise.resolve();
  }

  export(id: string): Promise<void> {
    this.asked.push(`export ${id}`);
    return Promise.resolve();
  }
}

describe('the list of all conversations', () => {
  const source = new FakeSource();
  let subject: ConversationsUnderTest;

  beforeEach(async () => {
    source.asked.splice(0);
    subject = await ConversationsUnderTest.start([source]);
  });
  afterEach(async () => {
    await subject.dispose();
    await closeAll();
  });

  const run = (id: CommandId): Promise<unknown> => Promise.resolve(subject.handlers.get(id)?.());
  const idsIn = ({ updates }: ConversationsPageUnderTest): readonly string[] =>
    updates.flatMap(({ rows = [] }) => rows.map(({ id }) => id));

  it('is sent as a whole to a page that comes, and then only as far as it changes', async () => {
    const { chats } = subject.chat;
    chats.add('one');
    chats.add('two');
    const page = await subject.view();
    assert.equal(page.updates[0]?.isComplete, true);
    await eventually('the rows of the source', () => assert.ok(idsIn(page).includes('threads:1')));
    assert.deepEqual([...idsIn(page)].sort(), ['one', 'threads:1', 'two']);

    page.updates.splice(0);
    chats.add('one', 'waiting');
    await eventually('the row that waits', () => assert.deepEqual(idsIn(page), ['one']));
    assert.deepEqual(page.updates, [{ rows: [chats.rows[0]] }]);

    page.updates.splice(0);
    await chats.delete('two');
    await eventually('the row that is gone', () => assert.deepEqual(page.updates, [{ removed: ['two'] }]));
  });

  it('is loaded again if its page does not respond, but not over and over', async () => {
    const clock = new FakeClock();
    await subject.dispose();
    subject = await ConversationsUnderTest.start([source], clock);
    const page = new ConversationsPageUnderTest();
    subject.subject.pages.fillView(page.asView);
    const loaded = (times: number) => eventually('the page', () => assert.equal(page.loads, times));
    await loaded(1);
    for (const times of [2, 2]) {
      clock.advance(20_000);
      await loaded(times);
    }
    await page.ask('alive');
    clock.advance(20_000);
    await loaded(3);
  });

  it('is sent one change at a time, and the newest state then', async () => {
    const { chats } = subject.chat;
    const page = await subject.view();
    page.confirmsShown = false;
    chats.add('one');
    await eventually('the first change', () => assert.deepEqual(idsIn(page).filter((id) => id === 'one').length, 1));
    const before = page.updates.length;
    for (const state of ['busy', 'waiting', 'busy', 'idle'] as const) chats.add('one', state);
    chats.add('two');
    await page.ask('search', { query: '' });
    assert.equal(page.updates.length, before, 'nothing before the page has shown what it has');
    page.confirmsShown = true;
    await page.ask('shown');
    await eventually('the rest at once', () => assert.equal(page.updates.length, before + 1));
    assert.deepEqual(
      page.updates
        .at(-1)
        ?.rows?.map(({ id }) => id)
        .sort(),
      ['two'],
    );
  });

  it('is not sent to a page that is hidden, whose sources are not read either', async () => {
    const { chats } = subject.chat;
    const page = await subject.view();
    await eventually('the rows of the source', () => assert.ok(idsIn(page).includes('threads:1')));
    const document = await vscode.workspace.openTextDocument({ content: 'text' });
    await vscode.window.showTextDocument(document);
    await eventually('a hidden page', () => assert.equal(page.panel.visible, false));
    source.asked.splice(0);
    page.updates.splice(0);
    chats.add('one');
    source.stored = [source.row('threads:2', 'New thread')];
    source.emitter.fire();
    assert.deepEqual(source.asked, []);
    page.panel.reveal();
    await eventually('the page again', () => assert.equal(page.loads, 2));
    await page.ask('ready');
    await eventually('the rows', () => assert.ok(idsIn(page).includes('threads:2')));
    assert.ok(page.updates.some(({ isComplete }) => isComplete));
    assert.ok(idsIn(page).includes('one'));
  });

  it('is one tab for a window, which is restored, and shown again by its command', async () => {
    const isThere = (): Promise<void> => eventually('the tab', () => assert.deepEqual(subject.tabs, ['Conversations']));
    await run(commandIds.conversationsOpenInTab);
    await isThere();
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ content: 'text' }));
    await run(commandIds.conversationsOpenInTab);
    await isThere();
    await closeAll();
    const restored = await subject.tab(vscode.ViewColumn.One);
    assert.equal(restored.latest('isComplete'), true);
    const another = await vscode.workspace.openTextDocument({ content: 'text' });
    await vscode.window.showTextDocument(another);
    await run(commandIds.conversationsOpenInTab);
    await eventually('the tab in front', () => assert.ok(restored.panel.active));
    await run(commandIds.conversationsSearch);
    await restored.ask('ready');
    await eventually('the command', () =>
      assert.deepEqual(restored.told.at(-1), { method: 'conversations/didAsk', params: { what: 'search' } }),
    );
  });

  it('opens a conversation in the chat, at an entry if it is found there, and a thread by its source', async () => {
    const { chat } = subject;
    const view = await chat.view();
    chat.chats.add('one');
    const page = await subject.view(vscode.ViewColumn.Two);
    await page.ask('open', { sessionId: 'one', entryId: 'e7' });
    await eventually('it in the chat', () => assert.equal(view.latest('session')?.id, 'one'));
    await eventually('the entry', () =>
      assert.deepEqual(view.told.at(-1), {
        method: 'chat/didRequestEntry',
        params: { sessionId: 'one', entryId: 'e7' },
      }),
    );
    await eventually('what the chat shows', () => assert.equal(page.latest('shown'), 'one'));
    await page.ask('open', { sessionId: 'threads:1', entryId: 'e1' });
    await page.ask('export', { sessionId: 'threads:1', format: 'html' });
    assert.deepEqual(source.asked.slice(-2), ['open threads:1 e1', 'export threads:1']);
  });

  it('opens a conversation in its tab at an entry, which its page is told when it has the conversation', async () => {
    const { chat } = subject;
    chat.chats.add('one');
    const page = await subject.view(vscode.ViewColumn.One);
    const tab = await chat.tab('one', vscode.ViewColumn.Two);
    await page.ask('openInTab', { sessionId: 'one', entryId: 'e7' });
    await eventually('the entry', () =>
      assert.deepEqual(tab.told.at(-1), {
        method: 'chat/didRequestEntry',
        params: { sessionId: 'one', entryId: 'e7' },
      }),
    );
    assert.equal(tab.latest('session')?.id, 'one');
  });

  it('has the badge when the view is there, also from before', async () => {
    const badge = { value: 2, tooltip: 'Two' };
    assert.equal(subject.subject.pages.hasView, false);
    subject.subject.pages.setBadge(badge);
    const page = await subject.view();
    assert.deepEqual([page.badge, subject.subject.pages.hasView, subject.viewChanges], [badge, true, 1]);
    page.panel.dispose();
    assert.deepEqual([subject.subject.pages.hasView, subject.viewChanges], [false, 2]);
  });

  it('renames a conversation, but not to nothing', async () => {
    const { chats } = subject.chat;
    const chat = chats.add('one');
    const page = await subject.view();
    await page.ask('rename', { sessionId: 'one', title: '  Shorter  ' });
    assert.equal(chat.view.title, 'Shorter');
    await assert.rejects(page.ask('rename', { sessionId: 'one', title: '  ' }), /Enter a title/);
  });

  it('asks before a conversation of another folder is continued here, also in another one', async () => {
    const { chat } = subject;
    chat.chats.add('one');
    chat.chats.rows = chat.chats.rows.map((row) => ({ ...row, elsewhere: { folder: '/else', isGone: false } }));
    chat.chosenIndex = 0;
    const page = await subject.view();
    for (const name of ['open', 'fork', 'continueWith', 'openInTab']) await page.ask(name, { sessionId: 'one' });
    assert.equal(chat.choices.length, 4);
    assert.equal(chat.chats.rows.length, 1, 'none was made');
    chat.chats.rows = chat.chats.rows.map((row) => ({ ...row, elsewhere: { folder: '/else', isGone: true } }));
    await assert.rejects(
      page.ask('openInNewWindow', { sessionId: 'one' }),
      /folder of this conversation was not found/,
    );
  });

  it('goes on when a page does not say that it has shown something', async () => {
    const { chats } = subject.chat;
    const page = await subject.view();
    page.confirmsShown = false;
    chats.add('one');
    await eventually('the first change', () => assert.ok(idsIn(page).includes('one')));
    chats.add('two');
    await eventually('the next one', () => assert.ok(idsIn(page).includes('two')));
  });

  it('finds what Backline stores and what the sources have', async () => {
    subject.chat.chats.add('one');
    source.stored = [source.row('threads:1', 'Old thread')];
    const page = await subject.view();
    const { found } = await page.ask('search', { query: 'Chat' });
    assert.deepEqual(found, [
      { row: subject.chat.chats.rows[0] },
      { row: { ...source.stored[0], snippet: 'Chat' }, entryId: 'e1' },
    ]);
  });

  it('does what it can with several, and says in one message what it could not do', async () => {
    const { chats } = subject.chat;
    for (const id of ['one', 'two']) chats.add(id);
    const page = await subject.view();
    await eventually('the rows of the source', () => assert.ok(idsIn(page).includes('threads:1')));
    await assert.rejects(
      page.ask('setPinned', { sessionIds: ['one', 'threads:1', 'two'], isPinned: true }),
      /^Error: 1 conversation could not be pinned\. “Old thread”: Amp keeps this conversation\. It can’t be changed here\.$/,
    );
    await page.ask('setArchived', { sessionIds: ['one'], isArchived: true });
    assert.deepEqual(chats.marked, [
      ['one', { isPinned: true }],
      ['two', { isPinned: true }],
      ['one', { isArchived: true }],
    ]);
    for (const name of ['rename', 'fork', 'continueWith', 'review', 'goToWindow', 'openInNewWindow', 'locateFolder'])
      await assert.rejects(page.ask(name, { sessionId: 'threads:1', title: 'New' }), /can’t be changed here/, name);
    await assert.rejects(page.ask('delete', { sessionIds: ['threads:1'] }), /can’t be changed here/);
    await assert.rejects(page.ask('stop', { sessionIds: ['gone'] }), /no longer there/);
  });
});
