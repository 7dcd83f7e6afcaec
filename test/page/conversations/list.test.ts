import assert from 'node:assert/strict';
import { conversationsRequests, didInvokeConversationsCommand } from '../../../src/chat/common/page/conversationsApi';
import { until } from '../../support/eventually';
import { ConversationPages, type ListHere } from './support/conversationPages';
import { answerable, now, rowOf, rows } from './support/conversationFixtures';

describe('the list of all conversations', () => {
  const pages = new ConversationPages();
  before(() => pages.start());
  afterEach(() => pages.closePages());
  after(() => pages.stop());

  const titles = async (list: ListHere): Promise<string[]> => await list.page.locator('.row-title').allTextContents();
  const groups = async (list: ListHere): Promise<string[]> => await list.page.locator('.group-title').allTextContents();
  const choose = async (list: ListHere, name: string): Promise<void> => {
    await list.page.getByRole('button', { name: 'Group and Filter' }).click();
    await list.page.locator('.menu-item', { hasText: name }).click();
  };

  it('is grouped by state, and each row says its state first', async () => {
    const list = await pages.openList();
    assert.deepEqual(await groups(list), [
      'Pinned',
      'Needs your input',
      'Working',
      'Done',
      'Failed or interrupted',
      'Today',
      'Yesterday',
      'Last 7 days',
      'Last 30 days',
      'Stored by Claude Code',
      'Stored by Codex',
    ]);
    const names = await list.names();
    const asks = 'Needs your input: Update the parser 20 min Codex branch fix/parser Wants to run: npm test -- parser';
    assert.ok(
      names.some((name) => name.startsWith(asks)),
      names.join('\n'),
    );
    const works = 'Working: Fix the login Claude Code Running npm test branch fix/login 4 files 120 lines added';
    assert.ok(
      names.some((name) => name.startsWith(works)),
      names.join('\n'),
    );
    assert.ok(!names.some((name) => name.includes('First steps')), 'archived');
    const text = (await list.item(/Fix the login/).textContent()) ?? '';
    assert.match(text, /3\u00a0min 0\u00a0s.*Running npm test.*fix\/login.*4 files \+120 −33.*\$0\.42/);
    assert.deepEqual(list.problems, []);
  });

  it('opens a conversation by a click, and in a tab with the middle button', async () => {
    const list = await pages.openList();
    await list.item(/Fix the login/).click();
    assert.deepEqual(await list.host.waitFor(conversationsRequests.open), { sessionId: 'busy' });
    await list.item(/Why does the build/).click({ button: 'middle' });
    assert.deepEqual(await list.host.waitFor(conversationsRequests.openInTab), { sessionId: 'idle1' });
    await list.item(/Explain the cache/).click({ button: 'middle' });
    await list.item(/Explain the cache/).click();
    assert.deepEqual(await list.host.waitFor(conversationsRequests.open, 2), { sessionId: 'amp' });
    assert.equal(list.host.requestsOf(conversationsRequests.openInTab).length, 1, 'Backline does not store it');
  });

  it('confirms each update once', async () => {
    const list = await pages.openList();
    await list.host.waitFor(conversationsRequests.shown);
    for (let n = 1; n <= 3; n++) {
      await list.tell({ rows: [rowOf('busy', { title: `Step ${n}`, state: 'busy' })] });
      await list.host.waitFor(conversationsRequests.shown, n + 1);
    }
    await list.tell({ removed: ['busy'] });
    await list.host.waitFor(conversationsRequests.shown, 5);
    assert.equal(list.host.requestsOf(conversationsRequests.shown).length, 5);
    assert.equal(await list.item(/Step/).count(), 0);
  });

  it('is grouped in other ways, shows the archived ones, and knows that after a reload', async () => {
    const list = await pages.openList();
    await choose(list, 'Group by Repository');
    assert.deepEqual((await groups(list)).slice(0, 4), ['Pinned', 'Needs your input', 'shop', 'parser']);
    await choose(list, 'Group by Agent');
    assert.ok((await groups(list)).includes('Gemini CLI'));
    await choose(list, 'Group by Day');
    assert.ok((await groups(list)).includes('Tuesday'));
    await choose(list, 'Show Archived');
    await list.item(/First steps .*Archived/).waitFor();
    await choose(list, 'Show This Workspace');
    assert.equal(await list.item(/A grammar for dates/).count(), 0);
    assert.equal(await list.item(/Move the settings/).count(), 1, 'what needs input is shown wherever it is');
    await list.item(/^Tuesday/).click();
    await list.page.reload();
    await list.item(/First steps/).waitFor();
    assert.equal(await list.item(/^Tuesday/).getAttribute('aria-expanded'), 'false');
    await list.page.getByRole('button', { name: 'Group and Filter' }).click();
    const chosen = list.page.locator('[aria-checked=true]');
    assert.deepEqual(await chosen.allTextContents(), ['Group by Day', 'Show This Workspace', 'Show Archived']);
  });

  it('is searched once the typing pauses, until all texts are known, and opens at the place', async () => {
    const list = await pages.openList();
    const found = rows.filter(({ id }) => id === 'idle1').map((row) => ({ ...row, snippet: 'the build of Windows' }));
    let asked = 0;
    list.host.answer(conversationsRequests.search, () => ({
      found: [...found.map((row) => ({ row, entryId: 'e7' })), ...found.map((row) => ({ row, entryId: 'e9' }))],
      ...(++asked < 3 && { left: { done: 212, total: 900 } }),
    }));
    await list.page.keyboard.press('/');
    await list.page.keyboard.type('build');
    await list.page.getByText('Still searching 212 of 900 conversations').waitFor();
    await list.page.getByText('1 conversation found').waitFor();
    assert.equal(asked, 3);
    assert.deepEqual(await list.page.locator('mark').allTextContents(), ['build', 'build']);
    assert.deepEqual(await titles(list), ['Why does the build fail on Windows?']);
    await list.page.keyboard.press('ArrowDown');
    await list.page.keyboard.press('Enter');
    assert.deepEqual(await list.host.waitFor(conversationsRequests.open), { sessionId: 'idle1', entryId: 'e7' });
    await list.item(/Why does/).click({ button: 'right' });
    await list.page.getByRole('menuitem', { name: 'Open in Editor Tab' }).click();
    assert.deepEqual(await list.host.waitFor(conversationsRequests.openInTab), { sessionId: 'idle1', entryId: 'e7' });
    await list.page.keyboard.press('Escape');
    await list.item(/Fix the login/).waitFor();
    assert.equal(await list.search.inputValue(), '');
    assert.equal(await list.focused(), 'INPUT');
  });

  it('says what a row does now, also among what was found', async () => {
    const list = await pages.openList();
    list.host.answer(conversationsRequests.search, () => ({ found: [{ row: rowOf('idle1', { snippet: 'here' }) }] }));
    await list.search.fill('x');
    await list.item(/^Idle: Why does/).waitFor();
    await list.tell({ rows: [rowOf('idle1', { state: 'busy', title: 'Goes on' })] });
    await list.item(/^Working: Goes on/).waitFor();
    await list.page.getByText('here').waitFor();
  });

  it('says when nothing matches, and when the search fails', async () => {
    const list = await pages.openList();
    list.host.answer(conversationsRequests.search, () => ({ found: [] }));
    await list.search.fill('zebra');
    await list.page.getByText('No conversations match “zebra”.').waitFor();
    list.host.answer(conversationsRequests.search, () => Promise.reject(new Error('The index is gone.')));
    await list.search.fill('zebras');
    await list.page.getByRole('alert').filter({ hasText: 'The index is gone.' }).waitFor();
    await list.page.getByRole('button', { name: 'Dismiss' }).click();
    await list.page.getByRole('alert').waitFor({ state: 'detached' });
  });

  it('explains itself when it is empty', async () => {
    const list = await pages.openList({ rows: [], backends: [] });
    await list.page.getByRole('heading', { name: 'No conversations yet' }).waitFor();
    await list.page.getByRole('button', { name: 'New Conversation' }).click();
    await list.host.waitFor(conversationsRequests.create);
    await list.tell({ rows: [rowOf('a', { isArchived: true }), rowOf('b', { isArchived: true })] });
    await list.page.getByText('All 2 conversations are archived.').waitFor();
    await list.page.getByRole('button', { name: 'Show Archived' }).press('Enter');
    await list.item(/Conversation a/).waitFor();
    assert.match(await list.focused(), /Conversation/);
    await list.tell({ rows: [rowOf('c', { elsewhere: { folder: '/x', isGone: false } })], isComplete: true });
    await choose(list, 'Show This Workspace');
    await list.page.getByText('No conversations in this workspace.').waitFor();
    await list.page.getByRole('button', { name: 'Show 1 Other' }).click();
    await list.item(/Conversation c/).waitFor();
    await choose(list, 'Show This Workspace');
    await choose(list, 'Show Archived');
    await list.tell({ rows: [rowOf('d', { isArchived: true })] });
    await list.page.getByText('The only conversation in this workspace is archived.').waitFor();
  });

  it('tells a screen reader only what begins to need input or fails', async () => {
    const list = await pages.openList();
    const spoken = list.page.locator('.conversations > [role=status]');
    assert.equal(await spoken.textContent(), '');
    await list.tell({ rows: [rowOf('idle1', { state: 'busy' }), rowOf('new')] });
    await list.tell({ rows: [rowOf('busy', { title: 'Fix the login', state: 'failed' })] });
    await until('it was said', async () => (await spoken.textContent()) === '“Fix the login” failed.');
    await list.tell({ rows: [rowOf('busy', { state: 'unread' })] });
    await list.tell({ rows: [rowOf('busy', { title: 'Fix the login', state: 'failed' })] });
    await until('it was said again', async () => (await spoken.textContent()) === '“Fix the login” failed.\u00a0');
  });

  it('is focused and searched by commands', async () => {
    const list = await pages.openList({ shown: 'done' });
    await list.host.notify(didInvokeConversationsCommand, { what: 'focus' });
    assert.match(await list.focused(), /Rename greet/);
    assert.equal(await list.item(/Rename greet/).getAttribute('aria-current'), 'true');
    await list.host.notify(didInvokeConversationsCommand, { what: 'search' });
    assert.equal(await list.focused(), 'INPUT');
    await list.item(/Fix the login/).focus();
    await list.page.keyboard.press('Control+f');
    assert.equal(await list.focused(), 'INPUT');
  });

  it('has the conversations that an agent stores, which are listed when their group is expanded', async () => {
    const list = await pages.openList();
    const stored = rowOf('remote:acp%3Acodex:1', {
      title: 'From the terminal',
      backendId: 'acp:codex',
      backendTitle: 'Codex',
      remote: true,
      updatedAt: now,
    });
    let finish: ((rows: (typeof stored)[]) => void) | undefined;
    list.host.answer(
      conversationsRequests.listRemoteSessions,
      () => new Promise((resolve) => (finish = (sessions) => resolve({ sessions }))),
    );
    assert.equal(list.host.requestsOf(conversationsRequests.listRemoteSessions).length, 0);
    await list.item('Stored by Codex').click();
    assert.deepEqual(await list.host.waitFor(conversationsRequests.listRemoteSessions), { backendId: 'acp:codex' });
    await list.item('Listing…').click();
    await list.page.keyboard.press('Enter');
    assert.equal(list.host.requestsOf(conversationsRequests.cancelListing).length, 0);
    await list.page.getByRole('button', { name: 'Cancel' }).click();
    await list.host.waitFor(conversationsRequests.cancelListing);
    await list.item('Not listed').waitFor();
    await list.page.getByRole('button', { name: 'Refresh' }).click();
    await list.host.waitFor(conversationsRequests.listRemoteSessions, 2);
    finish?.([stored]);
    await list.item(/From the terminal/).click();
    assert.deepEqual(await list.host.waitFor(conversationsRequests.open), { sessionId: stored.id });
    await list.tell({ rows: [{ ...answerable, state: 'idle' }] });
    await list.item(/From the terminal/).waitFor();
  });
});
