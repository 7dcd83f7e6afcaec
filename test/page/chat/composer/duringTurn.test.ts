import assert from 'node:assert/strict';
import { chatRequests } from '../../../../src/chat/common/page/chatApi';
import { commandApproval, sessionOf, snapshot, type Update } from '../support/chatFixtures';
import { ChatPages, type ChatHere } from '../support/chatPages';
import { guardMs, openQuestions } from '../support/approvalPages';

const steerable = sessionOf({ status: 'busy', canSteer: true });
const plain = sessionOf({ status: 'busy', turn: 4 });

describe('a prompt that is written while a turn runs', () => {
  const pages = new ChatPages();
  before(() => pages.start());
  afterEach(() => pages.closePages());
  after(() => pages.stop());

  const open = (session = steerable, part: Update = {}): Promise<ChatHere> =>
    pages.openChat(snapshot(session, part), { width: 250, height: 600 });
  const sent = ({ host }: ChatHere) =>
    host.requestsOf(chatRequests.send).map((prompt) => [prompt.text, prompt.duringTurn]);
  const sendWith = async (chat: ChatHere, key: string, text: string): Promise<void> => {
    const before = sent(chat).length;
    await chat.composer.fill(text);
    await chat.composer.press(key);
    await chat.host.waitFor(chatRequests.send, before + 1);
  };
  /** What a screen reader says of the field, what the buttons are called, and the tooltip of the send button. */
  const explained = async ({ composer, page }: ChatHere) => {
    const buttons = page.locator('.enter-hint button, .send-button');
    return {
      hint: await composer.evaluate(
        (area) => document.getElementById(area.getAttribute('aria-describedby') ?? '')?.textContent,
      ),
      buttons: await buttons.evaluateAll((all) =>
        all.map((button) => button.getAttribute('aria-label') ?? button.firstChild?.textContent?.trim()),
      ),
      tooltip: await page.locator('.send-button').getAttribute('title'),
    };
  };

  it('joins the turn by Enter, waits for its end by Ctrl+Enter, and says so', async () => {
    const chat = await open();
    assert.equal(await chat.composer.getAttribute('placeholder'), 'Add to this turn');
    await chat.composer.fill('also the tests');
    assert.deepEqual(await explained(chat), {
      hint: 'Enter sends now, Ctrl+Enter queues',
      buttons: ['Send Now', 'Queue'],
      tooltip: 'Send Now (Enter; Ctrl+Enter queues; Shift+Enter for a new line)',
    });
    await sendWith(chat, 'Enter', 'also the tests');
    await sendWith(chat, 'Control+Enter', 'then the docs');
    await sendWith(chat, 'Meta+Enter', 'then the rest');
    assert.deepEqual(sent(chat), [
      ['also the tests', 'steer'],
      ['then the docs', undefined],
      ['then the rest', undefined],
    ]);
    assert.equal(await chat.composer.inputValue(), '');
  });

  it('does it the other way round with the setting, also when that changes', async () => {
    const chat = await open(steerable, { enterDuringTurn: 'queue' });
    assert.equal(await chat.composer.getAttribute('placeholder'), 'Queue a follow-up');
    await chat.composer.fill('also the tests');
    assert.deepEqual(await explained(chat), {
      hint: 'Enter queues, Ctrl+Enter sends now',
      buttons: ['Queue', 'Send Now'],
      tooltip: 'Queue (Enter; Ctrl+Enter sends now; Shift+Enter for a new line)',
    });
    await sendWith(chat, 'Enter', 'one');
    await sendWith(chat, 'Control+Enter', 'two');
    await chat.tell({ enterDuringTurn: 'steer' });
    await sendWith(chat, 'Enter', 'three');
    assert.deepEqual(sent(chat), [
      ['one', undefined],
      ['two', 'steer'],
      ['three', 'steer'],
    ]);
  });

  it('can be sent and queued by buttons', async () => {
    const chat = await open();
    await chat.composer.fill('one');
    await chat.page.getByRole('button', { name: 'Send Now', exact: true }).click();
    await chat.host.waitFor(chatRequests.send);
    await chat.composer.fill('two');
    await chat.page.getByRole('button', { name: 'Queue', exact: true }).click();
    await chat.host.waitFor(chatRequests.send, 2);
    assert.deepEqual(sent(chat), [
      ['one', 'steer'],
      ['two', undefined],
    ]);
  });

  it('is queued where the agent takes none, and ends the turn with one click, also by keyboard', async () => {
    const chat = await open(plain);
    await chat.composer.fill('no, the other file');
    assert.deepEqual(await explained(chat), {
      hint: 'Enter queues',
      buttons: ['Queue', 'Stop and Send'],
      tooltip: 'Queue (Enter; Shift+Enter for a new line)',
    });
    await sendWith(chat, 'Enter', 'one');
    await sendWith(chat, 'Control+Enter', 'two');
    await chat.composer.fill('no, the other file');
    await chat.page.getByRole('button', { name: 'Stop and Send' }).press('Enter');
    assert.equal((await chat.host.waitFor(chatRequests.send, 3)).stopsTurn, 4);
    assert.deepEqual(sent(chat), [
      ['one', undefined],
      ['two', undefined],
      ['no, the other file', undefined],
    ]);
    assert.ok(await chat.composer.evaluate((area) => area === document.activeElement));
  });

  it('ends no turn when the prompt was refused', async () => {
    const chat = await open(plain);
    chat.host.answer(chatRequests.send, () => {
      throw new Error('No disk.');
    });
    await chat.composer.fill('no');
    await chat.page.getByRole('button', { name: 'Stop and Send' }).click();
    await chat.page.getByText('No disk.').waitFor();
    assert.deepEqual(chat.host.requestsOf(chatRequests.stopAndSend), []);
  });

  it('is queued if it is a command, which an agent would read as text', async () => {
    const chat = await open();
    await chat.composer.fill('/help me');
    assert.equal((await explained(chat)).hint, 'A command, Enter queues');
    await sendWith(chat, 'Enter', '/help me');
    await sendWith(chat, 'Enter', '/work/main.ts has it');
    assert.deepEqual(sent(chat), [
      ['/help me', undefined],
      ['/work/main.ts has it', 'steer'],
    ]);
  });

  it('keeps what Ctrl+Enter does while an approval waits, where Enter denies with it', async () => {
    const chat = await openQuestions(pages, [commandApproval], { width: 250, height: 600 }, { session: steerable });
    await chat.page.clock.runFor(guardMs);
    await chat.composer.fill('Use pnpm');
    assert.deepEqual(await explained(chat), {
      hint: 'Enter denies, Ctrl+Enter queues',
      buttons: ['Deny with This Reason', 'Queue'],
      tooltip: 'Deny with This Reason (Enter; Ctrl+Enter queues; Shift+Enter for a new line)',
    });
    await sendWith(chat, 'Control+Enter', 'later');
    await chat.tell({ enterDuringTurn: 'queue' });
    await sendWith(chat, 'Control+Enter', 'now');
    await chat.composer.fill('Use pnpm');
    await chat.composer.press('Enter');
    assert.equal((await chat.host.waitFor(chatRequests.approve)).reason?.text, 'Use pnpm');
    assert.deepEqual(sent(chat), [
      ['later', undefined],
      ['now', 'steer'],
    ]);
  });

  it('begun before an approval came, it joins the turn by Enter, and says so', async () => {
    const chat = await open();
    await chat.composer.fill('also add');
    await chat.tellSession({ approvals: [{ ...commandApproval, expiresInMs: undefined }] });
    await chat.page.getByText('Begun earlier, Enter sends now').waitFor();
    await chat.composer.press('Enter');
    await chat.host.waitFor(chatRequests.send);
    assert.deepEqual(sent(chat), [['also add', 'steer']]);
  });

  it('explains nothing where there is nothing to send, and after the turn', async () => {
    const chat = await open();
    assert.equal(await chat.page.locator('.enter-hint, .send-button').count(), 0, 'nothing is written');
    await chat.composer.fill('next');
    await chat.tellSession({ status: 'idle', canSteer: undefined });
    assert.deepEqual(await explained(chat), {
      hint: undefined,
      buttons: ['Send'],
      tooltip: 'Send (Enter; Shift+Enter for a new line)',
    });
  });
});
