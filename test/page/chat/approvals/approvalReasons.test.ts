import assert from 'node:assert/strict';
import { chatRequests } from '../../../../src/chat/common/page/chatApi';
import type { ApprovalView } from '../../../../src/chat/common/chatView';
import { pauseClock } from '../../support/drawn';
import { commandApproval, diffApproval, now, sessionOf, snapshot } from '../support/chatFixtures';
import { guardMs, openQuestions } from '../support/approvalPages';
import { ChatPages, type ChatHere } from '../support/chatPages';

const question: ApprovalView = {
  ...commandApproval,
  expiresInMs: undefined,
  options: [
    { label: 'Yes', kind: 'allow_once' },
    { label: 'No', kind: 'reject_once' },
    { label: 'No, and tell Codex what to do differently', kind: 'reject_once' },
    { label: 'Never', kind: 'reject_always' },
  ],
};
const waiting = 'Deny and say what to do instead…';

describe('the prompt while a question waits', () => {
  const pages = new ChatPages();
  before(() => pages.start());
  afterEach(() => pages.closePages());
  after(() => pages.stop());

  const openWith = async (approval: ApprovalView = question, waitMs = guardMs): Promise<ChatHere> => {
    const chat = await openQuestions(pages, [approval], { width: 250, height: 600 });
    await chat.page.clock.runFor(waitMs);
    return chat;
  };
  const answers = ({ host }: ChatHere) =>
    host.requestsOf(chatRequests.approve).map(({ option, reason }) => [option, reason?.text]);
  const sent = ({ host }: ChatHere) => host.requestsOf(chatRequests.send).map(({ text }) => text);
  const hintOf = ({ composer }: ChatHere) =>
    composer.evaluate((area) => document.getElementById(area.getAttribute('aria-describedby') ?? '')?.textContent);

  it('denies with what is written by Enter, by the option that asks for it, and is empty then', async () => {
    const chat = await openWith();
    assert.equal(await chat.composer.getAttribute('placeholder'), waiting);
    await chat.composer.fill('Use pnpm');
    await chat.composer.press('Enter');
    await chat.host.waitFor(chatRequests.approve);
    assert.deepEqual(answers(chat), [['No, and tell Codex what to do differently', 'Use pnpm']]);
    await chat.page.waitForFunction(() => document.querySelector('textarea')?.value === '');
    await chat.tellSession({ status: 'busy', approvals: [] });
    assert.notEqual(await chat.composer.getAttribute('placeholder'), waiting);
    assert.deepEqual(sent(chat), []);
  });

  it('queues by Ctrl+Enter and by its button, and says both keys', async () => {
    const chat = await openWith();
    await chat.composer.fill('and then');
    await chat.page.getByText('Enter denies, Ctrl+Enter queues').waitFor();
    assert.equal(await hintOf(chat), 'Enter denies, Ctrl+Enter queues');
    await chat.composer.press('Control+Enter');
    await chat.host.waitFor(chatRequests.send);
    await chat.composer.fill('and more');
    await chat.page.getByRole('button', { name: 'Queue', exact: true }).click();
    await chat.host.waitFor(chatRequests.send, 2);
    assert.deepEqual([sent(chat), answers(chat)], [['and then', 'and more'], []]);
  });

  it('answers nothing by Enter without words', async () => {
    const chat = await openWith();
    for (const text of ['', '  ', '\n']) {
      await chat.composer.fill(text);
      for (const key of ['Enter', 'Control+Enter']) await chat.composer.press(key);
    }
    assert.deepEqual([sent(chat), answers(chat)], [[], []]);
  });

  it('denies nothing that has just appeared, and nothing more by a key that is held down', async () => {
    const chat = await openWith(question, guardMs - 10);
    await chat.composer.fill('Use pnpm');
    await chat.composer.press('Enter');
    assert.deepEqual(answers(chat), []);
    assert.equal(await chat.composer.inputValue(), 'Use pnpm');
    await chat.page.clock.runFor(10);
    await chat.page.keyboard.down('Enter');
    await chat.host.waitFor(chatRequests.approve);
    await chat.tellSession({ status: 'busy', approvals: [{ ...diffApproval, id: 'other' }] });
    await chat.page.clock.runFor(guardMs);
    await chat.composer.evaluate((area) => area instanceof HTMLTextAreaElement && area.focus());
    await chat.page.keyboard.insertText('more');
    await chat.page.keyboard.down('Enter');
    await chat.page.keyboard.up('Enter');
    assert.equal(answers(chat).length, 1);
  });

  const replaceWith = async (chat: ChatHere, ...approvals: ApprovalView[]): Promise<void> => {
    await chat.tellSession({ status: 'busy', approvals });
    await chat.page.clock.runFor(guardMs);
  };

  it('queues a follow-up that was begun before the question came, and says so, also after Deny with Reason…', async () => {
    const chat = await pages.openChat(snapshot(sessionOf({ status: 'busy' })), { width: 250, height: 600 });
    await pauseClock(chat.page, now + 1);
    await chat.composer.fill('also add');
    await replaceWith(chat, { ...question, options: diffApproval.options });
    await chat.composer.pressSequentially(' tests');
    assert.equal(await hintOf(chat), 'Begun earlier, Enter queues');
    assert.equal(await chat.page.getByRole('button', { name: 'Deny with This Reason' }).count(), 0);
    await chat.page.getByRole('button', { name: 'More ways to deny' }).click();
    await chat.page.getByRole('menuitem', { name: 'Deny with Reason…' }).click();
    await chat.page.clock.runFor(50);
    await chat.composer.press('Enter');
    await chat.host.waitFor(chatRequests.send);
    assert.deepEqual([sent(chat), answers(chat)], [['also add tests'], []]);
    await chat.composer.fill('Use pnpm');
    await chat.composer.press('Enter');
    await chat.host.waitFor(chatRequests.approve);
    assert.deepEqual(answers(chat), [['Reject', 'Use pnpm']]);
  });

  it('denies no other question than the one it was begun for, says so, and is a reason again when that one is back', async () => {
    const other = { ...question, id: 'other', prompt: 'Another question' };
    const chat = await openWith();
    await chat.composer.fill('Use pnpm');
    await replaceWith(chat, other);
    assert.equal(await hintOf(chat), 'Approval changed, Enter queues');
    await chat.composer.press('Enter');
    await chat.host.waitFor(chatRequests.send);
    await chat.composer.fill('Not that');
    await replaceWith(chat, other, question);
    await chat.page.getByRole('button', { name: 'Next Approval' }).click();
    await chat.page.clock.runFor(guardMs);
    assert.equal(await hintOf(chat), 'Approval changed, Enter queues');
    await chat.page.getByRole('button', { name: 'Next Approval' }).click();
    await chat.page.clock.runFor(guardMs);
    assert.equal(await hintOf(chat), 'Enter denies, Ctrl+Enter queues');
    await replaceWith(chat);
    assert.equal(await hintOf(chat), 'Approval is over, Enter queues');
    await chat.composer.press('Enter');
    await chat.host.waitFor(chatRequests.send, 2);
    assert.deepEqual([sent(chat), answers(chat)], [['Use pnpm', 'Not that'], []]);
  });

  it('queues a command', async () => {
    const chat = await openWith();
    await chat.composer.fill('/compact');
    assert.equal(await hintOf(chat), 'A command, Enter queues');
    await chat.composer.press('Enter');
    await chat.host.waitFor(chatRequests.send);
    assert.deepEqual([sent(chat), answers(chat)], [['/compact'], []]);
  });

  it('says that Enter denies in a low window, too', async () => {
    const chat = await openWith();
    await chat.page.setViewportSize({ width: 700, height: 300 });
    await chat.composer.fill('Use pnpm');
    assert.ok(await chat.page.getByText('Enter denies, Ctrl+Enter queues').isVisible());
    assert.ok(await chat.page.getByRole('button', { name: 'Queue', exact: true }).isVisible());
  });

  it('keeps what was written when the answer did not arrive', async () => {
    const chat = await openWith();
    chat.host.answer(chatRequests.approve, () => {
      throw new Error('The agent is gone.');
    });
    await chat.composer.fill('Use pnpm');
    await chat.page.getByRole('button', { name: 'Deny with This Reason' }).click();
    await chat.page.getByText('The agent is gone.').waitFor();
    assert.equal(await chat.composer.inputValue(), 'Use pnpm');
    assert.ok(await chat.page.getByRole('button', { name: 'Deny', exact: true }).isEnabled());
  });

  it('is where a denial from the menu is written, which answers nothing by itself', async () => {
    for (const [options, item] of [
      [question.options, 'No, and tell Codex what to do differently'],
      [diffApproval.options, 'Deny with Reason…'],
    ] as const) {
      const chat = await openWith({ ...question, options: [...options] });
      await chat.page.getByRole('button', { name: 'More ways to deny' }).click();
      await chat.page.getByRole('menuitem', { name: item, exact: true }).click();
      await chat.page.clock.runFor(50);
      await chat.page.waitForFunction(() => document.activeElement?.tagName === 'TEXTAREA');
      assert.deepEqual(answers(chat), []);
      await pages.closePages();
    }
  });

  it('queues as ever where nothing denies once', async () => {
    for (const kind of ['reject_always', 'allow_once', 'other'] as const) {
      const chat = await openWith({ ...question, options: [{ label: 'Word', kind }] });
      assert.notEqual(await chat.composer.getAttribute('placeholder'), waiting);
      await chat.composer.fill('and then');
      await chat.composer.press('Enter');
      await chat.host.waitFor(chatRequests.send);
      assert.deepEqual(answers(chat), []);
      await pages.closePages();
    }
  });

  it('keeps its height and cuts no word of its own at 250 px', async () => {
    const chat = await openWith();
    const box = await chat.page.locator('.composer').boundingBox();
    assert.ok(box && box.height <= 92, JSON.stringify(box));
    const isWhole = async (words: string): Promise<void> => {
      const hint = chat.page.getByText(words, { exact: true });
      assert.ok(await hint.evaluate((span) => span.scrollWidth <= span.clientWidth), words);
    };
    await chat.composer.fill('Use pnpm');
    await replaceWith(chat, { ...question, id: 'other' });
    await isWhole('Approval changed, Enter queues');
    await replaceWith(chat);
    await isWhole('Approval is over, Enter queues');
  });
});
