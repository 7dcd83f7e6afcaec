import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import { AmpClient, lockfiles } from '../host/support/ampClient';
import { eventually } from '../support/eventually';
import { sharedWindow } from './support/sharedWindow';
import type { VsCodeWindow } from './support/window';

describe('Amp and a protected file, in a real window', () => {
  let window: VsCodeWindow;
  let client: AmpClient;
  let file: string;

  before(async () => {
    window = await sharedWindow(async ({ workspace }) => {
      file = path.join(workspace, '.vscode', 'tasks.json');
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, '{}\n');
    });
    await window.waitForStatus(/Serving on 127\.0\.0\.1:\d+/);
    client = await eventually('the client', async () => {
      const [lockfile] = await lockfiles(window.sandbox.home);
      assert.ok(lockfile);
      return await AmpClient.connect(lockfile);
    });
  });

  after(() => client.close());

  /** Presses a button of a notification; VS Code moves one that nobody touches out of sight after some seconds. */
  async function press(text: string, button: string): Promise<void> {
    await eventually(`${button} of “${text}”`, async () => {
      const shown = window.page.locator('.notification-list-item').filter({ hasText: text });
      if ((await shown.count()) === 0) await window.runCommand('Notifications: Show Notifications');
      await shown.first().getByRole('button', { name: button }).click({ timeout: 3_000 });
    });
  }

  const write = async (fullContent: string): Promise<unknown> =>
    (await client.ask('editFile', { path: file, fullContent }))['success'];

  it('is asked for in a notification that holds nothing up, shows the change, and lets the next try pass', async () => {
    assert.equal(await write('{ "version": "2.0.0" }\n'), false);
    const question = 'Amp wants to change .vscode/tasks.json, which is protected';
    await window.messages.filter({ hasText: question }).waitFor();
    await window.screenshot('amp-protected');
    const shown = window.page.locator('.notification-list-item').filter({ hasText: question });
    assert.equal(await shown.getByRole('button', { name: 'Allow Once' }).count(), 0);
    assert.equal(await write('{ "version": "2.0.0" }\n'), false);
    await press(question, 'Show Change');
    await window.page.locator('.tab.active').filter({ hasText: 'tasks.json (change by Amp)' }).waitFor();
    await window.screenshot('amp-protected-change');
    await press(question, 'Allow Once');
    await eventually('the edit', async () => assert.equal(await write('{ "version": "2.0.0" }\n'), true));
    await eventually('the file', async () => assert.match(await readFile(file, 'utf8'), /2\.0\.0/));
  });

  it('is told of when Amp writes it by itself', async () => {
    assert.equal(await write('[]\n'), false);
    await writeFile(file, '[]\n');
    await press('Amp wrote .vscode/tasks.json itself after Backline refused the edit', 'Show File');
    await window.page.locator('.tab.active').filter({ hasText: 'tasks.json' }).waitFor();
  });
});
