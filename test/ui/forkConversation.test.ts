import assert from 'node:assert/strict';
import { inRoot } from '../../scripts/lib/paths.mjs';
import { eventually } from '../support/eventually';
import { ChatView } from './support/chatView';
import { sharedWindow } from './support/sharedWindow';
import { writeUserSettings } from './support/userSettings';
import type { VsCodeWindow } from './support/window';

/** A conversation goes on in a second one, with an agent of version 2 that can copy its session. */
describe('Fork Conversation', () => {
  let window: VsCodeWindow;
  let chat: ChatView;

  before(async () => {
    window = await sharedWindow(async (sandbox) => {
      const entry = { command: 'node', args: [inRoot('dist', 'demo-agent.js'), '--protocol', '2'] };
      const agents = { 'backline.acp.agents': { Copying: entry }, 'backline.chat.backend': 'Copying' };
      await writeUserSettings(sandbox, agents);
    });
    chat = new ChatView(window.page);
    await chat.begin(window, 'Copying');
  });

  const prompts = async (): Promise<string[]> => {
    // One far away, because the agent has said more before it was stopped, has nothing but its heading and its text.
    const texts = (await chat.frame()).locator('.entry-prompt .prompt-text, .entry-prompt.is-far');
    return (await texts.allTextContents()).map((text) => text.replace(/^Prompt \d+/, ''));
  };
  const show = (expected: readonly string[]) =>
    eventually(`the prompts ${expected.join(', ')}`, async () => assert.deepEqual(await prompts(), expected));

  it('is refused while the agent works, with what to do', async () => {
    await chat.send('/slow 400');
    await chat.says(/This answer comes/);
    await window.runCommand('Backline: Fork Conversation');
    await window.page
      .locator('.notification-toast')
      .getByText(/The agent is working\. Stop it/)
      .first()
      .waitFor();
    await window.runCommand('Notifications: Clear All Notifications');
    await (await chat.button(/^Stop/)).click();
    await (await chat.button('Send')).waitFor();
    await show(['/slow 400']);
  });

  it('goes on in a second conversation, whose agent knows the first one', async () => {
    await chat.send('/plan');
    await chat.says('All steps of the plan are done.');
    await (await chat.button('Send')).waitFor();
    await window.runCommand('Backline: Fork Conversation');
    await chat.shows(/which stays as it is\. Copying continues in a copy of its session\./);
    await show(['/slow 400', '/plan']);
    await window.screenshot('fork-conversation');
    await chat.send('hello');
    await chat.says(/I am a program with a few fixed rules/);
    await show(['/slow 400', '/plan', 'hello']);
    const text = await (await chat.frame()).locator('body').innerText();
    assert.doesNotMatch(text, /summary was sent/i);
    await window.screenshot('fork-conversation-answer');
  });

  it('leaves the first conversation as it was', async () => {
    await window.runCommand('Backline: Show Conversations in Chat');
    const rows = (await chat.frame()).locator('.session-open').filter({ hasText: '/slow 400' });
    await eventually('two conversations', async () =>
      assert.deepEqual((await rows.locator('.session-title').allInnerTexts()).sort(), [
        '/slow 400',
        'Forked: /slow 400',
      ]),
    );
    await window.screenshot('fork-conversation-list');
    await rows.and((await chat.frame()).locator('[aria-current=false]')).click();
    await show(['/slow 400', '/plan']);
    await chat.send('hello');
    await chat.says(/I am a program with a few fixed rules/);
  });
});
