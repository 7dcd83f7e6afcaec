import assert from 'node:assert/strict';
import { chatRequests, didInvokeCommand } from '../../../src/chat/common/page/chatApi';
import type { ApprovalView, BackendView } from '../../../src/chat/common/chatView';
import { drawn, pauseClock } from '../support/drawn';
import { backends, commandApproval, diffApproval, now, sessionOf, snapshot } from './support/chatFixtures';
import { ChatPages, type ChatHere } from './support/chatPages';

const guardMs = 500;
const question: ApprovalView = {
  ...commandApproval,
  expiresInMs: undefined,
  options: [
    { label: 'Always Allow', kind: 'allow_always' },
    { label: 'Allow', kind: 'allow_once' },
    { label: 'Deny All', kind: 'reject_always', scope: 'npm test *' },
    { label: 'Deny', kind: 'reject_once' },
  ],
};

describe('the answers of a question', () => {
  const pages = new ChatPages();
  before(() => pages.start());
  afterEach(() => pages.closePages());
  after(() => pages.stop());

  /** The page's clock stands still but for `clock.runFor`; the questions are there for long enough to be answered. */
  const openWith = async (approvals: readonly ApprovalView[], views?: BackendView[]): Promise<ChatHere> => {
    const chat = await pages.openChat(snapshot(sessionOf({ status: 'busy' }), { ...(views && { backends: views }) }));
    await pauseClock(chat.page, now + 1);
    await chat.tellSession({ status: 'busy', approvals: [...approvals] });
    await chat.page.locator('.approval').waitFor();
    await chat.page.clock.runFor(guardMs);
    return chat;
  };
  const button = ({ page }: ChatHere, name: string) => page.getByRole('button', { name, exact: true });
  const answered = ({ host }: ChatHere) => host.requestsOf(chatRequests.approve).map(({ option }) => option);
  const textOf = async ({ page }: ChatHere, selector: string) =>
    (await page.locator(selector).allInnerTexts()).join('|');
  const isFocused = ({ page }: ChatHere, selector: string) =>
    page.waitForFunction((wanted) => document.activeElement?.matches(wanted), selector);

  it('have the once option on the button and on key 1, whatever comes first', async () => {
    const chat = await openWith([question]);
    assert.equal((await textOf(chat, '.approval .is-primary .answer-name')).trim(), 'Allow');
    await chat.page.keyboard.press('Alt+a');
    await chat.page.keyboard.press('1');
    await chat.host.waitFor(chatRequests.approve);
    assert.deepEqual(answered(chat), ['Allow']);
  });

  it('show in their menus what each stands for, or who decides it', async () => {
    const chat = await openWith([question]);
    await button(chat, 'More ways to allow').click();
    assert.equal(await textOf(chat, '[role=menuitem]'), 'Always Allow\nThe agent decides what is similar');
    await chat.page.keyboard.press('Escape');
    await isFocused(chat, '.split-arrow');
    await button(chat, 'More ways to deny').click();
    assert.equal(await textOf(chat, '[role=menuitem]'), 'Deny All\nnpm test *|Deny with Reason…');
    await chat.page.getByRole('menuitem', { name: /Deny All/ }).click();
    await chat.host.waitFor(chatRequests.approve);
    assert.deepEqual(answered(chat), ['Deny All']);
  });

  it('say of a server that it is the server who decides', async () => {
    const views = backends.map((view): BackendView => (view.id === 'demo' ? { ...view, source: 'server' } : view));
    const chat = await openWith([question], views);
    await button(chat, 'More ways to allow').click();
    assert.match(await textOf(chat, '[role=menuitem]'), /The server decides what is similar/);
  });

  it('are moved through with the arrows, and type no digits', async () => {
    const chat = await openWith([question]);
    await button(chat, 'More ways to deny').focus();
    await chat.page.keyboard.press('ArrowDown');
    await isFocused(chat, '[role=menuitem]:nth-child(1)');
    await chat.page.keyboard.press('ArrowUp');
    await isFocused(chat, '[role=menuitem]:nth-child(2)');
    await chat.page.keyboard.press('1');
    await chat.page.keyboard.press('ArrowDown');
    await chat.page.keyboard.press('Enter');
    await chat.host.waitFor(chatRequests.approve);
    assert.deepEqual(answered(chat), ['Deny All']);
  });

  it('highlight nothing without a once option, and then give none by key', async () => {
    const options: ApprovalView['options'] = [
      { label: 'AlwaysAllow', kind: 'allow_always' },
      { label: 'Deny', kind: 'reject_once' },
    ];
    const chat = await openWith([{ ...question, options }]);
    assert.equal(await chat.page.locator('.approval .is-primary').count(), 0);
    await chat.page.keyboard.press('Alt+a');
    await chat.page.keyboard.press('1');
    await chat.host.notify(didInvokeCommand, { what: 'allow' });
    assert.deepEqual(answered(chat), []);
    await button(chat, 'Allow…').click();
    assert.deepEqual(answered(chat), []);
    await chat.page.getByRole('menuitem', { name: /AlwaysAllow/ }).click();
    await chat.host.waitFor(chatRequests.approve);
    assert.deepEqual(answered(chat), ['AlwaysAllow']);
  });

  it('lose none of a free list', async () => {
    const options: ApprovalView['options'] = [
      { label: 'Allow', kind: 'allow_once' },
      { label: 'Yes', kind: 'allow_once' },
      { label: 'Deny', kind: 'reject_once' },
      { label: 'Edit first', kind: 'other' },
      { label: 'Ask me later', kind: 'other' },
    ];
    const chat = await openWith([{ ...question, options }]);
    await button(chat, 'More ways to allow').click();
    assert.equal(await textOf(chat, '[role=menuitem]'), 'Yes');
    await chat.page.keyboard.press('Escape');
    await button(chat, 'Other…').click();
    assert.equal(await textOf(chat, '[role=menuitem]'), 'Edit first|Ask me later');
    await chat.page.getByRole('menuitem', { name: 'Edit first' }).click();
    await chat.host.waitFor(chatRequests.approve);
    assert.deepEqual(answered(chat), ['Edit first']);
  });

  it('end the turn where nothing denies', async () => {
    const chat = await openWith([{ ...question, options: [{ label: 'Allow', kind: 'allow_once' }] }]);
    const tooltip = await chat.page
      .locator('.approval-answers')
      .getByRole('button', { name: 'Stop' })
      .getAttribute('title');
    assert.equal(tooltip, 'Demo agent doesn’t offer a way to deny this. Select Stop to end the turn. (Ctrl+K N)');
    await chat.page.keyboard.press('Alt+a');
    await chat.page.keyboard.press('2');
    assert.deepEqual(await chat.host.waitFor(chatRequests.stop), { sessionId: 's1' });
    assert.deepEqual(answered(chat), []);
  });

  it('mark a name that lies, for eyes and ears, and give it by no key', async () => {
    const options: ApprovalView['options'] = [
      { label: 'Deny', kind: 'allow_always', isMisnamed: true },
      { label: 'Allow for this session', kind: 'allow_once', isMisnamed: true },
      { label: 'No', kind: 'reject_once' },
    ];
    const chat = await openWith([{ ...question, options }]);
    assert.equal(await chat.page.locator('.approval .is-primary').count(), 0);
    await chat.page.keyboard.press('Alt+a');
    await chat.page.keyboard.press('1');
    await chat.host.notify(didInvokeCommand, { what: 'allow' });
    assert.deepEqual(answered(chat), []);
    await button(chat, 'Allow…').click();
    for (const name of [
      /Deny Despite its name, this allows from now on/,
      /Allow for this session Despite its name, this allows once/,
    ]) {
      const item = chat.page.getByRole('menuitem', { name });
      assert.equal(await item.locator('.answer-mark').count(), 1);
    }
  });

  it('send why not along, and lose it to nothing but the way back', async () => {
    const chat = await openWith([question]);
    const field = chat.page.getByRole('textbox', { name: 'What the agent should do instead' });
    const write = async () => {
      await button(chat, 'More ways to deny').click();
      await chat.page.getByRole('menuitem', { name: 'Deny with Reason…' }).click();
      await isFocused(chat, '.approval-reason input');
    };
    await write();
    await field.fill('never mind');
    await chat.page.keyboard.press('Escape');
    await isFocused(chat, '.approval');
    await write();
    assert.equal(await field.inputValue(), '');
    await field.pressSequentially('Use pnpm 12');
    chat.host.answer(chatRequests.approve, () => {
      throw new Error('The agent is gone.');
    });
    await chat.page.keyboard.press('Enter');
    await chat.page.getByText('The agent is gone.').waitFor();
    assert.equal(await field.inputValue(), 'Use pnpm 12');
    assert.deepEqual(chat.host.requestsOf(chatRequests.approve), [
      { sessionId: 's1', approvalId: 'ap1', option: 'Deny', reason: 'Use pnpm 12' },
    ]);
  });

  const withReason = async (): Promise<ChatHere> => {
    // Also what a reload begins with.
    const chat = await pages.openChat(snapshot(sessionOf({ status: 'busy', approvals: [question] })));
    await pauseClock(chat.page, now + 1);
    await chat.page.clock.runFor(guardMs);
    await button(chat, 'More ways to deny').click();
    await chat.page.getByRole('menuitem', { name: 'Deny with Reason…' }).click();
    await chat.page.locator('.approval-reason input').fill('of the first');
    return chat;
  };

  it('take no reason from the question of another conversation with the same id, nor the focus', async () => {
    const chat = await withReason();
    await chat.composer.click();
    await chat.tellSession({ id: 's2', status: 'busy', approvals: [question] });
    await button(chat, 'Deny').waitFor();
    assert.equal(await chat.page.locator('.approval-reason').count(), 0);
    await isFocused(chat, 'textarea');
  });

  it('keep a reason that is not sent yet while the question of another conversation comes between, over a reload too', async () => {
    const chat = await withReason();
    const reason = chat.page.getByRole('textbox', { name: 'What the agent should do instead' });
    await chat.tellSession({ id: 's2', status: 'busy', approvals: [question] });
    await chat.page.clock.runFor(guardMs);
    await button(chat, 'More ways to deny').click();
    await chat.page.getByRole('menuitem', { name: 'Deny with Reason…' }).click();
    await reason.fill('of the second');
    await chat.page.reload();
    // A reload begins with the first conversation.
    await reason.waitFor();
    assert.equal(await reason.inputValue(), 'of the first');
    await chat.tellSession({ id: 's2', status: 'busy', approvals: [question] });
    await chat.page.waitForFunction(
      () => document.querySelector<HTMLInputElement>('.approval-reason input')?.value === 'of the second',
    );
    await chat.tellSession({ id: 's2', status: 'busy', approvals: [] });
    await chat.page.locator('.approval').waitFor({ state: 'detached' });
    await chat.tellSession({ id: 's2', status: 'busy', approvals: [question] });
    await button(chat, 'Deny').waitFor();
    assert.equal(await reason.count(), 0, 'its question was gone');
  });

  it('keep a reason for each question of a conversation while its others are in view', async () => {
    const other = { ...question, id: 'other', prompt: 'Another question' };
    const chat = await withReason();
    const reason = chat.page.getByRole('textbox', { name: 'What the agent should do instead' });
    await chat.tellSession({ status: 'busy', approvals: [question, other] });
    await button(chat, 'Next Approval').click();
    await button(chat, 'Deny').waitFor();
    assert.equal(await reason.count(), 0);
    await button(chat, 'Next Approval').click();
    await reason.waitFor();
    assert.equal(await reason.inputValue(), 'of the first');
  });

  it('take no reason from an earlier question with the same id', async () => {
    const chat = await withReason();
    await chat.tellSession({ status: 'busy', approvals: [] });
    await chat.page.locator('.approval').waitFor({ state: 'detached' });
    await chat.tellSession({ status: 'busy', approvals: [question] });
    await button(chat, 'Deny').waitFor();
    assert.equal(await chat.page.locator('.approval-reason').count(), 0);
  });

  it('have no reason left after a reload once it was sent', async () => {
    const chat = await withReason();
    await chat.page.keyboard.press('Enter');
    await chat.host.waitFor(chatRequests.approve);
    await chat.page.waitForFunction(() => document.querySelector('.approval')?.getAttribute('aria-busy') === 'true');
    await chat.page.reload();
    await button(chat, 'Deny').waitFor();
    assert.equal(await chat.page.locator('.approval-reason').count(), 0);
  });

  it('are given by command, and only for the question that has been in view', async () => {
    const chat = await openWith([question]);
    await chat.composer.click();
    const other = { ...diffApproval, id: 'other' };
    await chat.tellSession({ status: 'busy', approvals: [other] });
    await chat.host.notify(didInvokeCommand, { what: 'deny' });
    assert.deepEqual(answered(chat), []);
    await chat.page.clock.runFor(guardMs);
    await chat.host.notify(didInvokeCommand, { what: 'deny' });
    assert.equal((await chat.host.waitFor(chatRequests.approve)).approvalId, 'other');
    assert.deepEqual(answered(chat), ['Reject']);
    await isFocused(chat, 'textarea');
  });

  it('say on their tooltips which keys give them', async () => {
    const chat = await openWith([question]);
    assert.equal(await button(chat, 'Allow').getAttribute('title'), 'Allow (Ctrl+K Y)');
    assert.equal(await button(chat, 'Deny').getAttribute('title'), 'Deny (Ctrl+K N)');
  });

  it('are not given by a key that is held down', async () => {
    const chat = await openWith([question]);
    await button(chat, 'More ways to allow').focus();
    await chat.page.keyboard.down('Enter');
    await isFocused(chat, '[role=menuitem]');
    await chat.page.keyboard.down('Enter');
    await chat.page.keyboard.down('Enter');
    await chat.page.keyboard.up('Enter');
    assert.deepEqual(answered(chat), []);
  });
});

