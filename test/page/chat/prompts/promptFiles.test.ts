import assert from 'node:assert/strict';
import { chatRequests } from '../../../../src/chat/common/page/chatApi';
import type { PromptFileRow } from '../../../../src/chat/common/chatView';
import { takePicture } from '../../../support/pictures';
import { layoutFaults } from '../../support/layout';
import { themeNames } from '../../support/themes';
import { guardMs, openQuestions } from '../support/approvalPages';
import { commandApproval, sessionOf, snapshot } from '../support/chatFixtures';
import { ChatPages, type ChatHere } from '../support/chatPages';

const files: PromptFileRow[] = [
  {
    id: '/ws/.github/prompts/new-form.prompt.md',
    name: 'new-form',
    description: 'Makes a form with tests',
    hint: '[form-name] \u202e[folder]',
    origin: 'workspace',
  },
  { id: '/home/u/.claude/commands/daily.md', name: 'daily', description: 'What is to be done today?', origin: 'user' },
  { id: '/ws/.claude/commands/sort.md', name: 'sort', description: 'Sorts too', origin: 'workspace' },
  {
    id: '/ws/.github/prompts/broken.prompt.md',
    name: 'broken',
    description: 'This file has no text',
    problem: 'has no text',
    origin: 'workspace',
  },
];

