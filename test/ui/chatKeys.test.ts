import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import { eventually } from '../support/eventually';
import { ChatView, demoAgent } from './support/chatView';
import { sharedWindow } from './support/sharedWindow';
import type { VsCodeWindow } from './support/window';

/** One that VS Code has out of the box, one of ours, and one of the user's. */
const ownShortcut = { key: 'ctrl+q w', command: 'workbench.action.togglePanel' };

describe('Keys in the chat, in a window with shortcuts of several keys', () => {
  let window: VsCodeWindow;
  let chat: ChatView;

  before(async () => {
    window = await sharedWindow(async ({ dataDir, workspace }) => {
      await writeFile(path.join(workspace, 'src', 'colour.ts'), 'export const colour = 1;\n');
      const folder = path.join(dataDir, 'data', 'User');
      await mkdir(folder, { recursive: true });
      await writeFile(path.join(folder, 'keybindings.json'), `// mine\n${JSON.stringify([ownShortcut])}`);
    });
    chat = new ChatView(window.page);
    await chat.begin(window, demoAgent);
    await chat.type('git status');
  });

  const panel = () => window.page.locator('.part.panel');
  async function press(...keys: string[]): Promise<void> {
    await (await chat.prompt()).focus();
    for (const key of keys) await window.page.keyboard.press(key);
  }
  async function hasOnly(text: string): Promise<void> {
    assert.equal(await (await chat.prompt()).inputValue(), text);
  }

  it('runs what is bound to the keys, and types nothing', async () => {
    await press('Control+k', 'Control+t');
    await window.picks.first().waitFor();
    await hasOnly('git status');
    await window.page.keyboard.press('Escape');

    await eventually('the panel', async () => {
      const isShown = await panel().isVisible();
      // The page learns of the shortcuts a moment after it is shown.
      await press('Control+q', 'w');
      await panel().waitFor({ state: isShown ? 'hidden' : 'visible', timeout: 3_000 });
    });
    await hasOnly('git status');
  });

  it('types nothing of keys that are bound to nothing', async () => {
    await press('Control+k', '7');
    await window.page.getByText('is not a command').first().waitFor();
    await hasOnly('git status');
    await (await chat.prompt()).press('End');
    await window.page.keyboard.type(' now');
    await hasOnly('git status now');
  });

  it('goes to the question that waits', async () => {
    await chat.send('rename colour to color in src/colour.ts');
    const allow = await chat.button('Allow');
    await allow.waitFor();
    await press('Control+k', 'q');
    await (await chat.frame()).locator('.approval:focus').waitFor();
    await hasOnly('');
  });

  it('denies the question in view, and leaves nothing in the composer', async () => {
    const deny = await chat.button('Deny');
    await eventually('the denial', async () => {
      if (await deny.isVisible()) await press('Control+k', 'n');
      await deny.waitFor({ state: 'hidden', timeout: 3_000 });
    });
    await hasOnly('');
    const colour = path.join(window.sandbox.workspace, 'src', 'colour.ts');
    assert.equal(await readFile(colour, 'utf8'), 'export const colour = 1;\n');
  });

  it('allows the question in view once, from the editor', async () => {
    await chat.send('rename colour to color in src/colour.ts');
    const allow = await chat.button('Allow');
    await allow.waitFor();
    await window.openFile('colour.ts');
    await eventually('the edit', async () => {
      if (await allow.isVisible()) for (const key of ['Control+k', 'y']) await window.page.keyboard.press(key);
      await allow.waitFor({ state: 'hidden', timeout: 3_000 });
    });
    const colour = path.join(window.sandbox.workspace, 'src', 'colour.ts');
    await eventually('the file', async () => assert.equal(await readFile(colour, 'utf8'), 'export const color = 1;\n'));
  });

  it('adds the file that is open in the editor to the prompt by Alt+Enter, and the lines that are selected', async () => {
    const frame = await chat.frame();
    const offered = frame.locator('.chip.is-offered');
    await offered.getByText('colour.ts', { exact: true }).waitFor();
    await press('Alt+Enter');
    await frame.getByRole('button', { name: 'Remove colour.ts', exact: true }).click();
    await window.openFile('colour.ts');
    await window.page.keyboard.press('Control+a');
    await offered.getByText('colour.ts:1', { exact: true }).click();
    await frame.getByRole('button', { name: 'Remove colour.ts:1', exact: true }).click();
    await hasOnly('');
  });

  it('leaves no error of Backline in the log of the extension host over a reload', async () => {
    await window.reload();
    await window.runCommand('Backline: Open Chat');
    await chat.frame();
    const logs = path.join(window.sandbox.dataDir, 'data', 'logs');
    const files = (await readdir(logs, { recursive: true })).filter((file) => /exthost.*\.log$/.test(file));
    const hostLogs = files.filter((file) => file.endsWith('remoteexthost.log'));
    assert.ok(hostLogs.length > 0, files.join(', '));
    for (const file of hostLogs) {
      const lines = (await readFile(path.join(logs, file), 'utf8')).split('\n');
      const errors = lines.filter(
        (line) => /\[error\]|PendingMigrationError/.test(line) && /backline|navigator/i.test(line),
      );
      assert.deepEqual(errors, []);
    }
  });
});
