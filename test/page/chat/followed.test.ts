import assert from 'node:assert/strict';
import { chatRequests } from '../../../src/chat/common/page/chatApi';
import type { Entry } from '../../../src/transcript/common/entries';
import { until } from '../../support/eventually';
import { drawn } from '../support/drawn';
import { sessionOf, snapshot } from './support/chatFixtures';
import { ChatPages, type ChatHere } from './support/chatPages';

const long: Entry[] = Array.from({ length: 12 }, (_, index): Entry[] => [
  { kind: 'prompt', id: `p${index}`, turn: index + 1, text: `Question ${index}` },
  { kind: 'answer', id: `a${index}`, turn: index + 1, text: 'One line of many.\n\n'.repeat(8) },
]).flat();
const own: Entry = { kind: 'prompt', id: 'own', turn: 13, text: 'And now?' };

describe('a reader who has scrolled up', () => {
  const pages = new ChatPages();
  before(() => pages.start());
  afterEach(() => pages.closePages());
  after(() => pages.stop());

  const scroller = ({ page }: ChatHere) => page.locator('.transcript-scroll');
  const fromEnd = (chat: ChatHere): Promise<number> =>
    scroller(chat).evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight);

  const openScrolledUp = async (part: Parameters<typeof sessionOf>[0] = {}): Promise<ChatHere> => {
    const chat = await pages.openChat(snapshot(sessionOf(part), { transcript: { reset: true, put: long, before: 0 } }));
    await drawn(chat.page);
    await scroller(chat).hover();
    await chat.page.mouse.wheel(0, -2_000);
    await chat.page.getByRole('button', { name: /Jump to Latest/ }).waitFor();
    return chat;
  };
  /** As the host does it: the prompt is told before the request is answered. */
  const tellsOwnPrompt = (chat: ChatHere): (() => Promise<Record<string, never>>) => {
    return async () => {
      await chat.tell({ transcript: { put: [own], before: 0 } });
      return {};
    };
  };

  it('sees the prompt that they send, and follows its answer', async () => {
    const chat = await openScrolledUp();
    chat.host.answer(chatRequests.send, tellsOwnPrompt(chat));
    await chat.composer.fill('And now?');
    await chat.composer.press('Enter');
    await until('the end is in sight', async () => (await fromEnd(chat)) < 24);
    await chat.tell({
      transcript: { put: [{ kind: 'answer', id: 'later', turn: 13, text: 'Line.\n\n'.repeat(60) }], before: 0 },
    });
    await drawn(chat.page);
    assert.ok((await fromEnd(chat)) < 24, 'the answer is followed');
  });

  it('sees the queued prompt that they send now', async () => {
    const chat = await openScrolledUp({ queue: [{ id: 'q1', text: 'And now?', attachments: [] }] });
    chat.host.answer(chatRequests.sendQueued, tellsOwnPrompt(chat));
    await chat.page.getByRole('button', { name: 'Send Now' }).click();
    await until('the end is in sight', async () => (await fromEnd(chat)) < 24);
  });

  it('stays where they are when the prompt of somebody else comes', async () => {
    const chat = await openScrolledUp();
    const before = await scroller(chat).evaluate((box) => box.scrollTop);
    await chat.tell({ transcript: { put: [own], before: 0 } });
    await drawn(chat.page);
    assert.equal(await scroller(chat).evaluate((box) => box.scrollTop), before);
  });
});
