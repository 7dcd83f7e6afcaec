import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import { eventually } from '../support/eventually';
import { ChatView, demoAgent } from './support/chatView';
import { sharedWindow } from './support/sharedWindow';
import type { VsCodeWindow } from './support/window';

const original = 'export const colour = 1;\n';

/** Of the demo agent, which asks before edits unless it is in the mode Auto edit. */
describe('The mode of a conversation, chosen before its first prompt', () => {
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

  const contains = (text: string): Promise<void> =>
    eventually('the text of the file', async () => assert.equal(await readFile(file, 'utf8'), text));

  async function choose(from: string, to: string): Promise<void> {
    // Again if VS Code loads the page again meanwhile, which closes the list.
    await eventually(`the mode ${to}`, async () => {
      if (await (await chat.button(`Mode: ${to}`)).isVisible()) return;
      const option = (await chat.frame()).getByRole('option', { name: new RegExp(`^${to}`) });
      // A click on the button closes a list that is open.
      if (!(await option.isVisible())) await (await chat.button(`Mode: ${from}`)).click({ timeout: 5_000 });
      await option.click({ timeout: 5_000 });
      await (await chat.button(`Mode: ${to}`)).waitFor({ timeout: 5_000 });
    });
  }

  const showsUnattended = async (): Promise<void> =>
    (await chat.frame()).locator('.picker-button.is-warning').getByText('Auto edit').waitFor();

  it('is there when the user begins to write, holds for the first prompt, and shows that it does not ask', async () => {
    await chat.type('rename colour to color in src/colour.ts');
    await choose('Ask', 'Auto edit');
    await showsUnattended();
    await window.screenshot('chat-mode-before-first-prompt');
    await (await chat.button('Send')).click();
    await contains(original.replaceAll('colour', 'color'));
    const frame = await chat.frame();
    assert.equal(await frame.getByRole('button', { name: 'Allow', exact: true }).count(), 0, 'nothing was asked');
  });

  it('is remembered for the next conversation, also after a reload, before anything is written', async () => {
    await chat.begin(window, demoAgent);
    await showsUnattended();
    await window.reload();
    await window.runCommand('Backline: Open Chat');
    await chat.hasButton('Mode: Auto edit');
    assert.notEqual(await (await chat.frame()).locator('.empty').count(), 0, 'nothing was said');
    await choose('Auto edit', 'Ask');
    await chat.send('rename color to colour in src/colour.ts');
    await chat.hasButton('Allow');
    await chat.answer('Allow');
    await contains(original);
  });
});
