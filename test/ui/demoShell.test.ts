import assert from 'node:assert/strict';
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import { eventually } from '../support/eventually';
import { ApprovalCard } from './support/approvalCard';
import { ChatView, demoAgent } from './support/chatView';
import { sharedWindow } from './support/sharedWindow';
import { writeUserSettings } from './support/userSettings';
import type { VsCodeWindow } from './support/window';

const lines = Array.from({ length: 30 }, (_, line) => `export const value${line} = ${line};`);
const original = `${lines.join('\n')}\n`;
const command = [
  `sed -i -e 's/= 2;/= 200;/' -e 's/= 20;/= 2000;/' shell/values.ts`,
  `echo created > 'shell/made by the shell.txt'`,
  'rm shell/old.txt && mv shell/moved.txt shell/renamed.txt',
  'chmod +x shell/tool.sh',
].join('; ');

/** Anybody can try this without an agent of their own: the demo agent that comes with Backline works past the editor. */
describe('The demo agent that works by itself', () => {
  let window: VsCodeWindow;
  let chat: ChatView;
  let folder: string;

  before(async () => {
    window = await sharedWindow(async (sandbox) => {
      await writeUserSettings(sandbox, { 'backline.chat.saveBeforePrompt': 'never' });
      folder = path.join(sandbox.workspace, 'shell');
      await mkdir(folder);
      await writeFile(file('values.ts'), original);
      await writeFile(file('old.txt'), 'old\n');
      await writeFile(file('moved.txt'), 'moved\n');
      await writeFile(file('tool.sh'), 'echo tool\n');
      await chmod(file('tool.sh'), 0o644);
    });
    chat = new ChatView(window.page);
    await chat.begin(window, demoAgent);
  });

  const file = (name: string): string => path.join(folder, name);
  const text = (name = 'values.ts'): Promise<string> => readFile(file(name), 'utf8');
  const names = async (): Promise<string[]> => (await readdir(folder)).toSorted();
  const isExecutable = async (): Promise<boolean> => ((await stat(file('tool.sh'))).mode & 0o100) !== 0;
  const glyphs = () => window.page.locator('.editor-instance .dirty-diff-glyph');
  const peek = () => window.page.locator('.peekview-widget');

  it('runs nothing until it is allowed to, then shows what the shell has changed', async () => {
    await chat.send(`/shell ${command}`);
    await (await chat.button('Allow')).waitFor({ timeout: 40_000 });
    await window.screenshot('demo-shell-question');
    const question = await ApprovalCard.shown(window, chat, 'chmod +x shell/tool.sh');
    assert.equal(await text(), original);
    await question.answer('Allow');
    await chat.shows(/ended with exit code 0/);
    assert.deepEqual(await names(), ['made by the shell.txt', 'renamed.txt', 'tool.sh', 'values.ts']);
    assert.equal(await isExecutable(), true);
    await (await chat.frame()).locator('.changes summary').filter({ hasText: '5 files' }).click();
    await (await chat.frame()).locator('.change-former').filter({ hasText: 'moved.txt' }).waitFor();
    await window.screenshot('demo-shell-changes');
  });

  it('has its changed lines reviewed in the editor, and one of them undone', async () => {
    await window.openFile('values.ts');
    await eventually('both marks', async () => assert.equal(await glyphs().count(), 2));
    await window.page.keyboard.press('Control+Home');
    await window.runCommand('Backline: Go to Next Agent Change');
    await window.runCommand('Backline: Keep Change');
    await eventually('one mark', async () => assert.equal(await glyphs().count(), 1));
    await window.runCommand('Show Next Change');
    await peek().waitFor();
    await window.screenshot('demo-shell-peek');
    await peek().locator('.action-label[aria-label^="Undo Change"]').first().click();
    await eventually('the line', async () => assert.equal(await text(), original.replace('= 2;', '= 200;')));
  });

  it('is taken back to before the prompt, with its files and modes', async () => {
    await eventually('Restore to Here', async () => {
      const entry = (await chat.frame()).locator('.entry-prompt').filter({ hasText: '/shell' });
      await entry.hover({ timeout: 5_000 });
      await entry.getByRole('button', { name: 'Restore to Here…' }).click({ timeout: 5_000 });
    });
    await window.pick('Conversation and Files');
    // None of them is chosen: a command ran, so it is not certain that the agent has made the changes.
    const question = window.page.locator('.quick-input-widget');
    await question.getByText('0 Selected').waitFor();
    await window.picks.filter({ hasText: 'changed while a command ran' }).first().waitFor();
    for (const row of await window.picks.all()) await row.click();
    await question.getByText('6 Selected').waitFor();
    await window.screenshot('demo-shell-restore');
    await question.getByRole('button', { name: 'OK' }).click();
    await eventually('the names', async () =>
      assert.deepEqual(await names(), ['moved.txt', 'old.txt', 'tool.sh', 'values.ts']),
    );
    await eventually('the text', async () => assert.equal(await text(), original));
    await eventually('the mode', async () => assert.equal(await isExecutable(), false));
    assert.deepEqual([await text('old.txt'), await text('moved.txt')], ['old\n', 'moved\n']);
  });

  it('writes a file on disk whose text is not saved, and the text stays', async () => {
    await window.openFile('old.txt');
    await window.page.locator('.editor-instance .view-lines').first().click();
    await window.page.keyboard.press('Control+Home');
    await window.page.keyboard.type('mine ');
    await window.page.locator('.tab.active.dirty').filter({ hasText: 'old.txt' }).waitFor();
    await chat.send('/write by the agent in shell/old.txt');
    await eventually('the file', async () => {
      const allow = (await chat.frame()).getByRole('button', { name: 'Allow', exact: true }).first();
      if (await allow.isVisible()) await allow.click({ timeout: 1_000 });
      assert.equal(await text('old.txt'), 'by the agent\n');
    });
    await chat.notice('changed “shell/old.txt” on disk');
    await window.screenshot('demo-write-unsaved');
    assert.match((await window.page.locator('.editor-instance .view-lines').allInnerTexts()).join(), /mine/);
  });
});

