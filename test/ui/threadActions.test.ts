import assert from 'node:assert/strict';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import type { Locator } from 'playwright-core';
import { eventually } from '../support/eventually';
import { ChatView } from './support/chatView';
import { sharedWindow } from './support/sharedWindow';
import type { VsCodeWindow } from './support/window';

const threadId = (n: number): string => `T-019be0a1-0000-7000-8000-${String(n).padStart(12, '0')}`;

/** What a user does with threads: from the list's menus, by dragging, and through VS Code's dialogs. */
describe('Amp threads, as a user works with them', () => {
  let window: VsCodeWindow;
  let home: string;
  let elsewhere: string;

  before(async () => {
    window = await sharedWindow(async (sandbox) => {
      home = sandbox.home;
      elsewhere = path.join(home, 'other project');
      await mkdir(elsewhere);
      await mkdir(path.join(home, '.local', 'share', 'amp', 'threads'), { recursive: true });
      // Stands in for the CLI: writes down where and with what it runs.
      const amp = `#!/bin/sh\ncase "$2" in list) echo '[]';; continue) printf '%s\\n' "$PWD" "$#" "$@" > "$HOME/amp-new"; mv "$HOME/amp-new" "$HOME/amp-run";; *) exit 1;; esac\n`;
      await mkdir(path.join(home, '.local', 'bin'), { recursive: true });
      await writeFile(path.join(home, '.local', 'bin', 'amp'), amp, { mode: 0o755 });
      await write(1, 'Tax in the cart', sandbox.workspace, { agentMode: 'smart' });
      await write(2, 'In a hurry', sandbox.workspace, { agentMode: 'rush' });
      await write(3, 'Somewhere else', elsewhere);
      await write(4, 'Put away', sandbox.workspace, { archived: true });
    });
    await window.runCommand('Focus on Amp Threads View');
    await row('Tax in the cart').waitFor();
  });

  const row = (text: string | RegExp): Locator =>
    window.page.locator('.pane-body .monaco-list-row').filter({ hasText: text }).first();

  /** As Amp does: the whole file anew, then a rename. */
  async function write(n: number, title: string, folder: string, more: object = {}): Promise<void> {
    const file = path.join(home, '.local', 'share', 'amp', 'threads', `${threadId(n)}.json`);
    await writeFile(`${file}.amptmp`, JSON.stringify(documentOf(n, title, folder, more)));
    await rename(`${file}.amptmp`, file);
  }

  /** Again until it is taken: a menu that has just opened takes a click for the end of the one that opened it. */
  async function chooseInMenu(of: string, item: string): Promise<void> {
    const entry = window.page.locator('.monaco-menu .action-item').filter({ hasText: item }).first();
    let isChosen = false;
    await eventually(`${item} in the menu`, async () => {
      if (!(await entry.isVisible())) {
        if (isChosen) return;
        await row(of).click({ button: 'right', timeout: 5_000 });
        await entry.hover({ timeout: 5_000 });
        // Until then, VS Code takes a click for the end of the one that opened the menu.
        await window.page.waitForTimeout(300);
      }
      await entry.click({ timeout: 5_000 });
      isChosen = true;
      await entry.waitFor({ state: 'hidden', timeout: 2_000 });
    });
  }

  async function drop(uri: string): Promise<void> {
    const data = `(() => { const data = new DataTransfer(); data.setData('text/uri-list', '${uri}'); return data; })()`;
    const dataTransfer = await window.page.evaluateHandle(data);
    for (const type of ['dragenter', 'dragover', 'drop']) {
      await row('Tax in the cart').dispatchEvent(type, { dataTransfer });
    }
  }

  /** The terminal's process may run before it is shown. */
  async function hidePanel(): Promise<void> {
    await window.page.locator('.terminal.xterm.focus').waitFor();
    await window.runCommand('View: Hide Panel');
  }

  it('go on in the CLI, in the folder that they worked in, when the user agrees', async () => {
    // A list that is drawn again may take the click for another row, or for none.
    await eventually('the threads of other folders', async () => {
      if (!(await row('Somewhere else').isVisible())) await row('Other folders').click({ timeout: 5_000 });
      await row('Somewhere else').waitFor({ timeout: 5_000 });
    });
    await chooseInMenu('Somewhere else', 'Continue in Amp CLI');
    const dialog = window.page.locator('.monaco-dialog-box');
    await dialog.getByText(elsewhere).waitFor();
    await window.screenshot('threads-continue-elsewhere');
    await dialog.getByRole('button', { name: 'Start in Thread Folder' }).click();
    const ran = await eventually('the CLI', () => readFile(path.join(home, 'amp-run'), 'utf8'));
    assert.deepEqual(ran.trimEnd().split('\n'), [elsewhere, '3', 'threads', 'continue', threadId(3)]);
    await hidePanel();
  });

  it('are written to a file of the kind and name that the user chooses', async () => {
    for (const [purpose, extension, words] of [
      ['Text to read or paste', 'md', '# Tax in the cart'],
      ['Single file for any browser', 'html', '<title>Tax in the cart'],
      ['All data, for other programs', 'json', '"Tax in the cart"'],
    ] as const) {
      await chooseInMenu('Tax in the cart', 'Export');
      await window.pick(purpose);
      const name = window.page.locator('.quick-input-widget input[type=text]:visible').first();
      const file = path.join(window.sandbox.workspace, `exported.${extension}`);
      await eventually('the dialog', async () => assert.match(await name.inputValue(), /Tax in the cart\.\w+$/));
      await name.fill(file);
      // Again when the dialog was still looking at the folder: it takes no answer then.
      const ok = window.page.locator('.quick-input-widget').getByRole('button', { name: 'OK', exact: true });
      await eventually('the end of the dialog', async () => {
        if (await ok.isVisible()) await ok.click({ timeout: 5_000 });
        await ok.waitFor({ state: 'hidden', timeout: 5_000 });
      });
      // There before it is whole: VS Code makes a file, then fills it.
      await eventually(`the whole ${file}`, async () => {
        const text = await readFile(file, 'utf8');
        assert.ok(text.includes(words) && text.includes('The tax is in it now.'), text);
      });
    }
    await window.messages.filter({ hasText: 'exported.json' }).first().waitFor();
  });

  it('are shown by mode, with archived ones, and all again', async () => {
    await window.pickFrom('Backline: Filter Amp Threads', 'rush');
    await row('Tax in the cart').waitFor({ state: 'detached' });
    await row('In a hurry').waitFor();
    await window.page
      .locator('.tree-explorer-viewlet-tree-view .message')
      .filter({ hasText: 'Filter: mode rush' })
      .waitFor();
    await window.screenshot('threads-filtered');
    await window.runCommand('Backline: Clear Amp Thread Filters');
    await row('Tax in the cart').waitFor();
    await window.pickFrom('Backline: Filter Amp Threads', 'Archived threads');
    await row('Put away').waitFor();
    await window.runCommand('Backline: Clear Amp Thread Filters');
    await row('Put away').waitFor({ state: 'detached' });
  });

  it('are grouped by the folder that they worked in', async () => {
    // It may be midnight meanwhile.
    const day = /Today|Yesterday/;
    await row(day).waitFor();
    await window.runCommand('Backline: Group Amp Threads by Folder');
    await row(day).waitFor({ state: 'detached' });
    await window.screenshot('threads-by-folder');
    await window.runCommand('Backline: Group Amp Threads by Day');
    await row(day).waitFor();
  });

  it('say how many have something new, until they are read', async () => {
    const badge = window.page.locator('.activitybar .action-item').filter({ hasText: /^1$/ });
    await write(5, 'News of the day', window.sandbox.workspace);
    await row('News of the day').waitFor();
    await row('News of the day').filter({ hasText: 'new' }).waitFor();
    await badge.first().waitFor();
    await window.screenshot('threads-badge');
    await row('News of the day').click();
    await window.page.locator('.tab.active').filter({ hasText: 'News of the day' }).waitFor();
    await badge.first().waitFor({ state: 'detached' });
  });

  it('are taken from exported files that are dropped on the list', async () => {
    const file = path.join(window.sandbox.folder, 'an export.json');
    await writeFile(file, JSON.stringify(documentOf(9, 'Dropped from a file', window.sandbox.workspace)));
    // As VS Code's own lists name a file of the machine that the extension is on.
    await drop(`vscode-remote://${new URL(window.page.url()).host}${encodeURI(file)}`);
    await window.page.locator('.tab.active').filter({ hasText: 'Dropped from a file' }).waitFor();
    await row('Dropped from a file').waitFor();
    await window.screenshot('threads-dropped');
  });

  it('are not taken from another machine, which is said', async () => {
    await drop('file:///of/another/machine.json');
    await window.messages.filter({ hasText: 'not on the machine where Backline runs' }).first().waitFor();
  });

  it('go on in the CLI with the one that Amp would continue, when none is shown', async () => {
    const session = path.join(home, '.local', 'share', 'amp', 'session.json');
    await writeFile(session, JSON.stringify({ lastThreadId: threadId(2) }));
    await window.runCommand('View: Close All Editors');
    await window.page.locator('.tabs-container .tab').first().waitFor({ state: 'detached' });
    await window.runCommand('Backline: Open Amp Thread');
    await window.picks.first().filter({ hasText: 'In a hurry' }).filter({ hasText: 'current' }).waitFor();
    await window.page.keyboard.press('Escape');
    await window.runCommand('Backline: Continue in Amp CLI');
    await eventually('the CLI', async () =>
      assert.ok((await readFile(path.join(home, 'amp-run'), 'utf8')).includes(threadId(2))),
    );
    await hidePanel();
  });

  it('go on with another agent, which is given what was said', async () => {
    const { page } = window;
    await chooseInMenu('Tax in the cart', 'Continue with Another Agent');
    const chat = new ChatView(page);
    await chat.shows('Tax in the cart');
    await window.screenshot('threads-continue-in-chat');
    await chat.send('quote what came with this');
    await chat.shows(/digest of an earlier conversation with Amp/);
    await window.screenshot('threads-continued-in-chat');
  });
});

function documentOf(n: number, title: string, folder: string, more: object = {}): object {
  const at = Date.now();
  return {
    v: 2,
    id: threadId(n),
    created: at,
    messages: [
      { role: 'user', messageId: 0, content: [{ type: 'text', text: 'Where is the tax?' }], meta: { sentAt: at } },
      {
        role: 'assistant',
        messageId: 1,
        content: [{ type: 'text', text: 'The tax is in it now.' }],
        state: { type: 'complete', stopReason: 'end_turn' },
      },
    ],
    title,
    env: { initial: { trees: [{ uri: `file://${encodeURI(folder)}` }] } },
    ...more,
  };
}
