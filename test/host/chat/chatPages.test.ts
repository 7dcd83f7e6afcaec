import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import { nullLogger } from '../../../src/base/common/log';
import { systemClock } from '../../../src/base/node/systemClock';
import type { ApprovalView, BackendView } from '../../../src/chat/common/chatView';
import { ChatNotices } from '../../../src/chat/common/marks/chatNotices';
import { chatMarks } from '../../../src/chat/common/marks/chatMarks';
import { ApprovalWatch } from '../../../src/chat/common/marks/approvalWatch';
import { createNoticeBoard } from '../../../src/platform/vscode/messages';
import { ChatUnderTest, type PageUnderTest } from '../support/chat';
import { eventually } from '../../support/eventually';
import { closeAll, inWorkspace, show, writeInWorkspace } from '../support/workspace';

describe('the pages of the chat', () => {
  let subject: ChatUnderTest;

  beforeEach(async () => {
    subject = await ChatUnderTest.start();
  });
  afterEach(async () => {
    await subject.dispose();
    await closeAll();
  });

  const shownIn = (page: PageUnderTest, id: string): Promise<void> =>
    eventually(`${id} on the page`, () => assert.equal(page.latest('session')?.id, id));

  it('begin a conversation with the first prompt, and remember it for the next time', async () => {
    const page = await subject.view();
    assert.equal(page.latest('session'), null);
    await eventually('the backend', () => assert.equal(page.latest('chosenBackend'), 'demo-agent'));
    await page.ask('send', { revision: 1, text: 'hello', attachments: [] });
    await shownIn(page, 'new-1');
    assert.deepEqual(subject.chats.opened.get('new-1')?.sent, [{ text: 'hello', attachments: [] }]);
    page.panel.dispose();
    const again = await subject.view();
    // The view was thrown away and made anew.
    await shownIn(again, 'new-1');
  });

  it('edit a prompt that goes back to the input box because its agent was stopped for that', async () => {
    const page = await subject.view();
    const chat = subject.chats.add('one');
    await page.ask('openSession', { sessionId: 'one' });
    const add = (): void => {
      chat.change({ status: 'busy', isBusy: true });
      chat.transcript.put({ kind: 'prompt', id: 'joined', turn: 1, at: 1, text: 'Also this', isSteered: true });
    };
    chat.onStop = () => {
      chat.change({ status: 'idle', isBusy: false });
      chat.transcript.remove('joined');
    };
    const edit = (): Promise<unknown> => page.ask('editAndResend', { sessionId: 'one', entryId: 'joined' });
    add();
    await edit();
    assert.deepEqual(
      subject.questions.map(({ action }) => action),
      ['Stop Agent'],
    );
    assert.equal(chat.transcript.get('joined'), undefined);
    await assert.rejects(edit(), /no longer there/, 'it was gone before');
    add();
    chat.onStop = () => chat.change({ status: 'idle', isBusy: false });
    await assert.rejects(edit(), /no longer there/, 'the restore is tried');
  });

  it('begin a conversation with a prompt that comes before the agents are listed', async () => {
    const listed = Promise.withResolvers<readonly BackendView[]>();
    subject.chats.backends = () => listed.promise;
    const page = await subject.view();
    assert.equal(page.latest('chosenBackend'), undefined);
    await page.ask('saveDraft', { revision: 1, text: 'hello', attachments: [] });
    assert.equal(subject.window.newDraft.value.text, 'hello');
    const sent = page.ask('send', { revision: 2, text: 'hello', attachments: [] });
    await eventually('the prompt on its way', () => assert.equal(subject.window.newDraft.value.text, ''));
    listed.resolve(subject.chats.views);
    await sent;
    await shownIn(page, 'new-1');
  });

  it('keep nothing but the prompt of a conversation that could not begin', async () => {
    const page = await subject.view();
    await eventually('the backend', () => assert.equal(page.latest('chosenBackend'), 'demo-agent'));
    subject.chats.onSend = () => Promise.reject(new Error('There is no such program.'));
    const draft = { text: 'precious', attachments: [] };
    await assert.rejects(page.ask('send', { revision: 1, ...draft }), /no such program/);
    assert.equal(page.latest('session'), null, 'told before the answer');
    assert.deepEqual(page.latest('draft'), draft);
    assert.deepEqual(subject.chats.rows, []);
  });

  it('begin no conversation over the new one that was asked for meanwhile', async () => {
    const page = await subject.view();
    await eventually('the backend', () => assert.equal(page.latest('chosenBackend'), 'demo-agent'));
    const made = Promise.withResolvers<undefined>();
    subject.chats.beforeOpening = () => made.promise;
    const sent = page.ask('send', { revision: 1, text: 'hello', attachments: [] });
    await page.ask('newSession');
    await page.ask('saveDraft', { revision: 2, text: 'next', attachments: [] });
    made.resolve(undefined);
    await sent;
    assert.equal(page.latest('session'), null);
    assert.equal(subject.pages.activePage?.chat, undefined);
    assert.equal(subject.window.newDraft.value.text, 'next', 'it is the draft of the new one');
    const begun = subject.chats.opened.get('new-1');
    assert.deepEqual([begun?.sent.length, begun?.draft.text], [1, '']);
  });

  it('open no conversation over the new one that was asked for meanwhile', async () => {
    const page = await subject.view();
    subject.chats.add('one');
    const opened = Promise.withResolvers<undefined>();
    subject.chats.beforeOpening = () => opened.promise;
    const opening = page.ask('openSession', { sessionId: 'one' });
    await page.ask('newSession');
    opened.resolve(undefined);
    await opening;
    assert.equal(subject.pages.activePage?.chat, undefined);
  });

  it('leave what is begun in the view while it is shown for a new conversation', async () => {
    const page = await subject.view();
    subject.chats.add('one');
    await page.ask('openSession', { sessionId: 'one' });
    const shown = (): string | undefined => subject.pages.viewPage?.chat?.id;
    const revealed = subject.pages.revealEmpty();
    assert.equal(shown(), undefined, 'at once');
    const opened = page.ask('openSession', { sessionId: 'one' });
    await Promise.all([revealed, opened]);
    assert.equal(shown(), 'one');
  });

  it('keep with the conversation what was typed before they knew that their prompt has begun it', async () => {
    const page = await subject.view();
    await eventually('the backend', () => assert.equal(page.latest('chosenBackend'), 'demo-agent'));
    await page.ask('send', { revision: 1, text: 'hello', attachments: [] });
    await page.ask('saveDraft', { revision: 2, text: 'next thought', attachments: [] });
    assert.equal(subject.chats.opened.get('new-1')?.draft.text, 'next thought');
    await page.ask('newSession');
    await eventually('an empty page', () => assert.equal(page.latest('session'), null));
    assert.equal(page.latest('draft')?.text, '');
    await page.ask('saveDraft', { revision: 3, text: 'another one', attachments: [] });
    await page.ask('openSession', { sessionId: 'new-1' });
    await page.ask('saveDraft', { revision: 4, text: 'another one here', attachments: [] });
    assert.equal(subject.chats.opened.get('new-1')?.draft.text, 'next thought');
  });

  it('keep what is typed when they are thrown away', async () => {
    const page = await subject.view();
    await page.ask('saveDraft', { revision: 1, text: 'half a thought', attachments: [] });
    page.panel.dispose();
    const again = await subject.view();
    assert.equal(again.latest('draft')?.text, 'half a thought');
    const chat = subject.chats.add('one');
    await again.ask('openSession', { sessionId: 'one' });
    await again.ask('saveDraft', { sessionId: 'one', revision: 1, text: 'to one', attachments: [] });
    assert.equal(chat.draft.text, 'to one');
  });

  it('mark an attached file that is deleted, and mark it no more when it is back', async () => {
    const file = await writeInWorkspace('attached.ts', 'export {};');
    const page = await subject.view();
    const id = `file:${file}`;
    const draft = { text: '', attachments: [{ kind: 'file', id, title: 'attached.ts', path: file }] };
    await page.ask('saveDraft', { revision: 1, ...draft });
    assert.deepEqual(page.latest('missing'), []);
    await vscode.workspace.fs.delete(vscode.Uri.file(file));
    await eventually('the mark', () => assert.deepEqual(page.latest('missing'), [id]));
    await writeInWorkspace('attached.ts', 'export {};');
    await eventually('no mark', () => assert.deepEqual(page.latest('missing'), []));
  });

  // VS Code says of a file that is soon back after it was deleted that it has changed, and no more.
  it('look for attached files again when VS Code has told of a change only', async () => {
    const other = await writeInWorkspace('changed.ts', 'export {};');
    // VS Code watches nothing there.
    const file = await writeInWorkspace('.hg/store/soonBack.ts', 'export {};');
    const page = await subject.view();
    const id = `file:${file}`;
    const draft = { text: '', attachments: [{ kind: 'file', id, title: 'soonBack.ts', path: file }] };
    // What VS Code tells of the files that were written is no news any more.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    await rm(file);
    await page.ask('saveDraft', { revision: 1, ...draft });
    await eventually('the mark', () => assert.deepEqual(page.latest('missing'), [id]));
    await writeFile(file, 'export {};');
    await writeFile(other, 'export const changed = true;');
    await eventually('no mark', () => assert.deepEqual(page.latest('missing'), []));
  });

  it('show what is said in a few posts, however many events it comes in', async () => {
    const chat = subject.chats.add('one');
    chat.say({ kind: 'answer', id: 'a', turn: 1, text: '', streaming: true });
    const page = await subject.tab('one');
    page.updates.splice(0);
    const startedAt = Date.now();
    for (let index = 0; index < 500; index++) {
      chat.transcript.append('a', 'x');
      // As words of an agent come: the page draws in between.
      if (index % 50 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const text = (): string =>
      page.updates
        .flatMap(({ transcript }) => transcript?.append ?? [])
        .map((part) => part.text)
        .join('');
    await eventually('all of it', () => assert.equal(text().length, 500));
    // What was posted before may come late, and says nothing of the text.
    const posts = page.updates.filter(({ transcript }) => transcript !== undefined);
    assert.ok(posts.length <= (Date.now() - startedAt) / 16 + 1, `${posts.length} posts`);
  });

  it('are told nothing while they are hidden, and everything when they are back', async () => {
    const chat = subject.chats.add('one');
    const page = await subject.tab('one');
    assert.notEqual(chat.visibility, 'hidden');
    await show(await writeInWorkspace('chat/over.txt', 'over the page'));
    await eventually('hidden', () => assert.equal(chat.visibility, 'hidden'));
    const before = page.updates.length;
    chat.change({ status: 'busy' });
    const loads = page.loads;
    page.panel.reveal();
    await eventually('loaded again', () => assert.ok(page.loads > loads));
    assert.equal(page.updates.length, before);
    await page.ask('ready');
    await eventually('the news', () => assert.equal(page.latest('session')?.status, 'busy'));
    assert.notEqual(chat.visibility, 'hidden');
  });

  it('lead conversations side by side, each in its own', async () => {
    const [one, two] = [subject.chats.add('one'), subject.chats.add('two')];
    const first = await subject.tab('one');
    const second = new Promise<PageUnderTest>((resolve) => void subject.tab('two').then(resolve));
    const other = await second;
    await other.ask('send', { sessionId: 'two', revision: 1, text: 'for two', attachments: [] });
    assert.deepEqual([one.sent.length, two.sent.length], [0, 1]);
    assert.equal(first.latest('session')?.id, 'one');
    await eventually('its title', () => assert.equal(other.panel.title, 'Chat two'));
    two.change({ title: 'Renamed' });
    await eventually('the title', () => assert.equal(other.panel.title, 'Renamed'));
    const marked = (state: 'waiting' | 'busy' | 'idle'): string => {
      subject.chats.add('two', state);
      subject.pages.setMarks(chatMarks(subject.chats.rows));
      const { iconPath, title } = other.panel;
      return `${title} ${iconPath instanceof vscode.Uri ? iconPath.path : ''}`;
    };
    assert.match(marked('busy'), /^Renamed .*tab\/working\.svg$/);
    assert.match(marked('waiting'), /^● Renamed .*tab\/needsInput\.svg$/);
    assert.match(marked('idle'), /^Renamed .*icon\.png$/);
  });

  it('stop and delete a conversation whose agent works only after asking', async () => {
    const chat = subject.chats.add('one', 'busy');
    const page = await subject.tab('one');
    subject.isConfirmed = false;
    await page.ask('deleteSession', { sessionId: 'one' });
    assert.deepEqual(subject.chats.deleted, []);
    subject.isConfirmed = true;
    await page.ask('deleteSession', { sessionId: 'one' });
    assert.deepEqual(
      subject.chats.deleted.map(({ id }) => id),
      ['one'],
    );
    assert.deepEqual(chat.stops, ['one']);
    assert.match(subject.questions[0]?.message ?? '', /Delete “Chat one”\?/);
    assert.match(subject.questions[0]?.detail ?? '', /^The agent will be stopped\. You can undo this/);
    await eventually('an empty page', () => assert.equal(page.latest('session'), null));
  });

  it('no longer show a deleted conversation, and show it again when that is taken back', async () => {
    for (const id of ['one', 'two']) subject.chats.add(id);
    const view = await subject.view();
    const tab = await subject.tab('one', vscode.ViewColumn.Two);
    await view.ask('openSession', { sessionId: 'one' });
    await shownIn(view, 'one');
    await view.ask('deleteSession', { sessionId: 'one' });
    assert.deepEqual(
      [subject.questions, subject.offers],
      [[], ['Deleted “Chat one”.']],
      'not asked, because it can be undone',
    );
    for (const page of [view, tab]) await eventually('an empty page', () => assert.equal(page.latest('session'), null));
    // The user has gone on here.
    await view.ask('openSession', { sessionId: 'two' });
    subject.answerOffer(true);
    await shownIn(tab, 'one');
    assert.equal(view.latest('session')?.id, 'two');
    assert.deepEqual(subject.chats.removed, []);

    await tab.ask('deleteSession', { sessionId: 'one' });
    subject.answerOffer(false);
    await eventually('the end of the conversation', () => assert.deepEqual(subject.chats.removed, ['one']));
    await eventually('an empty page', () => assert.equal(tab.latest('session'), null));
  });

  it('no longer show what another window has deleted', async () => {
    subject.chats.add('one');
    const page = await subject.tab('one');
    await subject.chats.setMarks('one', { isDeleted: true });
    await eventually('an empty page', () => assert.equal(page.latest('session'), null));
    await subject.chats.setMarks('one', { isDeleted: false });
    await shownIn(page, 'one');
  });

  it('hear from the host why something did not work', async () => {
    const page = await subject.tab(subject.chats.add('one').id);
    await assert.rejects(page.ask('openSession', { sessionId: 'gone' }), /no longer there/);
    await assert.rejects(page.ask('unqueue', { sessionId: 'one', id: 'gone', isEdited: true }), /sent already/);
    await assert.rejects(page.ask('send', { text: 7 }), /Invalid parameters/);
    await assert.rejects(page.ask('format', {}), /Unknown request/);
  });

  it('carry out what commands ask of them once they are there', async () => {
    const page = await subject.view();
    const { activePage } = subject.pages;
    activePage?.runCommand('showSessions');
    activePage?.insertDraft({ text: 'added', attachments: [] });
    await eventually('both', () =>
      assert.deepEqual(page.told, [
        { method: 'chat/didAsk', params: { what: 'showSessions' } },
        { method: 'chat/didInsert', params: { text: 'added', attachments: [] } },
      ]),
    );
  });

  it('carry out what was asked of them while they were hidden, also where VS Code does not load them again', async () => {
    const chat = subject.chats.add('one');
    const page = await subject.tab('one');
    const { activePage } = subject.pages;
    await show(await writeInWorkspace('chat/over.txt', 'over the page'));
    await eventually('hidden', () => assert.equal(chat.visibility, 'hidden'));
    activePage?.insertDraft({ text: 'added', attachments: [] });
    const { loads } = page;
    page.panel.reveal();
    await eventually('loaded again', () => assert.ok(page.loads > loads));
    assert.deepEqual(page.told, []);
    // A page that was not loaded says only that it is alive.
    await page.ask('alive');
    await eventually('the draft', () =>
      assert.deepEqual(page.told, [{ method: 'chat/didInsert', params: { text: 'added', attachments: [] } }]),
    );
  });

  it('are meant by commands when they had the focus last', async () => {
    subject.chats.add('one');
    await subject.view();
    const tab = await subject.tab('one');
    await tab.ask('focused', {});
    assert.equal(subject.pages.activePage?.chat?.id, 'one');
    tab.panel.dispose();
    await eventually('the view', () => assert.equal(subject.pages.activePage, subject.pages.viewPage));
  });

  it('have the focus no more once they are hidden, which they cannot say themselves', async () => {
    const chat = subject.chats.add('one');
    const tab = await subject.tab('one');
    await tab.ask('focused', {});
    assert.equal(subject.pages.hasFocus, true);
    await show(await writeInWorkspace('chat/over.txt', 'over the page'));
    await eventually('hidden', () => assert.equal(chat.visibility, 'hidden'));
    const { loads } = tab;
    tab.panel.reveal(undefined, true);
    await eventually('loaded again', () => assert.ok(tab.loads > loads));
    await tab.ask('ready');
    await eventually('shown', () => assert.notEqual(chat.visibility, 'hidden'));
    assert.equal(subject.pages.hasFocus, false);
  });

  it('pass on which parts of the editor go to the backend', async () => {
    const page = await subject.view();
    await page.ask('toggleContext', { kind: 'git', isOn: false });
    assert.deepEqual(subject.contexts, ['git false']);
  });

  it('answer by command only the question of a conversation that is shown on a page in sight', async () => {
    const page = await subject.view();
    const answers = () => page.told.filter(({ method }) => method === 'chat/didAsk').map(({ params }) => params);
    const answer = () => subject.pages.visiblePages.some((one) => one.answerApproval('deny'));
    subject.chats.add('one').change({ approvals: [question('read')] });
    assert.equal(answer(), false, 'nothing is shown');
    await page.ask('openSession', { sessionId: 'one' });
    assert.equal(answer(), true);
    await eventually('the page hears it', () => assert.deepEqual(answers(), [{ what: 'deny' }]));
    subject.chats.opened.get('one')?.change({ approvals: [{ ...question('read'), state: 'answering' }] });
    assert.equal(answer(), false, 'it is answered already');
    subject.chats.opened.get('one')?.change({ approvals: [question('read')] });
    page.panel.dispose();
    await eventually('no page', () => assert.deepEqual(subject.pages.visiblePages, []));
    assert.equal(answer(), false, 'nobody sees it');
  });

  it('number the conversations that need the user on the view, and open one where it can be read', async () => {
    const page = await subject.view();
    const approvals = new ApprovalWatch(subject.chats, assert.ifError);
    approvals.start();
    const shown: string[] = [];
    const notices = new ChatNotices({
      clock: systemClock,
      approvals,
      chats: subject.chats,
      settings: { chatNotifications: () => 'all', chatSystemNotifications: () => 'off', chatSound: () => 'off' },
      notifySystem: () => undefined,
      shownChats: subject.window.shown,
      setWaiting: () => undefined,
      notices: createNoticeBoard(nullLogger),
      show: (id) => Promise.resolve(void shown.push(id)),
      playSound: () => undefined,
    });
    notices.start();
    const chat = subject.chats.add('one');
    chat.change({ approvals: [question('read'), question('write')] });
    subject.chats.add('one', 'waiting');
    subject.pages.setMarks(chatMarks(subject.chats.rows));
    assert.deepEqual(page.badge, { value: 1, tooltip: '“Chat one” needs your input' });
    const answer = { sessionId: 'one', approvalId: 'read', option: 'Allow', shown: 'hash' };
    await assert.rejects(page.ask('approve', answer), /no longer shown/);
    await page.ask('openSession', { sessionId: 'one' });
    await page.ask('approve', answer);
    subject.chats.add('one', 'idle');
    subject.pages.setMarks(chatMarks(subject.chats.rows));
    assert.equal(page.badge, undefined);
    assert.deepEqual(chat.answers, [{ approvalId: 'read', option: 'Allow', shown: 'hash' }]);
    notices.dispose();
    approvals.dispose();
    await vscode.commands.executeCommand('notifications.clearAll');
  });

  it('show a side question in a tab beside the others, which deletes it when it is closed, unless it is kept', async () => {
    const chat = subject.chats.add('one');
    chat.sentPromptTexts.push('hello');
    await subject.tab('one');
    const { tabGroups } = vscode.window;
    const ask = async (): Promise<vscode.Tab> => {
      await subject.asides.ask(chat, { quote: 'two\nlines' });
      return await eventually('the tab beside', () => {
        const [, beside] = tabGroups.all;
        assert.ok(beside?.activeTab);
        return beside.activeTab;
      });
    };
    const first = await ask();
    assert.equal(subject.chats.opened.get('aside-of-one')?.draft.text, '> two\n> lines\n\n');
    assert.deepEqual(subject.chats.removed, []);
    await eventually('the page', () =>
      assert.ok([...subject.pages.all].some((page) => page.chat?.id === 'aside-of-one')),
    );
    await tabGroups.close(first);
    await eventually('the deletion', () => assert.deepEqual(subject.chats.removed, ['aside-of-one']));
    const second = await ask();
    const aside = await eventually('the page', () => {
      const page = [...subject.pages.all].find((one) => one.chat?.id === 'aside-of-one');
      assert.ok(page?.chat);
      return page.chat;
    });
    await subject.asides.keep(aside);
    await tabGroups.close(second);
    await eventually('the tab is gone', () => assert.equal([...subject.pages.all].length, 1));
    assert.deepEqual(subject.chats.removed, ['aside-of-one']);
    await assert.rejects(subject.asides.ask(aside, {}), /already is a side question/);
  });

  it('quote a change of the agent in a side question about it', async () => {
    const chat = subject.chats.add('one');
    chat.sentPromptTexts.push('hello');
    await subject.tab('one');
    const hunk = { before: { start: 1, end: 2 }, after: { start: 1, end: 3 } };
    const seen = { baseline: 'one\ntwo\n', text: 'one\nTWO\nthree\n' };
    await subject.asides.ask(chat, { change: { path: inWorkspace('src', 'a.ts'), hunk, seen } });
    assert.equal(
      subject.chats.opened.get('aside-of-one')?.draft.text,
      '> Change in src/a.ts: line 2 became lines 2–3.\n> ```diff\n> -two\n> +TWO\n> +three\n> ```\n\n',
    );
  });
});

function question(id: string): ApprovalView {
  return {
    id,
    prompt: `May I ${id}?`,
    asks: 'Demo agent',
    parts: [],
    options: [],
    state: 'pending',
  };
}
