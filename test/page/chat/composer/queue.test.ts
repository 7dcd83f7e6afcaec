import assert from 'node:assert/strict';
import { chatRequests } from '../../../../src/chat/common/page/chatApi';
import type { ConversationView, QueuedPrompt } from '../../../../src/chat/common/chatView';
import { pauseClock } from '../../support/drawn';
import { now, sessionOf, snapshot } from '../support/chatFixtures';
import { ChatPages, type ChatHere } from '../support/chatPages';

const queued = (id: string, part: Partial<QueuedPrompt> = {}): QueuedPrompt => ({
  id,
  text: `prompt ${id}`,
  attachments: [],
  ...part,
});
/** More than an agent usually needs to take a prompt, in milliseconds. */
const longMs = 250;

describe('the queue', () => {
  const pages = new ChatPages();
  before(() => pages.start());
  afterEach(() => pages.closePages());
  after(() => pages.stop());

  /** The page's clock stands still. */
  const open = async (part: Partial<ConversationView>): Promise<ChatHere> => {
    const chat = await pages.openChat(snapshot(sessionOf({ status: 'busy', ...part })), { width: 250, height: 600 });
    await pauseClock(chat.page, now + 1);
    return chat;
  };
  const rowsOf = ({ page }: ChatHere): Promise<string[]> => page.locator('.queue li').allInnerTexts();
  const buttonsOf = ({ page }: ChatHere): Promise<(string | null)[]> =>
    page.locator('.queue button').evaluateAll((all) => all.map((button) => button.getAttribute('aria-label')));
  const saidOf = ({ page }: ChatHere): Promise<string | null> => page.locator('p[role=status]').textContent();
  const isInComposer = ({ composer }: ChatHere): Promise<boolean> =>
    composer.evaluate((area) => area === document.activeElement);

  it('sends a prompt into the turn where the agent takes it, else ends the turn for it, and names each button', async () => {
    const queue = [queued('a'), queued('b', { text: 'two\nlines' })];
    const chat = await open({ queue, canSteer: true });
    assert.deepEqual(await buttonsOf(chat), [
      'Send Now: prompt a',
      'Edit Prompt: prompt a',
      'Remove from Queue: prompt a',
      'Send Now: two lines',
      'Edit Prompt: two lines',
      'Remove from Queue: two lines',
    ]);
    await chat.page.getByRole('button', { name: 'Send Now: two lines' }).press('Enter');
    assert.deepEqual(await chat.host.waitFor(chatRequests.steerQueued), { sessionId: 's1', id: 'b' });
    await chat.page.clock.runFor(50);
    assert.ok(await isInComposer(chat));
    await chat.tellSession({ queue, canSteer: false, turn: 4 });
    await chat.page.getByRole('button', { name: 'Stop and Send: prompt a' }).press(' ');
    assert.deepEqual(await chat.host.waitFor(chatRequests.stopAndSend), { sessionId: 's1', id: 'a', turn: 4 });
    await chat.tellSession({ status: 'reconnecting', queue });
    await chat.page.getByRole('button', { name: 'Stop and Send' }).waitFor({ state: 'detached' });
  });

  it('keeps the focus in the prompt after a row was removed', async () => {
    const chat = await open({ queue: [queued('a')] });
    await chat.page.getByRole('button', { name: 'Remove from Queue' }).press('Enter');
    await chat.host.waitFor(chatRequests.unqueue);
    await chat.page.clock.runFor(50);
    assert.ok(await isInComposer(chat));
  });

  it('shows a prompt that the agent is to take, without a way to send it again', async () => {
    const chat = await open({ queue: [queued('a'), queued('b')], canSteer: true });
    const before = await chat.page.locator('.queue li').first().boundingBox();
    await chat.tellSession({ queue: [queued('a', { isJoining: true }), queued('b')], canSteer: true });
    assert.deepEqual(await rowsOf(chat), ['prompt a\nWaiting…', 'prompt b']);
    assert.equal(await chat.page.locator('.queue li').first().getByRole('button').count(), 0);
    assert.deepEqual(await chat.page.locator('.queue li').first().boundingBox(), before, 'the row does not move');
    await chat.page.getByText('1 queued').waitFor();
  });

  it('marks a prompt that the agent perhaps has, which cannot join again', async () => {
    const chat = await open({ queue: [queued('a', { isDoubtful: true }), queued('b')], canSteer: true });
    await chat.page.getByRole('img', { name: 'It is not known whether the agent has this prompt' }).waitFor();
    assert.deepEqual((await buttonsOf(chat)).slice(0, 4), [
      'Stop and Send: prompt a',
      'Edit Prompt: prompt a',
      'Remove from Queue: prompt a',
      'Send Now: prompt b',
    ]);
    // What comes after it waits for it, too.
    assert.equal(await chat.page.locator('.queue h2').textContent(), '2 on hold');
    assert.equal(await chat.page.getByRole('button', { name: 'Send Now', exact: true }).count(), 0);
    await chat.tellSession({ queue: [queued('b'), queued('a', { isDoubtful: true })], canSteer: true });
    assert.equal(await chat.page.locator('.queue h2').textContent(), '2 queued');
  });

  it('ends the turn for a command, which an agent would read as text in it', async () => {
    const chat = await open({ queue: [queued('a', { text: '/help me' })], canSteer: true });
    assert.equal((await buttonsOf(chat))[0], 'Stop and Send: /help me');
  });

  it('shows a prompt that joins at once neither in the queue nor twice', async () => {
    const chat = await open({ canSteer: true });
    const { promise, resolve } = Promise.withResolvers<Record<string, never>>();
    chat.host.answer(chatRequests.send, () => promise);
    await chat.composer.fill('also the tests');
    await chat.composer.press('Enter');
    const { id = '' } = await chat.host.waitFor(chatRequests.send);
    assert.equal(await chat.composer.inputValue(), '');
    await chat.page.clock.runFor(longMs / 2);
    assert.deepEqual(await rowsOf(chat), []);
    const queue = [queued(id, { text: 'also the tests', isJoining: true })];
    await chat.tellSession({ queue, canSteer: true });
    assert.deepEqual(await rowsOf(chat), []);
    await chat.tell({
      session: sessionOf({ status: 'busy', canSteer: true }),
      transcript: { put: [{ kind: 'prompt', id: 'p2', turn: 1, text: 'also the tests', isSteered: true }], before: 0 },
    });
    await chat.page.clock.runFor(longMs);
    resolve({});
    await chat.page.clock.runFor(50);
    assert.deepEqual(await rowsOf(chat), []);
    assert.equal(await chat.page.getByText('also the tests').count(), 1);
  });

  it('shows a prompt that takes long to join, also before the host does, and only once', async () => {
    const chat = await open({ canSteer: true });
    const { promise, resolve } = Promise.withResolvers<Record<string, never>>();
    chat.host.answer(chatRequests.send, () => promise);
    await chat.composer.fill('also the tests');
    await chat.composer.press('Enter');
    const { id = '' } = await chat.host.waitFor(chatRequests.send);
    await chat.page.clock.runFor(longMs);
    const joining = ['also the tests\nWaiting…'];
    assert.deepEqual(await rowsOf(chat), joining);
    await chat.page.getByText('Joining the turn').waitFor();
    await chat.tellSession({ queue: [queued(id, { text: 'also the tests', isJoining: true })], canSteer: true });
    assert.deepEqual(await rowsOf(chat), joining);
    // The agent could not take it.
    await chat.tellSession({ queue: [queued(id, { text: 'also the tests' })], canSteer: true });
    assert.deepEqual(await rowsOf(chat), ['also the tests']);
    await chat.tellSession({ queue: [], canSteer: true });
    assert.deepEqual(await rowsOf(chat), []);
    resolve({});
    await chat.page.clock.runFor(50);
    assert.deepEqual(await rowsOf(chat), []);
  });

  it('shows a prompt that joins where the host will, before those that wait', async () => {
    const chat = await open({ queue: [queued('a', { isJoining: true }), queued('b')], canSteer: true });
    chat.host.answer(chatRequests.send, () => new Promise(() => undefined));
    await chat.composer.fill('also');
    await chat.composer.press('Enter');
    await chat.page.clock.runFor(longMs);
    assert.deepEqual(await rowsOf(chat), ['prompt a\nWaiting…', 'also\nWaiting…', 'prompt b']);
  });

  it('shows a prompt that joins in its own conversation only', async () => {
    const chat = await open({ canSteer: true });
    chat.host.answer(chatRequests.send, () => new Promise(() => undefined));
    await chat.composer.fill('also the tests');
    await chat.composer.press('Enter');
    await chat.page.clock.runFor(longMs);
    assert.equal((await rowsOf(chat)).length, 1);
    await chat.tell(snapshot(sessionOf({ id: 's2', status: 'busy' })));
    assert.deepEqual(await rowsOf(chat), []);
  });

  it('tells a screen reader what was queued and what has joined, but not what was there before', async () => {
    const chat = await open({ queue: [queued('a')], canSteer: true });
    assert.equal(await saidOf(chat), '');
    await chat.tellSession({ queue: [queued('a'), queued('b')], canSteer: true });
    await chat.page.clock.runFor(50);
    assert.equal(await saidOf(chat), '2 queued: prompt b');
    await chat.tellSession({ queue: [queued('a', { isJoining: true }), queued('b')], canSteer: true });
    await chat.tell({
      transcript: { put: [{ kind: 'prompt', id: 'p2', turn: 1, text: 'prompt a', isSteered: true }], before: 0 },
    });
    const log = chat.page.getByRole('log');
    await log.getByText('Your prompt was added to the turn.').waitFor({ state: 'attached' });
    await chat.tell(snapshot(sessionOf({ id: 's2', status: 'busy', queue: [queued('c')] })));
    await chat.page.clock.runFor(50);
    assert.doesNotMatch((await saidOf(chat)) ?? '', /prompt c/);
  });
});
