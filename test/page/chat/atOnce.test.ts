// What must not wait for a frame, which a busy machine is slow to draw.
import assert from 'node:assert/strict';
import { chatRequests } from '../../../src/chat/common/page/chatApi';
import { holdCallbacks } from '../support/drawn';
import { ChatPages, type ChatHere } from './support/chatPages';

describe('before the next frame', () => {
  const pages = new ChatPages();
  before(() => pages.start());
  afterEach(() => pages.closePages());
  after(() => pages.stop());

  const open = (): Promise<ChatHere> => pages.openChat(undefined, { before: holdCallbacks });

  it('an arrow after a letter goes down in the list', async () => {
    const chat = await open();
    await chat.composer.pressSequentially('/s');
    await chat.composer.press('ArrowDown');
    await chat.composer.press('Tab');
    assert.equal(await chat.composer.inputValue(), '/sort ');
  });

  it('what is typed after the key that finds is what is looked for', async () => {
    const chat = await open();
    await chat.composer.focus();
    await chat.page.keyboard.press('Control+f');
    await chat.page.keyboard.type('greet');
    const field = chat.page.getByRole('textbox', { name: 'Find in conversation' });
    assert.equal(await field.inputValue(), 'greet');
    assert.equal(await chat.composer.inputValue(), '');
  });

  it('an answer is read aloud', async () => {
    const chat = await open();
    const answer = { kind: 'answer', id: 'spoken', turn: 2 } as const;
    await chat.tell({ transcript: { put: [{ ...answer, text: '', streaming: true }], before: 0 } });
    await chat.tell({ transcript: { put: [{ ...answer, text: 'All is well.' }], before: 0 } });
    assert.equal(await chat.page.getByRole('log').textContent(), 'All is well.');
  });

  it('the host is told of no update, and afterwards once of each', async () => {
    const chat = await open();
    const say = (text: string): Promise<void> =>
      chat.tell({ transcript: { put: [{ kind: 'answer', id: 'told', turn: 2, text }], before: 0 } });
    await say('One.');
    await say('Two.');
    assert.deepEqual(chat.host.requestsOf(chatRequests.shown), []);
    await chat.page.evaluate('runHeldCallbacks()');
    await chat.host.waitFor(chatRequests.shown, 3);
    // Requests arrive in their order.
    await chat.composer.fill('x');
    await chat.host.waitFor(chatRequests.saveDraft);
    assert.equal(chat.host.requestsOf(chatRequests.shown).length, 3, 'with the first update');
  });
});
