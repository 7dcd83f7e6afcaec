import assert from 'node:assert/strict';
import { chatRequests, didInvokeCommand } from '../../../../src/chat/common/page/chatApi';
import type { ApprovalView } from '../../../../src/chat/common/chatView';
import { commandApproval, diffApproval, now, sessionOf, snapshot } from '../support/chatFixtures';
import { guardMs, openQuestions } from '../support/approvalPages';
import { ChatPages, type ChatHere } from '../support/chatPages';

describe('a question of the agent', () => {
  const pages = new ChatPages();
  before(() => pages.start());
  afterEach(() => pages.closePages());
  after(() => pages.stop());

  /** The page's clock stands still but for `clock.runFor`. */
  const openWith = async (...approvals: ApprovalView[]): Promise<ChatHere> => {
    const chat = await openQuestions(pages, approvals);
    await chat.page.getByRole('group', { name: approvals[0]?.prompt ?? '' }).waitFor();
    return chat;
  };
  const optionOf = ({ page }: ChatHere, name: string) => page.getByRole('button', { name, exact: true });

  it('shows who asks, the mode, the whole command and what an answer for always stands for', async () => {
    const command = `echo ${'a_very_long_word'.repeat(400)} end-of-command`;
    const chat = await openWith({ ...commandApproval, parts: [{ type: 'terminal', command, output: '' }] });
    const card = chat.page.locator('.approval');
    const text = (await card.textContent()) ?? '';
    for (const expected of ['Demo agent', 'Ask first', command]) {
      assert.ok(text.includes(expected), expected.slice(0, 40));
    }
    const { width, scrollWidth } = await card
      .locator('pre')
      .evaluate((pre) => ({ width: pre.clientWidth, scrollWidth: pre.scrollWidth }));
    assert.ok(scrollWidth <= width, 'the command wraps');
    for (const label of ['Allow', 'Deny']) assert.ok(await optionOf(chat, label).isVisible());
    await optionOf(chat, 'More ways to allow').click();
    await chat.page.getByRole('menuitem', { name: 'Always allow npm test *', exact: true }).waitFor();
  });

  it('is answered by the label, byte for byte, and once only', async () => {
    const label = 'Allow  “once” ';
    const chat = await openWith({ ...commandApproval, options: [{ label, kind: 'allow_once' }] });
    const { promise, resolve } = Promise.withResolvers<Record<string, never>>();
    chat.host.answer(chatRequests.approve, () => promise);
    await chat.page.clock.runFor(guardMs);
    const button = chat.page.locator('.approval-answers .split-main').first();
    await button.evaluate((element) => {
      if (!(element instanceof HTMLElement)) return;
      element.click();
      element.click();
    });
    await chat.page.getByText('Answering…').waitFor();
    assert.ok(await button.isDisabled());
    assert.deepEqual(chat.host.requestsOf(chatRequests.approve), [
      { sessionId: 's1', approvalId: 'ap1', option: label },
    ]);
    resolve({});
  });

  it('can be answered again when the answer did not arrive', async () => {
    const chat = await openWith(commandApproval);
    chat.host.answer(chatRequests.approve, () => {
      throw new Error('The agent is gone.');
    });
    await chat.page.clock.runFor(guardMs);
    await optionOf(chat, 'Deny').click();
    await chat.page.getByText('The agent is gone.').waitFor();
    assert.ok(await optionOf(chat, 'Deny').isEnabled());
  });

  it('ignores a click that came just as it appeared', async () => {
    const chat = await openWith(commandApproval);
    await chat.page.clock.runFor(guardMs - 10);
    await optionOf(chat, 'Allow').click();
    assert.deepEqual(chat.host.requestsOf(chatRequests.approve), []);
    await chat.page.clock.runFor(10);
    await optionOf(chat, 'Allow').click();
    assert.equal((await chat.host.waitFor(chatRequests.approve)).option, 'Allow once');
  });

  it('does not take the focus from the user who types', async () => {
    const chat = await pages.openChat(snapshot(sessionOf({ status: 'busy' })));
    await chat.composer.pressSequentially('I am ');
    await chat.tellSession({ status: 'busy', approvals: [commandApproval] });
    await chat.page.locator('.approval').waitFor();
    await chat.composer.pressSequentially('typing 1');
    assert.equal(await chat.composer.inputValue(), 'I am typing 1');
    assert.ok(await chat.composer.evaluate((element) => element === document.activeElement));
    assert.deepEqual(chat.host.requestsOf(chatRequests.approve), []);
  });

  it('is reached with Alt+A and denied with 2', async () => {
    const chat = await openWith(commandApproval);
    await chat.page.clock.runFor(guardMs);
    await chat.page.keyboard.press('Alt+a');
    await chat.page.keyboard.press('2');
    assert.equal((await chat.host.waitFor(chatRequests.approve)).option, 'Reject');
  });

  it('is reached when the host asks', async () => {
    const chat = await openWith(commandApproval);
    await chat.host.notify(didInvokeCommand, { what: 'focusApproval' });
    await chat.page.waitForFunction(() => document.activeElement?.classList.contains('approval'));
  });

  it('gives the focus to the next question, and then to the composer', async () => {
    const chat = await openWith(commandApproval, diffApproval);
    await chat.page.clock.runFor(guardMs);
    await chat.page.keyboard.press('Alt+a');
    await chat.page.keyboard.press('1');
    await chat.tellSession({ status: 'busy', approvals: [diffApproval] });
    await chat.page.waitForFunction(() => document.activeElement?.textContent.includes('Edit src/greeting.ts?'));
    await chat.page.keyboard.press('1');
    assert.equal(chat.host.requestsOf(chatRequests.approve).length, 1, 'the same key does not answer the next one');
    await chat.tellSession({ status: 'busy', approvals: [] });
    await chat.page.clock.runFor(50);
    await chat.page.waitForFunction(() => document.activeElement?.tagName === 'TEXTAREA');
  });

  it('takes no focus for the composer once the user is elsewhere', async () => {
    const chat = await openWith(commandApproval);
    await chat.page.clock.runFor(guardMs);
    await chat.page.keyboard.press('Alt+a');
    await chat.page.keyboard.press('1');
    await chat.page.evaluate(() => (document.hasFocus = () => false));
    await chat.tellSession({ status: 'busy', approvals: [] });
    await chat.page.locator('.approval').waitFor({ state: 'detached' });
    await chat.page.clock.runFor(50);
    assert.equal(await chat.page.evaluate(() => document.activeElement?.tagName), 'BODY');
  });

  it('counts down, and warns once before the end', async () => {
    const chat = await openWith({ ...commandApproval, expiresInMs: 60_000 });
    const alert = chat.page.locator('.approval [role=alert]');
    assert.match((await alert.textContent()) ?? '', /denied in 1 min 0 s/);
    await chat.page.clock.runFor(30_000);
    await chat.page.getByText(/denied in 0:3[01]/).waitFor();
    assert.match((await alert.textContent()) ?? '', /denied in 1 min 0 s/, 'said once');
    await chat.page.clock.runFor(21_000);
    assert.match((await alert.textContent()) ?? '', /10 seconds/);
  });

  it('can be answered for as long as the host waits, whatever the clock of the page says', async () => {
    const chat = await openWith({ ...commandApproval, expiresInMs: 60_000 });
    await chat.page.clock.setFixedTime(now + 6 * 60_000);
    await chat.page.clock.runFor(2_000);
    await chat.page.getByText(/denied in 0:5\d/).waitFor();
    await chat.page.clock.runFor(61_000);
    await chat.page.getByText('Time is up.', { exact: false }).first().waitFor();
    await optionOf(chat, 'Allow').click();
    assert.equal((await chat.host.waitFor(chatRequests.approve)).option, 'Allow once');
  });

  it('is gone as soon as the host reports that it is no longer open', async () => {
    const chat = await openWith(commandApproval);
    await chat.tellSession({ approvals: [] });
    assert.equal(await chat.page.locator('.approval').count(), 0);
  });

  it('is shown with one of several at a time', async () => {
    const chat = await openWith({ ...commandApproval, expiresInMs: undefined }, diffApproval);
    await chat.page.getByText('1 of 2').waitFor();
    await chat.page.getByRole('button', { name: 'Next Approval' }).click();
    await chat.page.getByRole('group', { name: diffApproval.prompt }).waitFor();
    await chat.page.getByText('2 of 2').waitFor();
    await chat.page.getByRole('button', { name: 'Next Approval' }).click();
    await chat.page.getByRole('group', { name: commandApproval.prompt }).waitFor();
  });

  it('shows its diff, and opens it in the diff editor', async () => {
    const chat = await openWith(diffApproval);
    await chat.page.getByText('export function welcome(name: string)').waitFor();
    await chat.page.getByRole('button', { name: 'Open Diff Editor' }).click();
    assert.deepEqual(await chat.host.waitFor(chatRequests.openApprovalDiff), {
      sessionId: 's1',
      approvalId: 'ap2',
      part: 0,
    });
  });

  it('stays in sight in a low window, with all its answers', async () => {
    const chat = await pages.openChat(snapshot(sessionOf({ status: 'busy', approvals: [diffApproval] })), {
      width: 250,
      height: 400,
    });
    for (const label of ['Allow', 'Deny']) {
      const box = await optionOf(chat, label).boundingBox();
      assert.ok(box && box.y >= 0 && box.y + box.height <= 400, `${label} is at ${JSON.stringify(box)}`);
    }
  });
});
