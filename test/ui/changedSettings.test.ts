import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import { inRoot } from '../../scripts/lib/paths.mjs';
import type { Sandbox } from '../../scripts/lib/vscode/sandbox.mjs';
import { eventually } from '../support/eventually';
import { ChatView } from './support/chatView';
import { sharedWindow } from './support/sharedWindow';
import { writeUserSettings } from './support/userSettings';
import type { VsCodeWindow } from './support/window';

const agent = 'Key Agent';

/** The agent says how long its key is, and works until a file is there. */
describe('An agent that works while its settings change', () => {
  let window: VsCodeWindow;
  let chat: ChatView;
  let sandbox: Sandbox;
  let done: string;

  const setKey = async (key: string): Promise<void> => {
    const env = { FAKE_API_KEY: key };
    const entry = { command: 'node', args: [inRoot('test', 'fixtures', 'agents', 'keyAgent.mjs')], env };
    await writeUserSettings(sandbox, { 'backline.acp.agents': { [agent]: entry }, 'backline.chat.backend': agent });
  };

  before(async () => {
    window = await sharedWindow(async (its) => {
      sandbox = its;
      done = path.join(sandbox.dataDir, 'done');
      await setKey('1234');
    });
    chat = new ChatView(window.page);
    await chat.begin(window, agent);
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await window.screenshot('changed-settings-failed');
  });

  /** Resolves when the agent has the prompt. Before that, the prompt would go to the agent with the new settings. */
  const isWorking = () => chat.shows(/^Working$/);

  it('completes its answer with the earlier ones, says so once, and has the new ones for the next prompt', async () => {
    await chat.send(`work until ${done}`);
    await isWorking();
    await setKey('12345678');
    const told = await chat.notice(/settings of Key Agent have changed.*with the next prompt\. Restart Now stops/);
    await setKey('123456');
    await writeFile(done, '');
    await chat.says(/a key of 4 letters/);
    assert.equal(await told.count(), 1);
    await chat.send('and now');
    await chat.says(/a key of 6 letters/);
  });

  it('ends its answer for a sign-in if the user clicks Restart Now', async () => {
    await chat.send(`work until ${done}-never`);
    await isWorking();
    await window.runCommand('Backline: Sign In…');
    const box = window.page.locator('.quick-input-widget:visible input[type=password]');
    await eventually('the box for the key', async () => {
      if (!(await box.isVisible())) await window.picks.first().click({ timeout: 5_000 });
      await box.waitFor({ timeout: 5_000 });
    });
    await box.fill('1234567890');
    await box.press('Enter');
    const waiting = await chat.notice(/waits for its answer to “work until.*choose Restart Now/);
    await waiting.first().getByRole('button', { name: 'Restart Now' }).click();
    await chat.shows(/restarted to complete the sign-in/);
    await chat.send('hello');
    await chat.says(/a key of 10 letters/);
  });
});