describe('several questions', () => {
  const pages = new ChatPages();
  before(() => pages.start());
  afterEach(() => pages.closePages());
  after(() => pages.stop());

  const named = (id: string, part: Partial<ApprovalView> = {}): ApprovalView => ({
    ...question,
    id,
    prompt: `Question ${id}`,
    ...part,
  });
  const shown = async ({ page }: ChatHere) => (await page.locator('.approval h2').innerText()).trim();
  const openWith = async (...approvals: ApprovalView[]): Promise<ChatHere> => {
    const chat = await pages.openChat(snapshot(sessionOf({ status: 'busy' })));
    await pauseClock(chat.page, now + 1);
    await chat.tellSession({ status: 'busy', approvals });
    await chat.page.locator('.approval').waitFor();
    return chat;
  };
  const allow = ({ page }: ChatHere) => page.getByRole('button', { name: 'Allow', exact: true });

  it('begin with the one that has a deadline', async () => {
    const chat = await openWith(named('a'), named('b', { expiresInMs: 60_000 }));
    assert.equal(await shown(chat), 'Question b');
  });

  it('leave the one in view where it is when others come, and take no click meant before', async () => {
    const chat = await openWith(named('a'));
    await chat.page.clock.runFor(guardMs);
    await chat.tellSession({ status: 'busy', approvals: [named('a'), named('b', { expiresInMs: 60_000 })] });
    await chat.page.getByText('2 of 2').waitFor();
    assert.equal(await shown(chat), 'Question a');
    await allow(chat).click();
    assert.deepEqual(chat.host.requestsOf(chatRequests.approve), []);
    await chat.page.clock.runFor(guardMs);
    await allow(chat).click();
    assert.equal((await chat.host.waitFor(chatRequests.approve)).approvalId, 'a');
  });

  it('go on with the same agent, and take no click meant for the one before', async () => {
    const all = [named('a'), named('b', { asks: 'Other agent' }), named('c')];
    const chat = await openWith(...all);
    await chat.page.clock.runFor(guardMs);
    await allow(chat).click();
    await chat.tellSession({ status: 'busy', approvals: all.slice(1) });
    assert.equal(await shown(chat), 'Question c');
    await allow(chat).click();
    assert.equal(chat.host.requestsOf(chatRequests.approve).length, 1);
  });

  it('take no click right after paging, and leave the focus on the button that pages', async () => {
    const chat = await openWith(named('a'), named('b'));
    await chat.page.clock.runFor(guardMs);
    const next = chat.page.getByRole('button', { name: 'Next Approval' });
    await next.click();
    assert.equal(await shown(chat), 'Question b');
    await allow(chat).click();
    assert.deepEqual(chat.host.requestsOf(chatRequests.approve), []);
    await next.focus();
    await chat.page.keyboard.press('Enter');
    assert.equal(await shown(chat), 'Question a');
    assert.ok(await next.evaluate((element) => element === document.activeElement));
  });

  it('are where they were after a reload, with what was written', async () => {
    const chat = await pages.openChat(snapshot(sessionOf({ status: 'busy', approvals: [named('a'), named('b')] })));
    await chat.page.getByRole('button', { name: 'Next Approval' }).click();
    await chat.page.getByRole('button', { name: 'More ways to deny' }).click();
    await chat.page.getByRole('menuitem', { name: 'Deny with Reason…' }).click();
    await chat.page.locator('.approval-reason input').fill('because');
    await chat.page.reload();
    await chat.page.getByText('2 of 2').waitFor();
    assert.equal(await shown(chat), 'Question b');
    assert.equal(await chat.page.locator('.approval-reason input').inputValue(), 'because');
    assert.equal(await chat.page.locator('.approval-reason input:focus').count(), 0, 'and takes no focus');
  });

  it('keep their state and the focus while the theme changes', async () => {
    const chat = await pages.openChat(snapshot(sessionOf({ status: 'busy', approvals: [named('a'), named('b')] })));
    await chat.page.getByRole('button', { name: 'Next Approval' }).click();
    await chat.page.getByRole('button', { name: 'More ways to deny' }).click();
    await chat.page.getByRole('menuitem', { name: 'Deny with Reason…' }).click();
    await chat.page.locator('.approval-reason input').fill('because');
    for (const theme of ['lightModern', 'highContrast', 'darkModern'] as const) {
      await chat.setTheme(theme);
      await drawn(chat.page);
      assert.equal(await shown(chat), 'Question b');
      assert.equal(await chat.page.locator('.approval-reason input:focus').inputValue(), 'because');
    }
  });
});
