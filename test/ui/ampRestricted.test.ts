import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import { lockfiles } from '../host/support/ampClient';
import { eventually } from '../support/eventually';
import { runExampleClient } from './support/exampleClient';
import { VsCodeWindow } from './support/window';

describe('Amp in Restricted Mode', () => {
  let window: VsCodeWindow;
  const run = (...args: string[]): Promise<string> => runExampleClient(window.sandbox, ...args);
  const port = async (): Promise<number | undefined> => (await lockfiles(window.sandbox.home))[0]?.port;
  const inOwnRange = (at: number | undefined): boolean => at !== undefined && at >= 8400 && at <= 8450;

  before(async () => {
    window = await VsCodeWindow.open({
      restricted: true,
      prepare: async ({ workspace }) => {
        await mkdir(path.join(workspace, '.vscode'), { recursive: true });
        const settings = { 'backline.amp.portRange': '8400-8450', 'backline.exclude': { 'README.md': true } };
        await writeFile(path.join(workspace, '.vscode', 'settings.json'), JSON.stringify(settings));
      },
    });
    await window.waitForStatus(/Serving on 127\.0\.0\.1:\d+/);
  });

  after(() => window.close());

  it('answers reads, and passes over the settings of the workspace', async () => {
    const onDisk = await readFile(path.join(window.sandbox.workspace, 'README.md'), 'utf8');
    // A window that is busy gives requests up, in words that ask to try again.
    await eventually('the text', async () => assert.equal(await run('readFile', 'README.md'), onDisk));
    assert.ok(!inOwnRange(await port()));
  });

  it('refuses edits, with what to do', async () => {
    const file = path.join(window.sandbox.workspace, 'README.md');
    const before = await readFile(file, 'utf8');
    await eventually('the refusal', () => assert.rejects(run('edit', 'README.md', '0', '1', 'x'), /trust/i));
    assert.equal(await readFile(file, 'utf8'), before);
  });

  it('starts no Amp, which would run plugins of the folder, and leads to the trust', async () => {
    await window.runCommand('Backline: Open Amp Terminal');
    const message = window.messages.filter({ hasText: 'so it doesn’t start in an untrusted workspace' });
    await message.getByRole('button', { name: 'Manage Workspace Trust' }).waitFor();
    assert.equal(await window.page.locator('.terminal-wrapper').count(), 0);
  });

  it('says so in the status, which leads to the trust, and follows it', async () => {
    const refused = window.picks.filter({ hasText: 'Edits are refused until you trust the workspace.' });
    await window.showStatus('Edits are refused');
    await refused.waitFor();
    await window.screenshot('amp-restricted');
    await window.chooseInStatus('Manage Workspace Trust');
    await window.trust();
    await eventually('the range of ports of the trusted workspace', async () => assert.ok(inOwnRange(await port())));
    await window.showStatus('Serving on');
    await window.picks.filter({ hasText: /Serving on 127\.0\.0\.1:84\d\d/ }).waitFor();
    await window.showStatus('Edits are refused');
    await refused.waitFor({ state: 'detached' });
  });
});
