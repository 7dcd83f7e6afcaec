import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { eventually } from '../support/eventually';
import { ChatView, demoAgent } from './support/chatView';
import { sharedWindow } from './support/sharedWindow';
import type { VsCodeWindow } from './support/window';

describe('One conversation in two windows of VS Code', () => {
  let first: VsCodeWindow;
  let second: VsCodeWindow;
  before(async () => {
    second = await sharedWindow(async ({ workspace }) => {
      await writeFile(path.join(workspace, 'src', 'colour.ts'), 'export const colour = 1;\n');
    });
    first = await second.another();
  });

  it('is read along and answered in the other one, which continues when the first is closed', async () => {
    const [here, there] = [new ChatView(first.page), new ChatView(second.page)];
    await here.begin(first, demoAgent);
    await here.send('what can you do?');
    await here.says(/rename/i);

    // The chat was never used in the second window.
    await here.send('rename colour to color in src/colour.ts');
    await here.hasButton('Allow');
    await second.waitForStatus(/needs? your input/);
    await here.answer('Deny');
    await (await here.button('Send')).waitFor();

    await second.runCommand('Backline: Open Chat');
    await second.runCommand('Backline: Show Conversations in Chat');
    await (await there.frame()).locator('.session-open', { hasText: 'what can you do' }).first().click();
    await there.says(/rename/i);
    // Nothing is done with it in the first window, so it goes to and fro with the prompts.
    await there.send('hello from there');
    await here.shows('hello from there');
    await (await there.button('Send')).waitFor();
    await here.send('/slow 20');
    await there.shows('/slow 20');
    // There is nothing to stop at first, as at the end.
    await here.shows('Said 20 words');
    await (await here.button('Send')).waitFor();
    await second.screenshot('chat-goes-to-and-fro');

    await here.send('rename colour to color in src/colour.ts');
    await there.hasButton('Allow');
    await there.shows(/Runs in another VS Code window/);
    await second.screenshot('chat-asks-in-another-window');
    await there.answer('Allow');
    const file = path.join(second.sandbox.workspace, 'src', 'colour.ts');
    await eventually('the change', async () => assert.equal(await readFile(file, 'utf8'), 'export const color = 1;\n'));
    await (await here.button('Send')).waitFor();

    await first.leave();
    await (await there.frame()).getByPlaceholder('Ask, or @ to add context').waitFor();
    await there.send('hello again');
    await there.shows('hello again');
    await (await there.button('Send')).waitFor();
    await second.screenshot('chat-taken-over');
  });
});
