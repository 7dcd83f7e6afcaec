import assert from 'node:assert/strict';
import { access, mkdir, readFile, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import type { Locator } from 'playwright-core';
import { AmpClient, lockfiles, type FoundLockfile } from '../host/support/ampClient';
import { eventually } from '../support/eventually';
import { sharedWindow } from './support/sharedWindow';
import type { VsCodeWindow } from './support/window';

describe('Amp, as a user sees it', () => {
  let window: VsCodeWindow;
  const home = (...names: string[]): string => path.join(window.sandbox.home, ...names);
  const found = (): Promise<FoundLockfile[]> => lockfiles(window.sandbox.home);

  async function onlyLockfile(): Promise<FoundLockfile> {
    const all = await found();
    assert.equal(all.length, 1);
    const [lockfile] = all;
    assert.ok(lockfile);
    return lockfile;
  }

  /** The terminal, once it has the focus. */
  let terminal: Locator;

  before(async () => {
    window = await sharedWindow();
    await window.waitForStatus(/Serving on 127\.0\.0\.1:\d+/);
    terminal = window.page.locator('.terminal.xterm.focus');
    // Stands in for the CLI, where its installer puts it: says how often it ran, and writes down every key.
    const script = ['#!/bin/sh', 'stty -icanon -echo', 'echo run >> "$HOME/amp-runs"', 'exec cat >> "$HOME/amp-keys"'];
    await mkdir(home('.local', 'bin'), { recursive: true });
    await writeFile(home('.local', 'bin', 'amp'), script.join('\n') + '\n', { mode: 0o755 });
  });

  it('shows the port and the clients in the status, and what is running behind it', async () => {
    const lockfile = await onlyLockfile();
    const client = await AmpClient.connect(lockfile);
    await window.waitForStatus(new RegExp(`Serving on 127\\.0\\.0\\.1:${lockfile.port} to 1 client`));
    for (const row of [`Serving on 127.0.0.1:${lockfile.port} to 1 client.`, 'Open Amp Terminal', 'Restart Server']) {
      await window.showStatus(row);
    }
    await window.screenshot('amp-status');
    await window.page.keyboard.press('Escape');
    client.close();
    await window.waitForStatus(/No client is connected/);
  });

  it('shows traffic as it comes', async () => {
    await window.runCommand('Backline: Show Traffic');
    await window.page.locator('.tab.active').filter({ hasText: 'Backline Traffic' }).waitFor();
    const client = await AmpClient.connect(await onlyLockfile());
    const lines = window.page.locator('.view-line').filter({ hasText: /in\s+amp\s+client\s+\d+\s+readFile/ });
    // Only from when the tab is known in the extension host, which is later than it is seen.
    await eventually('the traffic', async () => {
      await client.ask('readFile', { path: 'README.md' });
      await lines.first().waitFor({ timeout: 2_000 });
    });
    await window.screenshot('amp-traffic');
    client.close();
  });

  it('installs the diagnostics plugin where the user says, and removes it', async () => {
    const plugin = home('.config', 'amp', 'plugins', 'backline-diagnostics.ts');
    await window.runCommand('Backline: Install or Remove Amp Diagnostics Plugin');
    await window.picks.filter({ hasText: 'Install for this workspace' }).waitFor();
    await window.screenshot('amp-plugin');
    await window.pick('Install for me');
    await window.page
      .getByText(/Installed the Amp diagnostics plugin \S+\./)
      .first()
      .waitFor();
    assert.match(await readFile(plugin, 'utf8'), /^\/\/ backline-diagnostics \d/);

    await window.pickFrom('Backline: Install or Remove Amp Diagnostics Plugin', 'Remove for me');
    // With the folder that it was installed in, as that is empty then.
    const isThere = (file: string) =>
      access(file).then(
        () => true,
        () => false,
      );
    await eventually('the removal', async () => assert.equal(await isThere(path.dirname(plugin)), false));
  });

  it('names the selection in the prompt of the terminal, and leaves the focus there', async () => {
    await window.runCommand('Backline: Open Amp Terminal');
    await eventually('the CLI', async () => assert.equal(await readFile(home('amp-runs'), 'utf8'), 'run\n'));
    await terminal.waitFor();
    await window.openFile('README.md');
    await window.page.locator('.editor-instance .monaco-editor.focused').waitFor();
    await window.page.keyboard.press('Control+Home');
    await window.page.keyboard.press('Shift+ArrowDown');
    await window.runCommand('Backline: Add Selection to Amp Prompt');
    await eventually('the mention', async () => {
      assert.equal(await readFile(home('amp-keys'), 'utf8'), '@README.md#L1 ');
    });
    // The text goes there before the focus does.
    await terminal.waitFor();
    await window.page.keyboard.type('why?');
    await eventually('the keys', async () => {
      assert.equal(await readFile(home('amp-keys'), 'utf8'), '@README.md#L1 why?');
    });
    await window.screenshot('amp-terminal');
  });

  it('is found again after a reload: same name, same folder, another process and token', async () => {
    const before = await onlyLockfile();
    await window.reload();
    const reloaded = async (): Promise<FoundLockfile> => {
      const lockfile = await onlyLockfile();
      assert.notEqual(lockfile.pid, before.pid);
      return lockfile;
    };
    const after = await eventually('the new lockfile', reloaded);
    assert.notEqual(after.authToken, before.authToken);
    assert.deepEqual([after.ideName, after.workspaceFolders], [before.ideName, before.workspaceFolders]);
    const client = await AmpClient.connect(after);
    // The first requests of a window that is still busy with its own start may be given up.
    await eventually('the answer', async () =>
      assert.deepEqual(await client.ask('ping', { message: 'beepboop' }), { message: 'beepboop' }),
    );
    client.close();
  });

  it('finds its terminal again after a reload', async () => {
    await window.page.locator('.terminal-wrapper.active .xterm-screen').waitFor();
    await window.runCommand('Backline: Open Amp Terminal');
    await terminal.waitFor();
    await window.openFile('unicode.txt');
    await window.runCommand('Backline: Add Selection to Amp Prompt');
    await eventually('the mention', async () =>
      assert.match(await readFile(home('amp-keys'), 'utf8'), /@unicode\.txt $/),
    );
    assert.equal(await readFile(home('amp-runs'), 'utf8'), 'run\n');
  });

  it('serves each window at its own port', async () => {
    const folder = path.join(window.sandbox.workspace, 'src');
    const page = await window.openAnother(folder);
    const both = await eventually('both lockfiles', async () => {
      const all = await found();
      assert.equal(all.length, 2);
      return all;
    });
    assert.equal(new Set(both.map(({ port }) => port)).size, 2);
    assert.equal(new Set(both.map(({ pid }) => pid)).size, 2);
    assert.deepEqual(both.flatMap(({ workspaceFolders }) => workspaceFolders).sort(), [
      window.sandbox.workspace,
      folder,
    ]);
    await page.close();
  });
});
