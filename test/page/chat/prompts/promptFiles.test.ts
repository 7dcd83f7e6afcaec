import assert from 'node:assert/strict';
import { chatRequests } from '../../../../src/chat/common/page/chatApi';
import type { PromptFileRow } from '../../../../src/chat/common/chatView';
import { layoutFaults } from '../../support/layout';
import { themeNames } from '../../support/themes';
import { sessionOf, snapshot } from '../support/chatFixtures';
import { ChatPages, type ChatHere } from '../support/chatPages';

const files: PromptFileRow[] = [
  { id: 'p1', name: 'new-form', description: 'Makes a form with tests', hint: '[form-name] [folder]' },
  { id: 'p2', name: 'daily', description: 'What is to be done today?' },
  { id: 'p3', name: 'sort', description: 'Sorts too' },
  { id: 'p4', name: 'broken', description: 'This file has no text', problem: 'has no text' },
];

describe('prompt files in the composer', () => {
  const pages = new ChatPages();
  before(() => pages.start());
  afterEach(() => pages.closePages());
  after(() => pages.stop());

  const open = async (first = snapshot(sessionOf()), options = {}): Promise<ChatHere> => {
    const chat = await pages.openChat(first, options);
    chat.host.answer(chatRequests.promptFiles, () => ({ files }));
    chat.host.answer(chatRequests.fillPromptFile, ({ args }) => ({
      filled: {
        text: `Make ${args || 'nothing'}\nand test it.`,
        attachments: [{ kind: 'file' as const, id: 'f', title: 'a.ts' }],
      },
    }));
    return chat;
  };
  const option = (chat: ChatHere, name: RegExp) => chat.page.getByRole('option', { name });

  it('are offered beside the agent’s commands, whose names they never take', async () => {
    const chat = await open();
    await chat.composer.pressSequentially('/');
    await option(chat, /\/daily/).waitFor();
    assert.deepEqual(await chat.page.locator('.suggestion-title').allInnerTexts(), [
      '/help',
      '/summarize',
      '/sort',
      '/new-form',
      '/daily',
      '/broken',
    ]);
  });

  it('become the text of the composer by one Enter, and are sent by the next', async () => {
    const chat = await open();
    await chat.composer.pressSequentially('/daily');
    await option(chat, /\/daily/).waitFor();
    await chat.composer.press('Enter');
    assert.deepEqual(await chat.host.waitFor(chatRequests.fillPromptFile), { id: 'p2', args: '' });
    await chat.page.getByRole('button', { name: 'Remove a.ts' }).waitFor();
    assert.equal(await chat.composer.inputValue(), 'Make nothing\nand test it.');
    await chat.composer.press('Enter');
    const sent = await chat.host.waitFor(chatRequests.send);
    assert.equal(sent.text, 'Make nothing\nand test it.');
    assert.deepEqual(
      sent.attachments.map(({ title }) => title),
      ['a.ts'],
    );
  });

  it('wait for their arguments, say what Enter does, and are never sent as a name', async () => {
    const chat = await open(snapshot(null));
    await chat.composer.pressSequentially('/new');
    await option(chat, /\/new-form/).waitFor();
    await chat.composer.press('Tab');
    assert.equal(await chat.composer.inputValue(), '/new-form ');
    assert.equal(
      await chat.page.locator('.command-hint').innerText(),
      '[form-name] [folder] · Enter inserts the prompt',
    );
    await chat.composer.pressSequentially('Order shop');
    await chat.page.getByRole('button', { name: 'Send' }).click();
    assert.deepEqual(await chat.host.waitFor(chatRequests.fillPromptFile), { id: 'p1', args: 'Order shop' });
    await chat.page.getByRole('button', { name: 'Remove a.ts' }).waitFor();
    assert.equal(await chat.composer.inputValue(), 'Make Order shop\nand test it.');
    assert.equal(await chat.page.locator('.command-hint').count(), 0);
  });

  it('leave the text as it is when the user cancels, and say what is wrong with a file', async () => {
    const chat = await open();
    chat.host.answer(chatRequests.fillPromptFile, ({ id }) => {
      if (id === 'p4') throw new Error('broken.prompt.md has no text.');
      return {};
    });
    await chat.composer.pressSequentially('/daily');
    await option(chat, /\/daily/).waitFor();
    await chat.composer.press('Enter');
    await chat.host.waitFor(chatRequests.fillPromptFile);
    assert.equal(await chat.composer.inputValue(), '/daily');
    await chat.composer.fill('/broken');
    await chat.composer.press('Enter');
    await chat.page.getByText('broken.prompt.md has no text.').waitFor();
    assert.equal(await chat.composer.inputValue(), '/broken');
  });

  for (const width of [250, 1440]) {
    it(`can be read and used by everyone in every theme at ${width} pixels`, async () => {
      const chat = await open(snapshot(sessionOf()), { width, height: 500, reducedMotion: true });
      await chat.composer.pressSequentially('/');
      await option(chat, /\/daily/).waitFor();
      assert.deepEqual(await layoutFaults(chat.page, '.suggestions'), []);
      for (const theme of themeNames) {
        await chat.setTheme(theme);
        assert.deepEqual(await chat.axe(), [], theme);
      }
    });
  }
});