/** The whole loop, with the keyboard: write comments beside lines, send them with one Enter, see them answered there. */
describe('Comments beside lines', () => {
  let window: VsCodeWindow;
  let chat: ChatView;

  before(async () => {
    window = await sharedWindow(async (sandbox) => {
      const folder = path.join(sandbox.workspace, 'comments');
      await mkdir(folder);
      await writeFile(path.join(folder, 'commented.ts'), original);
    });
    chat = new ChatView(window.page);
    await chat.begin(window, demoAgent);
  });

  const widget = () => window.page.locator('.review-widget').last();
  const label = (text: string) => window.page.locator('.review-widget .review-title').filter({ hasText: text });

  async function comment(line: number, text: string): Promise<void> {
    await window.page.locator('.editor-instance .view-lines').first().click();
    await window.page.keyboard.press('Control+Home');
    for (let at = 1; at < line; at++) await window.page.keyboard.press('ArrowDown');
    await window.runCommand('Comments: Add Comment on Current Selection');
    await widget().locator('.monaco-editor.focused').waitFor();
    await window.page.keyboard.type(text);
    await window.page.keyboard.press('Control+Enter');
    await widget().locator('.comment-body').filter({ hasText: text }).waitFor();
  }

  it('are sent with one Enter, and answered at their lines, which say that they have changed', async () => {
    await window.openFile('commented.ts');
    await comment(4, 'Rename value3 to third');
    await comment(9, 'Why is this 8?');
    await label('Draft').first().waitFor();
    await window.screenshot('comments-drafts');
    await window.page.keyboard.press('Control+k');
    await window.page.keyboard.press('t');
    await (await chat.frame()).locator('.chip').filter({ hasText: '2 comments' }).waitFor();
    await window.screenshot('comments-chip');
    await window.page.keyboard.press('Enter');
    await eventually('the answers', async () => {
      const frame = await chat.frame();
      const allow = frame.getByRole('button', { name: 'Allow', exact: true }).first();
      if (await allow.isVisible()) await allow.click({ timeout: 1_000 });
      assert.ok(await frame.getByText('I have read').first().isVisible());
    });
    await label('Answered').first().waitFor();
    await window.page.locator('.review-widget').getByText('I have read “Why is this 8?”').waitFor();
    await label('Answered · Lines changed since').waitFor();
    await window.screenshot('comments-answered');
  });

  it('are there after a reload', async () => {
    await window.reload();
    await window.openFile('commented.ts');
    await window.runCommand('Comments: Focus on Comments View');
    await window.page.locator('.comments-panel').getByText('Why is this 8?').waitFor();
    await window.screenshot('comments-panel');
  });
});
