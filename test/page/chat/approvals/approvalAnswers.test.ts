import assert from 'node:assert/strict';
import { chatRequests, didInvokeCommand } from '../../../../src/chat/common/page/chatApi';
import type { ApprovalView, BackendView } from '../../../../src/chat/common/chatView';
import { drawn } from '../../support/drawn';
import { backends, commandApproval, diffApproval, sessionOf, snapshot } from '../support/chatFixtures';
import { guardMs, openQuestions } from '../support/approvalPages';
import { ChatPages, type ChatHere } from '../support/chatPages';

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

  /** The questions are there for long enough to be answered. */
  const openWith = async (approvals: ApprovalView[], views = backends): Promise<ChatHere> => {
    const chat = await openQuestions(pages, approvals, {}, { backends: views });
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
    const chat = await openWith([{ ...question, shown: 'hash' }]);
    assert.match((await button(chat, 'Allow').getAttribute('class')) ?? '', /is-primary/);
    await chat.page.keyboard.press('Alt+a');
    await chat.page.keyboard.press('1');
    await chat.host.waitFor(chatRequests.approve);
    assert.deepEqual(
      chat.host.requestsOf(chatRequests.approve).map(({ option, shown }) => [option, shown]),
      [['Allow', 'hash']],
    );
  });

  it('show in their menus what each stands for, or who decides it', async () => {
    const chat = await openWith([question]);
    await button(chat, 'More ways to allow').click();
    assert.equal(await textOf(chat, '[role=menuitem]'), 'Allow|Always Allow\nThe agent decides what counts as similar');
    await chat.page.keyboard.press('Escape');
    await isFocused(chat, '.split-arrow');
    await button(chat, 'More ways to deny').click();
    assert.equal(await textOf(chat, '[role=menuitem]'), 'Deny|Deny with Reason…|Deny All\nnpm test *');
    await chat.page.getByRole('menuitem', { name: /Deny All/ }).click();
    await chat.host.waitFor(chatRequests.approve);
    assert.deepEqual(answered(chat), ['Deny All']);
  });

  it('say of a server that it is the server who decides', async () => {
    const views = backends.map((view): BackendView => (view.id === 'demo' ? { ...view, source: 'server' } : view));
    const chat = await openWith([question], views);
    await button(chat, 'More ways to allow').click();
    assert.match(await textOf(chat, '[role=menuitem]'), /The server decides what counts as similar/);
  });

  it('are moved through with the arrows, and type no digits', async () => {
    const chat = await openWith([question]);
    await button(chat, 'More ways to deny').focus();
    await chat.page.keyboard.press('ArrowDown');
    await isFocused(chat, '[role=menuitem]:nth-child(1)');
    await chat.page.keyboard.press('ArrowUp');
    await isFocused(chat, '[role=menuitem]:nth-child(3)');
    await chat.page.keyboard.press('1');
    await chat.page.keyboard.press('ArrowDown');
    await chat.page.keyboard.press('Enter');
    await chat.host.waitFor(chatRequests.approve);
    assert.deepEqual(answered(chat), ['Deny']);
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

  it('are chosen by name where several allow or deny once', async () => {
    const options: ApprovalView['options'] = [
      { label: 'Yes, clear context and implement', kind: 'allow_once' },
      { label: 'Yes, keep context', kind: 'allow_once' },
      { label: 'No', kind: 'reject_once' },
      { label: 'No, keep planning', kind: 'reject_once' },
    ];
    const chat = await openWith([{ ...question, options }]);
    await chat.page.keyboard.press('Alt+a');
    for (const key of ['1', '2']) await chat.page.keyboard.press(key);
    for (const what of ['allow', 'deny'] as const) await chat.host.notify(didInvokeCommand, { what });
    assert.deepEqual(answered(chat), []);
    const spoken = await textOf(chat, '.approval [role=alert]');
    assert.ok(spoken.endsWith('Control+K Q for the answers.'), spoken);
    await button(chat, 'Deny…').waitFor();
    await button(chat, 'Allow…').click();
    await chat.page.getByRole('menuitem', { name: 'Yes, keep context' }).click();
    await chat.host.waitFor(chatRequests.approve);
    assert.deepEqual(answered(chat), ['Yes, keep context']);
  });

  it('have no menu with nothing but the answer of the button, but one with what else it says', async () => {
    const deny: ApprovalView['options'][number] = { label: 'Deny', kind: 'reject_once' };
    for (const [allow, count] of [
      [{ label: 'Allow once', kind: 'allow_once' }, 0],
      [{ label: 'Allow once', kind: 'allow_once', scope: 'npm test' }, 1],
      [{ label: 'Trust it', kind: 'allow_once', isMisnamed: true }, 0],
    ] satisfies [ApprovalView['options'][number], number][]) {
      const chat = await openWith([{ ...question, options: [allow, deny] }]);
      assert.equal(await button(chat, 'More ways to allow').count(), count, allow.label);
      await button(chat, allow.isMisnamed === true ? 'Allow…' : 'Allow').waitFor();
      await pages.closePages();
    }
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
    await button(chat, 'Allow…').click();
    assert.equal(await textOf(chat, '[role=menuitem]'), 'Allow|Yes');
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
      /Deny Despite its label, this also allows such requests in the future/,
      /Allow for this session Despite its label, this allows this request only/,
    ]) {
      const item = chat.page.getByRole('menuitem', { name });
      assert.equal(await item.locator('.answer-mark').count(), 1);
    }
  });

  it('are called the same whatever the agent calls them, and its own words are on the tooltip and in a menu', async () => {
    const options: ApprovalView['options'] = [
      { label: 'No, and tell Codex what to do differently', kind: 'reject_once' },
      { label: 'Yes, proceed', kind: 'allow_once' },
    ];
    const chat = await openWith([{ ...question, options }]);
    const names = await chat.page
      .locator('.approval-answers .split-main')
      .evaluateAll((all) => all.map((one) => one.lastChild?.textContent));
    assert.deepEqual(names, ['Allow', 'Deny']);
    assert.equal(await button(chat, 'Allow').getAttribute('title'), 'Yes, proceed (Ctrl+K Y)');
    await button(chat, 'More ways to deny').click();
    assert.equal(await textOf(chat, '[role=menuitem]'), 'No, and tell Codex what to do differently');
    await chat.page.keyboard.press('Escape');
    await button(chat, 'Deny').click();
    await chat.host.waitFor(chatRequests.approve);
    assert.deepEqual(answered(chat), ['No, and tell Codex what to do differently']);
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
  const openWith = (...approvals: ApprovalView[]): Promise<ChatHere> => openQuestions(pages, approvals);
  const allow = ({ page }: ChatHere) => page.getByRole('button', { name: 'Allow', exact: true });
  const assertEachAnswered = async ({ host }: ChatHere, option: string): Promise<void> => {
    await host.waitFor(chatRequests.approve, 3);
    assert.deepEqual(
      host.requestsOf(chatRequests.approve).map(({ approvalId, option: given }) => [approvalId, given]),
      ['a', 'b', 'c'].map((id) => [id, option]),
    );
  };

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

  it('are allowed or denied together, each once, by the last rows of the menus, which have no focus', async () => {
    for (const [verb, option] of [
      ['allow', 'Allow'],
      ['deny', 'Deny'],
    ] as const) {
      const chat = await openWith(named('a'), named('b'), named('c'));
      const menu = chat.page.getByRole('button', { name: `More ways to ${verb}` });
      await menu.click();
      const rows = chat.page.getByRole('menuitem');
      assert.equal(await rows.last().innerText(), `${option} All 3`);
      assert.equal(await chat.page.locator('[role=menuitem]:focus').innerText(), option);
      await rows.last().click();
      assert.deepEqual(chat.host.requestsOf(chatRequests.approve), [], 'not so soon');
      await chat.page.clock.runFor(guardMs);
      await menu.click();
      await rows.last().click();
      await assertEachAnswered(chat, option);
      await pages.closePages();
    }
  });

  it('are allowed or denied together by buttons, which 250 pixels have room for and Tab leads to', async () => {
    for (const [option, tabs] of [
      ['Allow', 1],
      ['Deny', 2],
    ] as const) {
      const chat = await openQuestions(
        pages,
        ['a', 'b', 'c'].map((id) => named(id)),
        { width: 250, height: 700 },
      );
      await chat.page.clock.runFor(guardMs);
      await chat.page.getByText('1 of 3').waitFor();
      for (const label of ['Allow All 3', 'Deny All 3']) {
        const box = await chat.page.getByRole('button', { name: label, exact: true }).boundingBox();
        assert.ok(box && box.x >= 0 && box.x + box.width <= 250, `${label}: ${JSON.stringify(box)}`);
        assert.ok(box.width >= 24 && box.height >= 24, `${label}: ${JSON.stringify(box)}`);
      }
      await chat.page.getByRole('button', { name: 'More ways to deny' }).focus();
      for (let count = 0; count < tabs; count++) await chat.page.keyboard.press('Tab');
      assert.equal(await chat.page.locator(':focus').innerText(), `${option} All 3`);
      await chat.page.keyboard.press('Enter');
      await assertEachAnswered(chat, option);
      await pages.closePages();
    }
  });

  it('have no button to allow them together when one of them has a risk, and none at all when only one waits', async () => {
    const risky = named('b', { escalations: [{ name: 'dangerouslyDisableSandbox', value: 'true' }] });
    const chat = await openWith(named('a'), risky);
    const toAll = chat.page.locator('.approval-all button');
    assert.deepEqual(await toAll.allInnerTexts(), ['Deny All 2']);
    await chat.tellSession({ status: 'busy', approvals: [risky] });
    await chat.page.locator('.approval-all').waitFor({ state: 'detached' });
  });

  it('are not allowed together unseen when one of them has a risk, or the set has just changed', async () => {
    const risky = named('b', { escalations: [{ name: 'dangerouslyDisableSandbox', value: 'true' }] });
    const chat = await openWith(named('a'), risky);
    await chat.page.getByRole('button', { name: 'More ways to allow' }).click();
    assert.equal(await chat.page.getByRole('menuitem', { name: /^Allow All/ }).count(), 0);
    await chat.tellSession({ status: 'busy', approvals: [named('a'), named('c')] });
    await chat.page.clock.runFor(guardMs);
    await chat.tellSession({ status: 'busy', approvals: [named('a'), named('d')] });
    await chat.page.getByRole('menuitem', { name: 'Allow All 2' }).click();
    assert.deepEqual(chat.host.requestsOf(chatRequests.approve), []);
  });

  it('are where they were after a reload', async () => {
    const chat = await pages.openChat(snapshot(sessionOf({ status: 'busy', approvals: [named('a'), named('b')] })));
    await chat.page.getByRole('button', { name: 'Next Approval' }).click();
    await chat.page.reload();
    await chat.page.getByText('2 of 2').waitFor();
    assert.equal(await shown(chat), 'Question b');
  });

  it('keep their state and the focus while the theme changes', async () => {
    const chat = await pages.openChat(snapshot(sessionOf({ status: 'busy', approvals: [named('a'), named('b')] })));
    await chat.page.getByRole('button', { name: 'Next Approval' }).click();
    for (const theme of ['lightModern', 'highContrast', 'darkModern'] as const) {
      await chat.setTheme(theme);
      await drawn(chat.page);
      assert.equal(await shown(chat), 'Question b');
      assert.equal(await chat.page.locator('[aria-label="Next Approval"]:focus').count(), 1);
    }
  });
});
