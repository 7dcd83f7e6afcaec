import assert from 'node:assert/strict';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import * as path from 'node:path';
import { inRoot } from '../../scripts/lib/paths.mjs';
import { AcpProgram } from '../fake/acp/acpProgram';
import { ChatView } from './support/chatView';
import { sharedWindow } from './support/sharedWindow';
import { writeUserSettings } from './support/userSettings';
import type { VsCodeWindow } from './support/window';

const agent = 'Big machine';
const token = 'token-of-the-big-machine';

/** From an entry with a secret that is not stored to answers, also after the server was away. */
describe('An agent at a URL, as a user sets it up', () => {
  let window: VsCodeWindow;
  let chat: ChatView;
  let program: AcpProgram;
  let workspace: string;
  let stateFolder: string;

  const startProgram = async (port: string): Promise<void> => {
    const command = ['node', inRoot('dist', 'demo-agent.js'), '--state', stateFolder];
    const options = ['--port', port, '--token', token, '--agent', command.map((word) => `"${word}"`).join(' ')];
    program = new AcpProgram({ file: inRoot('dist', 'acp-server.js'), cwd: workspace, args: options });
    await program.start();
  };

  before(async () => {
    window = await sharedWindow(async (sandbox) => {
      workspace = sandbox.workspace;
      stateFolder = path.join(sandbox.home, 'sessions');
      await mkdir(stateFolder);
      await startProgram('0');
      const headers = { Authorization: 'Bearer ${secret:TOKEN}' };
      const entry = { url: program.url, headers };
      await writeUserSettings(sandbox, { 'backline.acp.agents': { [agent]: entry }, 'backline.chat.backend': agent });
    });
    chat = new ChatView(window.page);
    await chat.begin(window, agent);
  });
  after(() => program.stop());

  it('shows which secret is missing, and where to store it', async () => {
    await chat.send('what can you do?');
    await chat.shows(/the secret "TOKEN" is not stored\. Run "Backline: Manage Agent Keys…"/);
    await window.screenshot('remote-agent-no-secret');
  });

  it('connects with the secret once it is stored', async () => {
    await window.pickFrom('Backline: Manage Agent Keys…', agent);
    await window.pick('TOKEN');
    const box = window.page.locator('.quick-input-widget:visible input[type=password]');
    await box.fill(token);
    await box.press('Enter');
    await box.waitFor({ state: 'hidden' });
    await window.runCommand('Notifications: Clear All Notifications');
    await chat.send('what can you do?');
    await chat.says(/rename/i);
    await window.screenshot('remote-agent-answer');
  });

  it('shows that it is unavailable while its server is away, and continues in the conversation after that', async () => {
    const { port } = new URL(program.url);
    await program.stop();
    await chat.send('/slow 2');
    await chat.shows(/Big machine is unavailable/);
    await window.screenshot('remote-agent-away');
    await startProgram(port);
    await chat.send('/slow 3');
    await chat.says('Said 3 words');
    assert.equal(await (await chat.frame()).getByText('doesn’t remember this conversation').count(), 0);
    await window.screenshot('remote-agent-back');
  });

  it('leaves its secret in no file', async () => {
    const folder = path.join(window.sandbox.dataDir, 'data');
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
    const kept = (await Promise.all(files.map((name) => readFile(name, 'latin1').catch(() => '')))).join('\n');
    assert.ok(kept.includes('what can you do?'), 'the conversation is kept');
    assert.ok(!kept.includes(token));
  });
});
