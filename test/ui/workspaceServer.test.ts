import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import * as path from 'node:path';
import { eventually } from '../support/eventually';
import { VsCodeWindow } from './support/window';

/** A repository whose settings name a server and a default agent, opened by somebody who trusts it. */
describe('An Amplifier server that a workspace names', () => {
  let window: VsCodeWindow;
  let server: Server;
  const requests: string[] = [];

  before(async () => {
    server = createServer((request, response) => {
      requests.push(request.url ?? '');
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('{"status":"healthy","version":"9.8.7"}');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    assert.ok(typeof address === 'object' && address);
    // Not an address of this machine by its name, but one that leads to it.
    const host = `http://0.0.0.0:${address.port}`;
    window = await VsCodeWindow.open({
      prepare: async ({ workspace }) => {
        await mkdir(path.join(workspace, '.vscode'), { recursive: true });
        const settings = { 'amplifier.server.host': host, 'backline.chat.backend': 'amplifier' };
        await writeFile(path.join(workspace, '.vscode', 'settings.json'), JSON.stringify(settings));
      },
    });
  });
  after(async () => {
    await window.close();
    server.close();
  });

  async function statusSays(words: string): Promise<void> {
    await window.showStatus(words);
    await window.picks.filter({ hasText: words }).first().waitFor();
    await window.page.keyboard.press('Escape');
  }

  it('gets no request before the user has allowed it', async () => {
    await window.messages.filter({ hasText: 'This workspace wants to run or use: server "Amplifier"' }).waitFor();
    await statusSays('needs your permission because this workspace defines it');
    await window.runCommand('Backline: Open Chat');
    await window.reload();
    await statusSays('needs your permission because this workspace defines it');
    assert.deepEqual(requests, []);
  });

  it('is asked for its health after that, and the question names the address', async () => {
    await window.runCommand('Backline: Review What This Workspace Runs');
    await window.pick('Amplifier');
    const dialog = window.page.locator('.monaco-dialog-box');
    await eventually('the question', async () =>
      assert.match(await dialog.innerText(), /Allow connecting to the server "Amplifier"[^]*http:\/\/0\.0\.0\.0:\d+/),
    );
    await window.screenshot('consent-server');
    assert.deepEqual(requests, []);
    await dialog.getByRole('button', { name: 'Allow', exact: true }).click();
    await statusSays('Version 9.8.7 is running at');
    assert.ok(requests.some((url) => url === '/health'));
  });
});