describe('prompt files in the composer', () => {
  const pages = new ChatPages();
  before(() => pages.start());
  afterEach(() => pages.closePages());
  after(() => pages.stop());

  const answerWithFiles = ({ host }: ChatHere): void => {
    host.answer(chatRequests.promptFiles, () => ({ files }));
    host.answer(chatRequests.fillPromptFile, ({ args }) => ({
      filled: {
        text: `Make ${args || 'nothing'}\nand test it.`,
        attachments: [{ kind: 'file' as const, id: 'f', title: 'a.ts' }],
      },
    }));
  };
  const open = async (first = snapshot(sessionOf()), options = {}): Promise<ChatHere> => {
    const chat = await pages.openChat(first, options);
    answerWithFiles(chat);
    return chat;
  };
  const describedBy = ({ composer }: ChatHere) =>
    composer.evaluate((area) => document.getElementById(area.getAttribute('aria-describedby') ?? '')?.textContent);
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
    const form = option(chat, /\/new-form/);
    assert.equal(await form.locator('.suggestion-note').innerText(), 'Workspace · [form-name] [folder]');
    assert.equal(await form.locator('.suggestion-note [data-character]').getAttribute('data-character'), 'U+202E');
    assert.equal(await form.getAttribute('title'), '/ws/.github/prompts/new-form.prompt.md');
    assert.equal(
      await option(chat, /\/daily/)
        .locator('.suggestion-note')
        .innerText(),
      'You',
    );
  });

  it('become the text of the composer by one Enter, and are sent by the next', async () => {
    const chat = await open();
    await chat.composer.pressSequentially('/daily');
    await option(chat, /\/daily/).waitFor();
    await chat.composer.press('Enter');
    assert.deepEqual(await chat.host.waitFor(chatRequests.fillPromptFile), {
      id: '/home/u/.claude/commands/daily.md',
      args: '',
    });
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
      'Workspace · [form-name] [folder] · Enter inserts the prompt',
    );
    await chat.composer.pressSequentially('Order shop');
    assert.match((await describedBy(chat)) ?? '', /Enter inserts the prompt$/);
    await chat.page.getByRole('button', { name: 'Insert Prompt' }).click();
    assert.deepEqual(await chat.host.waitFor(chatRequests.fillPromptFile), {
      id: '/ws/.github/prompts/new-form.prompt.md',
      args: 'Order shop',
    });
    await chat.page.getByRole('button', { name: 'Remove a.ts' }).waitFor();
    assert.equal(await chat.composer.inputValue(), 'Make Order shop\nand test it.');
    assert.equal(await chat.page.locator('.command-hint').count(), 0);
    await chat.page.getByRole('status').getByText('Prompt inserted: /new-form').waitFor({ state: 'attached' });
  });

  it('never answer an approval, and are queued as prompts', async () => {
    const chat = await openQuestions(pages, [commandApproval]);
    answerWithFiles(chat);
    await chat.page.clock.runFor(guardMs);
    await chat.composer.pressSequentially('/daily');
    await option(chat, /\/daily/).waitFor();
    await chat.composer.press('Enter');
    await chat.page.getByRole('button', { name: 'Remove a.ts' }).waitFor();
    await chat.composer.press('Enter');
    assert.equal((await chat.host.waitFor(chatRequests.send)).text, 'Make nothing\nand test it.');
    assert.deepEqual(chat.host.requestsOf(chatRequests.approve), []);
  });

  it('keep what is written after the caret, as arguments', async () => {
    const chat = await open();
    await chat.composer.fill('everything on the list');
    await chat.composer.press('Home');
    await chat.composer.pressSequentially('/dai');
    await option(chat, /\/daily/).waitFor();
    await chat.composer.press('Enter');
    assert.deepEqual(await chat.host.waitFor(chatRequests.fillPromptFile), {
      id: '/home/u/.claude/commands/daily.md',
      args: 'everything on the list',
    });
    await chat.page.getByRole('button', { name: 'Remove a.ts' }).waitFor();
    await chat.composer.press('Control+z');
    assert.equal(await chat.composer.inputValue(), '/daieverything on the list');
    assert.equal(await chat.page.getByRole('button', { name: 'Remove a.ts' }).count(), 0);
  });

  it('keep what is written while they ask, and say so if another conversation is shown then', async () => {
    const chat = await open();
    const asked: (() => void)[] = [];
    chat.host.answer(chatRequests.fillPromptFile, async () => {
      await new Promise<void>((resolve) => asked.push(resolve));
      return { filled: { text: 'Filled', attachments: [] } };
    });
    const insert = async (): Promise<void> => {
      await chat.composer.fill('/daily');
      await chat.composer.press('Enter');
    };
    await insert();
    await chat.host.waitFor(chatRequests.fillPromptFile);
    await chat.composer.fill('Something else');
    asked[0]?.();
    await chat.page.waitForFunction(() => document.querySelector('textarea')?.value === 'Filled\n\nSomething else');
    await insert();
    await chat.host.waitFor(chatRequests.fillPromptFile, 2);
    await chat.tell({ session: sessionOf({ id: 'other' }) });
    asked[1]?.();
    await chat.page.getByText('/daily was not inserted, because another conversation is shown.').waitFor();
  });

  it('are waited for before a name is sent, but not for long', async () => {
    const chat = await open();
    const listed: (() => void)[] = [];
    chat.host.answer(chatRequests.promptFiles, async () => {
      await new Promise<void>((resolve) => listed.push(resolve));
      return { files };
    });
    await chat.composer.fill('/daily now');
    await chat.composer.press('Enter');
    await chat.host.waitFor(chatRequests.promptFiles);
    listed[0]?.();
    assert.deepEqual(await chat.host.waitFor(chatRequests.fillPromptFile), {
      id: '/home/u/.claude/commands/daily.md',
      args: 'now',
    });
    await chat.page.getByRole('button', { name: 'Remove a.ts' }).waitFor();
    assert.deepEqual(chat.host.requestsOf(chatRequests.send), []);
    await chat.composer.fill('/unknown');
    await chat.composer.press('Enter');
    await chat.host.waitFor(chatRequests.promptFiles, 2);
    await chat.page.clock.fastForward(2_000);
    assert.equal((await chat.host.waitFor(chatRequests.send)).text, '/unknown');
  });

  /** The list of files comes when the function is called. */
  const listSlowly = ({ host }: ChatHere): (() => void) => {
    const listed: PromiseWithResolvers<void> = Promise.withResolvers();
    host.answer(chatRequests.promptFiles, async () => {
      await listed.promise;
      return { files };
    });
    return listed.resolve;
  };

  it('are waited for visibly; another Enter sends nothing twice, and a changed text is not sent', async () => {
    const chat = await open();
    const list = listSlowly(chat);
    const progress = chat.page.locator('.command-hint').getByText('Looking for prompt files…');
    await chat.composer.fill('/unknown');
    await chat.composer.press('Enter');
    await progress.waitFor();
    assert.equal(
      await chat.page.getByRole('status').getByText('Looking for prompt files…').count(),
      1,
      'a screen reader says it',
    );
    await chat.composer.press('Enter');
    await chat.composer.press('Control+Enter');
    await chat.composer.press('End');
    await chat.composer.press('x');
    await chat.composer.press('Backspace');
    assert.equal(await progress.count(), 0);
    await chat.page.clock.fastForward(2_000);
    assert.deepEqual(chat.host.requestsOf(chatRequests.send), []);
    await chat.composer.press('Enter');
    await chat.composer.press('Enter');
    await progress.waitFor();
    list();
    assert.equal((await chat.host.waitFor(chatRequests.send)).text, '/unknown');
    await progress.waitFor({ state: 'detached' });
    assert.equal(chat.host.requestsOf(chatRequests.send).length, 1);
    assert.equal(await chat.composer.inputValue(), '');
  });

  it('are inserted visibly when that takes long', async () => {
    const chat = await open();
    const filled: PromiseWithResolvers<void> = Promise.withResolvers();
    chat.host.answer(chatRequests.fillPromptFile, async () => {
      await filled.promise;
      return { filled: { text: 'Filled', attachments: [] } };
    });
    await chat.composer.pressSequentially('/daily');
    await option(chat, /\/daily/).waitFor();
    await chat.composer.press('Enter');
    await chat.page.locator('.command-hint').getByText('Inserting the prompt…').waitFor();
    await chat.composer.press('Enter');
    filled.resolve();
    await chat.page.waitForFunction(() => document.querySelector('textarea')?.value === 'Filled');
    assert.equal(await chat.page.locator('.command-hint').count(), 0);
    assert.equal(chat.host.requestsOf(chatRequests.fillPromptFile).length, 1);
  });

  it('are sent though their text begins with their own name', async () => {
    const chat = await open();
    chat.host.answer(chatRequests.fillPromptFile, () => ({ filled: { text: '/daily work', attachments: [] } }));
    await chat.composer.pressSequentially('/daily');
    await option(chat, /\/daily/).waitFor();
    await chat.composer.press('Enter');
    await chat.page.waitForFunction(() => document.querySelector('textarea')?.value === '/daily work');
    await chat.composer.press('Enter');
    assert.equal((await chat.host.waitFor(chatRequests.send)).text, '/daily work');
  });

  it('are seen from their beginning when they are long', async () => {
    const chat = await open(snapshot(sessionOf()), { height: 400 });
    const text = Array.from({ length: 60 }, (_, line) => `Line ${line}`).join('\n');
    chat.host.answer(chatRequests.fillPromptFile, () => ({ filled: { text, attachments: [] } }));
    await chat.composer.pressSequentially('/daily');
    await option(chat, /\/daily/).waitFor();
    await chat.composer.press('Enter');
    await chat.page.waitForFunction(() => document.querySelector('textarea')?.value.startsWith('Line'));
    assert.deepEqual(
      await chat.composer.evaluate((area) =>
        area instanceof HTMLTextAreaElement ? [area.scrollTop, area.selectionStart] : [],
      ),
      [0, 0],
    );
  });

  it('leave the text as it is when the user cancels, and say what is wrong with a file', async () => {
    const chat = await open();
    chat.host.answer(chatRequests.fillPromptFile, ({ id }) => {
      if (id === '/ws/.github/prompts/broken.prompt.md') throw new Error('broken.prompt.md has no text.');
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
    await chat.composer.press('Enter');
    assert.equal((await chat.host.waitFor(chatRequests.send)).text, '/broken');
  });

  for (const width of [250, 1440]) {
    it(`are waited for with a line that everyone can read in every theme at ${width} pixels`, async () => {
      const chat = await open(snapshot(sessionOf()), { width, height: 500, reducedMotion: true });
      // This wait has no limit, unlike that for the list.
      chat.host.answer(chatRequests.fillPromptFile, () => Promise.withResolvers<never>().promise);
      await chat.composer.pressSequentially('/daily');
      await option(chat, /\/daily/).waitFor();
      await chat.composer.press('Enter');
      await chat.page.locator('.command-hint.is-working').waitFor();
      assert.deepEqual(await layoutFaults(chat.page, '.composer'), []);
      for (const theme of themeNames) {
        await chat.setTheme(theme);
        assert.deepEqual(await chat.axe(), [], theme);
        await takePicture(chat.page, `prompt-files-progress-${theme}-${width}`);
      }
    });

    it(`can be read and used by everyone in every theme at ${width} pixels`, async () => {
      const chat = await open(snapshot(sessionOf()), { width, height: 500, reducedMotion: true });
      await chat.composer.pressSequentially('/');
      await option(chat, /\/daily/).waitFor();
      assert.deepEqual(await layoutFaults(chat.page, '.suggestions'), []);
      const names = chat.page.locator('.suggestion-title');
      assert.deepEqual(
        await names.evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth).length),
        0,
      );
      for (const theme of themeNames) {
        await chat.setTheme(theme);
        assert.deepEqual(await chat.axe(), [], theme);
      }
    });
  }
});
