import assert from 'node:assert/strict';
import { chatRequests, didInvokeCommand } from '../../../src/chat/common/page/chatApi';
import { HostRequestError } from '../../../src/webview/common/protocol';
import { rows, sessionOf, snapshot } from './support/chatFixtures';
import { ChatPages, type ChatHere } from './support/chatPages';

const none = { text: '', attachments: [] };
const precious = { text: 'precious', attachments: [] };

describe('the first prompt of a conversation', () => {
  const pages = new ChatPages();
  before(() => pages.start());
  afterEach(() => pages.closePages());
  after(() => pages.stop());

  const textOf = ({ composer }: ChatHere): Promise<string> => composer.inputValue();

  /** The prompt is on its way; the returned function refuses it. */
  const sending = async (chat: ChatHere, reason = 'There is no such program.'): Promise<() => void> => {
    const { promise, reject } = Promise.withResolvers<never>();
    chat.host.answer(chatRequests.send, () => promise);
    await chat.composer.fill('precious');
    await chat.composer.press('Enter');
    await chat.host.waitFor(chatRequests.send);
    return () => reject(new HostRequestError(reason, 'ENOENT'));
  };
  const refused = (chat: ChatHere): Promise<void> => chat.page.getByText('There is no such program.').waitFor();

  it('is awaited on a page that invites to no other one', async () => {
    const chat = await pages.openChat(snapshot(null));
    const greeting = chat.page.locator('.empty');
    const pane = chat.page.locator('.transcript-pane');
    await greeting.waitFor();
    const refuse = await sending(chat);
    await greeting.waitFor({ state: 'hidden' });
    assert.equal(await pane.getAttribute('aria-busy'), 'true');
    await chat.tell(snapshot(sessionOf({ id: 's9' }), { transcript: { reset: true, before: 0 } }));
    assert.equal(await greeting.count(), 0, 'the prompt is not there yet');
    await chat.tell(snapshot(null, { transcript: { reset: true, before: 0 } }));
    await greeting.waitFor();
    refuse();
    await refused(chat);
  });

  it('leaves the page as it was when there is nobody to talk to', async () => {
    const chat = await pages.openChat(snapshot(null));
    const refuse = await sending(chat);
    const greeting = chat.page.locator('.empty');
    await greeting.waitFor({ state: 'hidden' });
    refuse();
    await refused(chat);
    await greeting.waitFor();
  });

  it('comes back when it is refused before the page knows of the conversation', async () => {
    const chat = await pages.openChat(snapshot(null));
    const refuse = await sending(chat);
    await chat.tell({ draft: precious, refused: precious });
    refuse();
    await refused(chat);
    await chat.tell(snapshot(null, { draft: precious }));
    assert.equal(await textOf(chat), 'precious');
  });

  it('comes back when its conversation has come and gone', async () => {
    const chat = await pages.openChat(snapshot(null));
    const refuse = await sending(chat);
    await chat.tell(snapshot(sessionOf({ id: 's9' }), { draft: none, keepsComposer: true }));
    await chat.tell(snapshot(null, { draft: precious, refused: precious, keepsComposer: true }));
    refuse();
    await refused(chat);
    assert.equal(await textOf(chat), 'precious', 'once');
  });

  it('comes back before what was typed meanwhile', async () => {
    const chat = await pages.openChat(snapshot(null));
    const refuse = await sending(chat);
    await chat.tell(snapshot(sessionOf({ id: 's9' }), { draft: none, keepsComposer: true }));
    await chat.composer.fill('next thought');
    await chat.tell(snapshot(null, { draft: precious, refused: precious, keepsComposer: true }));
    refuse();
    await refused(chat);
    assert.equal(await textOf(chat), 'precious\nnext thought');
  });

  it('comes back in the conversation that it has begun', async () => {
    const chat = await pages.openChat(snapshot(null));
    const refuse = await sending(chat);
    await chat.tell(snapshot(sessionOf({ id: 's9' }), { draft: none, keepsComposer: true }));
    await chat.tell({ draft: precious, refused: precious });
    refuse();
    await refused(chat);
    assert.equal(await textOf(chat), 'precious');
  });

  it('does not come into another conversation that is shown meanwhile', async () => {
    const chat = await pages.openChat(snapshot(sessionOf()));
    const refuse = await sending(chat);
    await chat.tell(snapshot(sessionOf({ id: 's2' }), { draft: none }));
    refuse();
    await refused(chat);
    assert.equal(await textOf(chat), '', 'the host has put it back where it belongs');
  });

  it('comes back with what is attached when it has no text', async () => {
    const file = { kind: 'file' as const, id: 'f', title: 'a.ts', path: '/ws/a.ts' };
    const draft = { text: '', attachments: [file] };
    const chat = await pages.openChat(snapshot(sessionOf(), { draft }));
    chat.host.answer(chatRequests.send, async () => {
      await chat.tell({ draft, refused: draft });
      throw new HostRequestError('There is no such program.', 'ENOENT');
    });
    await chat.composer.press('Enter');
    await refused(chat);
    assert.equal(await chat.page.locator('.chip', { hasText: 'a.ts' }).count(), 1);
  });

  it('leaves the composers of other pages that still hold it, not those that hold something else', async () => {
    const chat = await pages.openChat(snapshot(sessionOf()));
    await chat.composer.fill('typed here, sent there');
    await chat.tell({ sent: { text: 'something else', attachments: [] } });
    assert.equal(await textOf(chat), 'typed here, sent there');
    await chat.tell({ sent: { text: 'typed here, sent there', attachments: [] } });
    await chat.page.waitForFunction(() => document.querySelector('textarea')?.value === '');
  });

  it('cannot be edited and sent again where another window writes', async () => {
    const chat = await pages.openChat(snapshot(sessionOf({ status: 'readonly', isInUse: true })));
    await chat.page.getByRole('button', { name: 'Edit and Resend' }).first().click({ force: true });
    await chat.page.getByText('This conversation is read-only').waitFor();
    assert.equal(await textOf(chat), '');
    assert.deepEqual(chat.host.requestsOf(chatRequests.saveDraft), []);
  });

  it('is told to have failed in one place, and sent again from there', async () => {
    const chat = await pages.openChat(snapshot(sessionOf()));
    const refuse = await sending(chat);
    await chat.tell({ draft: precious, refused: precious });
    await chat.tellSession({ status: 'failed', statusText: 'There is no such program.', statusDetails: 'ENOENT' });
    refuse();
    await chat.page.getByRole('button', { name: 'Send Again' }).waitFor();
    assert.equal(await chat.page.getByText('There is no such program.').count(), 1);
    await chat.tellSession({
      status: 'failed',
      statusText: 'Demo agent stopped (exit code 1).',
      statusDetails: 'There is no such program.\nENOENT',
    });
    await chat.page.getByText('Demo agent stopped (exit code 1).').waitFor();
    assert.equal(await chat.page.getByText('There is no such program.').count(), 1, 'in the details');
    await chat.page.getByRole('button', { name: 'Continue with Another Agent' }).click();
    assert.deepEqual(await chat.host.waitFor(chatRequests.continueWith), { sessionId: 's1', isSameAgent: false });
    chat.host.answer(chatRequests.showLog, () => ({}));
    await chat.page.getByRole('button', { name: 'Show Log' }).click();
    await chat.host.waitFor(chatRequests.showLog);
    chat.host.answer(chatRequests.send, () => ({}));
    await chat.page.getByRole('button', { name: 'Send Again' }).click();
    assert.equal((await chat.host.waitFor(chatRequests.send, 2)).text, 'precious');
  });

  it('is told to have failed in one place, also for a reason of several lines', async () => {
    const chat = await pages.openChat(snapshot(sessionOf()));
    const refuse = await sending(chat, 'There is no such program.\nLook at PATH.');
    const tell = (statusDetails: string) =>
      chat.tellSession({ status: 'failed', statusText: 'Demo agent stopped (exit code 1).', statusDetails });
    await tell('ENOENT');
    refuse();
    await refused(chat);
    for (const details of [
      'There is no such program.\nLook at PATH.',
      'There is no such program.\nLook at PATH.\nENOENT',
    ]) {
      await tell(details);
      await chat.page.getByText('Look at PATH.').waitFor({ state: 'hidden' });
      await tell('ENOENT');
      await refused(chat);
    }
  });

  it('is not sent in Restricted Mode', async () => {
    const chat = await pages.openChat(snapshot(null, { untrusted: true }));
    await chat.composer.fill('hello');
    assert.ok(await chat.page.getByRole('button', { name: 'Send', exact: true }).isDisabled());
    await chat.composer.press('Enter');
    await chat.composer.press('End');
    assert.equal(await textOf(chat), 'hello');
    assert.deepEqual(chat.host.requestsOf(chatRequests.send), []);
  });

  it('can be a command that the agent had last time', async () => {
    const newCommands = [{ name: 'plan', description: 'Plan first', hint: 'the goal' }];
    const chat = await pages.openChat(snapshot(null, { newCommands }));
    await chat.composer.pressSequentially('/pl');
    await chat.page.getByRole('option', { name: /\/plan/ }).waitFor();
    await chat.composer.press('Enter');
    assert.equal(await textOf(chat), '/plan ');
    assert.equal(await chat.page.locator('.command-hint').innerText(), 'the goal');
  });

  it('shows when commands can be chosen, as long as none are known', async () => {
    const chat = await pages.openChat(snapshot(null));
    await chat.composer.pressSequentially('/');
    await chat.page.getByText('The agent’s commands appear after the first prompt').waitFor();
    await chat.composer.pressSequentially('usr/bin is a path');
    await chat.composer.press('Enter');
    assert.equal((await chat.host.waitFor(chatRequests.send)).text, '/usr/bin is a path');
  });

  it('is sent by one Enter when it is a whole command that takes nothing', async () => {
    const chat = await pages.openChat();
    await chat.composer.pressSequentially('/sort');
    await chat.page.getByRole('option', { name: /\/sort/ }).waitFor();
    await chat.composer.press('Enter');
    assert.equal((await chat.host.waitFor(chatRequests.send)).text, '/sort');
    await chat.composer.pressSequentially('/summarize');
    await chat.page.getByRole('option', { name: /\/summarize/ }).waitFor();
    await chat.composer.press('Enter');
    assert.equal(await textOf(chat), '/summarize ', 'it takes a path');
  });

  it('names files at the root of the workspace without the way to it', async () => {
    const chat = await pages.openChat(snapshot(null, { folders: ['/work/here'] }));
    chat.host.answer(chatRequests.mentions, () => ({
      rows: [{ kind: 'file' as const, id: 'f', title: 'README.md', path: '/work/here/README.md' }],
    }));
    await chat.composer.pressSequentially('@R');
    const option = chat.page.getByRole('option', { name: /README/ });
    await option.waitFor();
    assert.equal(await option.textContent(), 'README.mdFile');
  });

  it('goes to a server that nobody has asked yet, not to one that was not started', async () => {
    const server = {
      id: 'amplifier',
      title: 'Amplifier',
      description: 'local',
      source: 'server',
      state: 'stopped',
      health: { kind: 'asking' },
    } as const;
    const { page } = await pages.openChat(snapshot(null, { chosenBackend: 'amplifier', backends: [server] }));
    await page.getByText('checking…').waitFor();
    assert.equal(await page.getByText('starts with your first prompt').count(), 0);
  });

  for (const key of ['Enter', 'Escape']) {
    it(`leaves the focus on the row of a conversation that was renamed with ${key}`, async () => {
      const chat = await pages.openChat();
      await chat.host.notify(didInvokeCommand, { what: 'showSessions' });
      const row = chat.page.locator('.session-open', { hasText: rows[1]?.title ?? '' });
      await row.focus();
      await row.press('F2');
      await chat.page.getByRole('textbox', { name: 'Conversation title' }).press(key);
      await chat.page.waitForFunction(() => document.activeElement?.classList.contains('session-open'));
      assert.ok(await row.evaluate((element) => element === document.activeElement));
    });
  }

  it('keeps its place at 195 pixels: one line for what is held back', async () => {
    const queue = [{ id: 'q', text: 'queued', attachments: [] }];
    const { page } = await pages.openChat(snapshot(sessionOf({ queue })), { width: 195 });
    const heights = await page.locator('.queue-head').evaluate((head) => head.getBoundingClientRect().height);
    assert.ok(heights <= 26, `${heights} px`);
  });

  it('leaves no empty line under prompts', async () => {
    const { page } = await pages.openChat();
    const gap = await page.locator('.entry-prompt').evaluate((entry) => {
      const bubble = entry.querySelector('.bubble')?.getBoundingClientRect();
      return bubble ? entry.getBoundingClientRect().bottom - bubble.bottom : -1;
    });
    assert.ok(gap >= 0 && gap <= 2, `${gap} px`);
  });

  it('has answers of at most 80 characters a line in a wide window', async () => {
    const { page } = await pages.openChat(undefined, { width: 1400 });
    const width = await page
      .locator('.entry-answer p')
      .first()
      .evaluate((line) => line.getBoundingClientRect().width);
    assert.ok(width > 300 && width < 720, `${width} px`);
  });
});
