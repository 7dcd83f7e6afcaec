import assert from 'node:assert/strict';
import { access, mkdir, readFile, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import { lockfiles } from '../host/support/ampClient';
import { eventually } from '../support/eventually';
import { ChatView } from './support/chatView';
import { hoverOverEndOf } from './support/contextHover';
import { runExampleClient } from './support/exampleClient';
import { VsCodeWindow } from './support/window';

const refusal = 'Edits are refused until you trust the workspace.';

/** What each part of Backline does in Restricted Mode, until the user trusts the workspace. */
describe('A workspace that is not trusted', () => {
  let window: VsCodeWindow;
  const run = (...args: string[]): Promise<string> => runExampleClient(window.sandbox, ...args);
  const port = async (): Promise<number | undefined> => (await lockfiles(window.sandbox.home))[0]?.port;
  const inOwnRange = (at: number | undefined): boolean => at !== undefined && at >= 8400 && at <= 8450;
  const file = (name: string): string => path.join(window.sandbox.workspace, name);
  const hasRun = (): Promise<boolean> =>
    access(file('ran.txt')).then(
      () => true,
      () => false,
    );

  before(async () => {
    window = await VsCodeWindow.open({
      restricted: true,
      prepare: async ({ workspace }) => {
        await mkdir(path.join(workspace, '.vscode'), { recursive: true });
        const settings = {
          'backline.amp.portRange': '8400-8450',
          'backline.exclude': { 'README.md': true },
          'backline.context.providers': { './ran.mjs': true },
        };
        await writeFile(path.join(workspace, '.vscode', 'settings.json'), JSON.stringify(settings));
        await writeFile(
          path.join(workspace, 'ran.mjs'),
          "import { writeFileSync } from 'node:fs';\n" +
            "writeFileSync(new URL('./ran.txt', import.meta.url), 'ran');\n" +
            "export default { capabilities: () => ({}), items: () => [{ title: 'It ran' }] };\n",
        );
      },
    });
    await window.waitForStatus(/Serving on 127\.0\.0\.1:\d+/);
  });

  after(() => window.close());

  it('has its files read by Amp, without its settings', async () => {
    const onDisk = await readFile(file('README.md'), 'utf8');
    // A window that is busy gives requests up, in words that ask to try again.
    await eventually('the text', async () => assert.equal(await run('readFile', 'README.md'), onDisk));
    assert.ok(!inOwnRange(await port()));
  });

  it('is not edited by Amp, which is told what to do', async () => {
    const before = await readFile(file('README.md'), 'utf8');
    await eventually('the refusal', () => assert.rejects(run('edit', 'README.md', '0', '1', 'x'), /trust/i));
    assert.equal(await readFile(file('README.md'), 'utf8'), before);
  });

  it('has no Amp started, which would run plugins of the folder', async () => {
    await window.runCommand('Backline: Open Amp Terminal');
    const message = window.messages.filter({ hasText: 'so it doesn’t start in an untrusted workspace' });
    await message.getByRole('button', { name: 'Manage Workspace Trust' }).waitFor();
    assert.equal(await window.page.locator('.terminal-wrapper').count(), 0);
  });

  it('has no context providers run, and the status says why', async () => {
    await window.openFile('hello.ts');
    await hoverOverEndOf(window, 'export', 1);
    const words = 'Off: ./ran.mjs. This provider comes from the workspace, which is not trusted';
    await window.showStatus('not trusted', words);
    await window.screenshot('context-restricted');
    await window.page.keyboard.press('Escape');
    assert.equal(await hasRun(), false);
  });

  it('has no agents started in the chat, which leads to the trust', async () => {
    const chat = new ChatView(window.page);
    await window.runCommand('Backline: Open Chat');
    await chat.shows(/Restricted Mode/);
    await window.screenshot('chat-restricted');
    const editor = window.page.locator('.workspace-trust-editor');
    await eventually('the editor of trust', async () => {
      // A notification may lie over it for a while.
      await (await chat.button(/workspace trust/i)).click({ timeout: 5_000 });
      await editor.waitFor({ timeout: 10_000 });
    });
    await window.leaveTrust();
  });

  it('says so in the status, which leads to the trust, and is followed by all of them', async () => {
    await window.showStatus(refusal);
    await window.screenshot('amp-restricted');
    await window.chooseInStatus('Manage Workspace Trust');
    await window.trust();
    await eventually('the range of ports of the trusted workspace', async () => assert.ok(inOwnRange(await port())));
    await window.waitForStatus(/^(?!.*Edits are refused).*Serving on 127\.0\.0\.1:84\d\d/);
  });

  it('has its context providers asked for then, and run once they are allowed', async () => {
    await window.openFile('hello.ts');
    await window.chooseInStatus('Allow ran');
    assert.equal(await hasRun(), false);
    await window.page.locator('.monaco-dialog-box').getByRole('button', { name: 'Allow', exact: true }).click();
    await window.page.locator('.codelens-decoration').filter({ hasText: 'It ran' }).waitFor();
    assert.equal(await hasRun(), true);
  });
});
