import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import * as path from 'node:path';
import { inRoot } from '../../scripts/lib/paths.mjs';
import { eventually } from '../support/eventually';
import { ChatView } from './support/chatView';
import { sharedWindow } from './support/sharedWindow';
import { writeUserSettings } from './support/userSettings';
import type { VsCodeWindow } from './support/window';

const agent = 'Keyed agent';
const rightKey = 'sk-right-1234567890';
const wrongKey = 'sk-wrong-1234567890';

/** From a prompt that an agent refuses without a key to its answer. */
describe('The key of an agent, as a user gives it', () => {
  let window: VsCodeWindow;
  let chat: ChatView;

  before(async () => {
    window = await sharedWindow(async (sandbox) => {
      const entry = { command: 'node', args: [inRoot('test', 'fixtures', 'agents', 'keyed.mjs')] };
      const agents = { 'backline.acp.agents': { [agent]: entry }, 'backline.chat.backend': agent };
      await writeUserSettings(sandbox, agents);
    });
    chat = new ChatView(window.page);
    await chat.begin(window, agent);
  });

  const keyBox = () => window.page.locator('.quick-input-widget:visible input[type=password]');

  async function enterKey(key: string): Promise<void> {
    await keyBox().waitFor();
    await keyBox().fill(key);
    await keyBox().press('Enter');
    await keyBox().waitFor({ state: 'hidden' });
  }

  async function signIn(): Promise<void> {
    await (await chat.button('Sign In…')).click();
  }

  /** All that VS Code and Backline keep in files, but for the storage of the browser. */
  async function keptTexts(): Promise<string> {
    const folder = path.join(window.sandbox.dataDir, 'data');
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
    return (await Promise.all(files.map((name) => readFile(name, 'latin1').catch(() => '')))).join('\n');
  }

  it('is asked for when a prompt needs it, hidden, with a button to get one', async () => {
    await chat.send('good morning');
    await chat.shows(/Keyed agent requires you to sign in/);
    await window.screenshot('agent-key-missing');
    await signIn();
    await keyBox().waitFor();
    await window.page.locator('.quick-input-widget:visible').getByRole('button', { name: 'Get a Key' }).waitFor();
    await window.screenshot('agent-key-box');
  });

  it('is not called a sign-in when it is wrong, in words without codes', async () => {
    await enterKey(wrongKey);
    const notice = window.page.locator('.notification-toast').getByText(/did not accept the key.*The key is wrong/);
    await notice.first().waitFor();
    await chat.shows(/did not accept the key/);
    assert.doesNotMatch(await (await chat.frame()).locator('body').innerText(), /-32\d{3}/);
  });

  it('sends the prompt that waited, in its conversation, once', async () => {
    await signIn();
    await keyBox().waitFor();
    await enterKey(rightKey);
    await chat.says('You said: good morning');
    const prompts = (await chat.frame()).locator('.entry-prompt');
    await eventually('one prompt', async () => assert.equal(await prompts.count(), 1));
    await window.screenshot('agent-key-answer');
  });

  it('is in no file that is kept', async () => {
    const kept = await keptTexts();
    assert.ok(kept.includes('good morning'), 'the conversation is kept');
    assert.ok(!kept.includes(rightKey) && !kept.includes(wrongKey));
  });

  it('is removed by Sign Out, and the prompt that waits then survives a reload', async () => {
    await window.runCommand('Backline: Sign Out…');
    const picker = window.page.locator('.quick-input-widget:visible');
    await picker
      .getByRole('option', { name: new RegExp(agent) })
      .first()
      .click();
    await window.page.locator('.monaco-dialog-box').getByRole('button', { name: 'Sign Out' }).click();
    await window.page
      .locator('.notifications-toasts')
      .getByText(/keys for Keyed agent were removed/)
      .first()
      .waitFor();
    // Messages may cover the prompt.
    await window.runCommand('Notifications: Clear All Notifications');
    await chat.send('good evening');
    await chat.shows(/requires you to sign in/);
    await window.reload();
    await window.runCommand('Backline: Open Chat');
    await chat.shows(/to send the waiting prompt/);
    await signIn();
    await enterKey(rightKey);
    // The agent gets the conversation so far with the prompt, as it was restarted.
    await chat.says(/good evening/);
    await eventually('two answers', async () =>
      assert.equal(await (await chat.frame()).locator('.entry-answer').count(), 2),
    );
  });
});
