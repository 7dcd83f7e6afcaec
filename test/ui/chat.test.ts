import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import { eventually, until } from '../support/eventually';
import { ChatView, demoAgent } from './support/chatView';
import { sharedWindow } from './support/sharedWindow';
import type { VsCodeWindow } from './support/window';

const original = 'export const colour = 1;\nconsole.log(colour);\n';

/** The path from the first prompt on, in one window, as a user goes it. */
describe('The chat, as a user sees it', () => {
  let window: VsCodeWindow;
  let chat: ChatView;
  let file: string;

  before(async () => {
    window = await sharedWindow(async ({ workspace }) => {
      file = path.join(workspace, 'src', 'colour.ts');
      await writeFile(file, original);
    });
    chat = new ChatView(window.page);
    await chat.begin(window, demoAgent);
  });

  const begin = (): Promise<void> => chat.begin(window, demoAgent);

  const contains = (text: string): Promise<void> =>
    eventually('the text of the file', async () => assert.equal(await readFile(file, 'utf8'), text));

  /** Whether a file of what Backline keeps has the text. */
  async function isKept(text: string): Promise<boolean> {
    const folder = path.join(window.sandbox.dataDir, 'data', 'User', 'globalStorage', 'backline.backline');
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
    const texts = await Promise.all(files.map((name) => readFile(name, 'utf8')));
    return texts.some((its) => its.includes(text));
  }

  it('answers the first prompt without an account', async () => {
    await chat.send('what can you do?');
    await chat.says(/rename/i);
    await window.screenshot('chat-first-prompt');
  });

  it('asks with the change it would make, makes it, lists it, and takes it back', async () => {
    await begin();
    await chat.send('rename colour to color in src/colour.ts');
    await (await chat.button('Allow')).waitFor();
    await window.screenshot('chat-approval');
    await contains(original);
    await chat.answer('Allow');
    await contains(original.replaceAll('colour', 'color'));
    await chat.shows(/1 file/);
    await window.screenshot('chat-changes');
    await (await chat.button('Undo')).click();
    await contains(original);
  });

  it('stops when it is told to', async () => {
    await begin();
    await chat.send('/slow 2000');
    await (await chat.button('Stop')).click();
    await (await chat.button('Send')).waitFor();
  });

  it('keeps what was said and what was typed over a reload in mid-turn', async () => {
    await begin();
    await chat.send('/slow 1000');
    await (await chat.button('Stop')).waitFor();
    await chat.type('half a thought');
    await until('the draft is kept', () => isKept('half a thought'));
    await window.reload();
    await window.runCommand('Backline: Open Chat');
    await chat.shows('/slow 1000');
    const prompt = await chat.prompt();
    await eventually('the draft', async () => assert.equal(await prompt.inputValue(), 'half a thought'));
    await window.screenshot('chat-after-reload');
    await prompt.fill('');
  });

  it('has its title and its actions in the header of VS Code', async () => {
    await begin();
    await chat.send('/slow 2');
    await chat.shows('Said 2 words');
    const header = window.page.locator('.part.auxiliarybar > .title, .part.auxiliarybar .composite.title').first();
    const title = async (): Promise<string> => (await chat.frame()).locator('.chat-title').innerText();
    assert.equal(await title(), '/slow 2');
    await header.getByRole('button', { name: /^Follow Agent/ }).click();
    await header.getByRole('button', { name: /^Stop Following Agent/ }).click();
    await header.getByRole('button', { name: /^Follow Agent/ }).waitFor();
    await window.screenshot('chat-header');
    await header.getByRole('button', { name: /^Show Conversations/ }).click();
    const list = (await chat.frame()).getByRole('region', { name: 'Conversations', exact: true });
    await list.waitFor();
    await window.screenshot('chat-header-conversations');
    await header.getByRole('button', { name: /^Show Conversations/ }).click();
    await list.waitFor({ state: 'detached' });
    await window.runCommand('Backline: Rename Conversation…');
    await window.fillInput('Two words');
    await eventually('the new title', async () => assert.equal(await title(), 'Two words'));
    await header.getByRole('button', { name: /^New Conversation/ }).click();
    await chat.shows('What would you like to work on?');
  });

  it('goes on with an answer that a reload has cut off, and keeps its title', async () => {
    await begin();
    await chat.send('/slow 120');
    await chat.shows('whenever you like. This answer');
    await window.reload();
    await window.runCommand('Backline: Open Chat');
    await (await chat.button('Continue')).click();
    await chat.shows('Said 120 words');
    await (await chat.button('Send')).waitFor();
    const frame = await chat.frame();
    assert.equal(await frame.locator('h1').textContent(), '/slow 120');
    const words = (await frame.locator('.entry-answer').allTextContents()).join(' ').split(/\s+/);
    assert.equal(
      words.filter((word) => word === 'This').length,
      Math.ceil(120 / 21),
      'no word is said twice or left out',
    );
    await window.screenshot('chat-continued');
  });

  it('goes on while it is hidden, and shows all of it afterwards', async () => {
    await begin();
    await chat.send('/slow 100');
    await chat.shows('This answer comes one word at a time');
    await window.runCommand('View: Toggle Secondary Side Bar Visibility');
    await window.page.locator('.part.auxiliarybar').waitFor({ state: 'hidden' });
    await window.runCommand('Backline: Open Chat');
    await chat.shows('/slow 100');
    await chat.shows('Said 100 words');
    await (await chat.button('Send')).waitFor();
  });

  it('says once that a question waits when nobody sees it', async () => {
    await begin();
    await chat.send('rename colour to color in src/colour.ts');
    // It was in sight, and was not answered.
    await (await chat.button('Allow')).waitFor();
    const message = window.messages.filter({ hasText: /Request from|wants to/ });
    assert.equal(await message.count(), 0);
    await window.runCommand('View: Toggle Secondary Side Bar Visibility');
    await message.first().waitFor();
    assert.equal(await message.count(), 1);
    await window.waitForStatus(/^Backline: 1 needs you; “rename colour to color in src\/colour\.ts” needs your input/);
    await window.screenshot('chat-marks');
    await message.getByText('Show').click();
    await chat.answer('Deny');
    await contains(original);
    // What ends in view is not marked.
    await (await chat.button('Send')).waitFor();
    await window.waitForStatus(/^(?!.*“rename colour)/);
  });

  it('leads two conversations at once, one of them in a tab', async () => {
    await begin();
    await chat.send('/slow 400');
    await (await chat.button('Stop')).waitFor();
    await window.runCommand('Backline: Open Conversation in Editor Tab');
    await window.page.locator('.tab.active').filter({ hasText: 'slow' }).waitFor();
    // A page that has just come takes the focus from whatever else has it.
    const frames = (): Promise<number> =>
      Promise.all(
        window.page.frames().map((frame) =>
          frame
            .getByRole('textbox', { name: 'Prompt' })
            .isVisible()
            .catch(() => false),
        ),
      ).then((visible) => visible.filter(Boolean).length);
    await eventually('both pages', async () => assert.equal(await frames(), 2));
    await window.runCommand('Backline: New Conversation');
    const shown = (text: string): Promise<boolean[]> =>
      Promise.all(window.page.frames().map((frame) => frame.getByText(text).first().isVisible()));
    await eventually('the new one beside the one that goes on', async () => {
      assert.equal((await shown('What would you like to work on?')).filter(Boolean).length, 1);
      assert.equal((await shown('This answer comes one word at a time')).filter(Boolean).length, 1);
    });
    await window.screenshot('chat-two');
  });

  it('follows the theme', async () => {
    const theme = async (): Promise<string | null> =>
      (await chat.frame()).locator('body').getAttribute('data-vscode-theme-kind');
    const before = await theme();
    await window.runCommand('Preferences: Toggle between Light/Dark Themes');
    await until('the other theme', async () => (await theme()) !== before);
    await window.screenshot('chat-other-theme');
  });
});
