import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import { eventually } from '../support/eventually';
import { ChatView } from './support/chatView';
import { setUserSetting } from './support/contextHover';
import { PlannedAgent } from './support/plannedAgent';
import { takeThemePictures } from './support/themePictures';
import { sharedWindow } from './support/sharedWindow';
import type { VsCodeWindow } from './support/window';

/** What users see when they have unsaved text, and an agent comes along. */
describe('Unsaved text', () => {
  let window: VsCodeWindow;
  let chat: ChatView;
  let agent: PlannedAgent;
  let file: string;

  before(async () => {
    window = await sharedWindow(async (sandbox) => {
      agent = new PlannedAgent(sandbox);
      await agent.install();
      file = path.join(sandbox.workspace, 'notes.txt');
      await writeFile(file, 'one\ntwo\nthree\n');
      const folder = sandbox.workspace;
      await agent.plan('change', [{ command: { script: 'printf "agent\\n" > notes.txt; sleep 3', folder } }]);
      await agent.plan('remove', [{ command: { script: 'rm notes.txt; sleep 3', folder } }]);
      await agent.plan('nothing', []);
    });
    chat = new ChatView(window.page);
    await chat.begin(window, agent.title);
  });

  const text = (): Promise<string> => readFile(file, 'utf8');
  const toast = (words: string) => window.messages.filter({ hasText: words });
  /** In the chat, or in a message, which VS Code moves into the notification center after a while. */
  async function press(words: string, button: string): Promise<void> {
    const item = window.page.locator('.notification-list-item').filter({ hasText: words }).last();
    await eventually(`the message ${words}`, async () => {
      const inChat = await chat.noticesInChat(words);
      if (await inChat.last().isVisible()) {
        await inChat.last().getByRole('button', { name: button, exact: true }).click({ timeout: 5_000 });
        return;
      }
      if (!(await item.isVisible())) await window.runCommand('Notifications: Show Notifications');
      await item.getByRole('button', { name: button, exact: true }).click({ timeout: 5_000 });
    });
  }

  const lines = () => window.page.locator('.editor-instance .view-lines');

  async function typeInEditor(words: string): Promise<void> {
    await window.openFile('notes.txt');
    await lines().first().click();
    await window.page.keyboard.press('Control+Home');
    await window.page.keyboard.type(words);
    await window.page.locator('.tab.active.dirty').filter({ hasText: 'notes.txt' }).waitFor();
  }

  /** VS Code does not hide a message while the pointer is over it. */
  const takePicturesOf = (words: string, name: string): Promise<void> =>
    takeThemePictures(window, name, [1440, 560], () => toast(words).hover());

  it('is named before a prompt; closing the message brings the prompt back', async () => {
    await typeInEditor('mine ');
    await chat.send('nothing');
    await toast('“notes.txt” has unsaved changes').waitFor();
    await chat.shows(/Waiting for your answer about unsaved files/);
    await takePicturesOf('has unsaved changes', 'unsaved-prompt');
    await toast('has unsaved changes').hover();
    await toast('has unsaved changes').locator('.codicon-notifications-clear').first().click();
    await eventually('the draft', async () => assert.equal(await (await chat.prompt()).inputValue(), 'nothing'));
    await (
      await chat.frame()
    )
      .locator(':focus')
      .and(await chat.prompt())
      .waitFor();
    await window.screenshot('unsaved-prompt-back');
  });

  it('is saved with Save All, and the same file is not asked about again', async () => {
    await (await chat.prompt()).press('Enter');
    await press('has unsaved changes', 'Save All');
    await eventually('the text on disk', async () => assert.equal(await text(), 'mine one\ntwo\nthree\n'));
    await eventually('the end', async () => assert.equal((await agent.answers('nothing')).length, 1));
    await typeInEditor('more ');
    await chat.send('nothing');
    await eventually('the end', async () => assert.equal((await agent.answers('nothing')).length, 2));
    assert.equal(await text(), 'more mine one\ntwo\nthree\n');
  });

  it('is compared with what an agent has written on disk, and kept', async () => {
    await setUserSetting(window, 'backline.chat.saveBeforePrompt', 'never');
    await typeInEditor('last ');
    await chat.send('change');
    const conflict = await chat.notice('Planned agent changed “notes.txt” on disk');
    await takeThemePictures(window, 'unsaved-conflict', [1440, 560], () => conflict.first().hover());
    await press('changed “notes.txt” on disk', 'Compare');
    await window.page.locator('.tab.active').filter({ hasText: 'Planned agent’s version' }).waitFor();
    await toast('Which version of “notes.txt”').waitFor();
    await window.screenshot('unsaved-compare');
    await press('Which version of “notes.txt”', 'Keep Mine');
    await window.page.locator('.tab.active[aria-label^="notes.txt"]:not([aria-label*="version"])').waitFor();
    // VS Code shows nothing when the text has been put back.
    await window.page.waitForTimeout(1_500);
    await window.page.keyboard.press('Control+S');
    await eventually('the text on disk', async () => assert.equal(await text(), 'last more mine one\ntwo\nthree\n'));
    assert.equal(await window.messages.filter({ hasText: 'newer' }).count(), 0);
    await window.runCommand('View: Close All Editors');
  });

  it('is in the editor again after undo when the agent’s version was used', async () => {
    await typeInEditor('once ');
    await eventually('the end of the turn', async () => assert.equal((await agent.answers('change')).length, 1));
    await chat.send('change');
    await press('changed “notes.txt” on disk', 'Use Agent’s Version');
    await eventually('the text', async () => assert.match((await lines().allInnerTexts()).join('\n'), /^agent/));
    await lines().first().click();
    await window.page.keyboard.press('Control+Z');
    await eventually('the text', async () => assert.match((await lines().allInnerTexts()).join('\n'), /once/));
    await window.page.keyboard.press('Control+S');
  });

  it('survives the deletion of its file', async () => {
    await eventually('the end of the turn', async () => assert.equal((await agent.answers('change')).length, 2));
    await typeInEditor('still ');
    await chat.send('remove');
    await chat.notice('Planned agent deleted “notes.txt”');
    await window.screenshot('unsaved-deleted');
    await press('deleted “notes.txt”', 'Keep Mine');
    await lines().first().click();
    await window.page.keyboard.press('Control+S');
    await eventually('the text on disk', async () => assert.match(await text(), /^still/));
    await rm(file);
  });
});
