import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { eventually } from '../support/eventually';
import { ChatView, demoAgent } from './support/chatView';
import { ConversationsView } from './support/conversationsView';
import { sharedWindow } from './support/sharedWindow';
import { VsCodeWindow } from './support/window';

describe('One conversation in two windows of VS Code', () => {
  let first: VsCodeWindow;
  let second: VsCodeWindow;
  before(async () => {
    second = await sharedWindow(async ({ workspace }) => {
      await writeFile(path.join(workspace, 'src', 'colour.ts'), 'export const colour = 1;\n');
    });
    first = await second.another();
  });

  it('is in the list of all conversations of both, which leads to it and takes it away and back', async () => {
    const [here, there, list] = [
      new ChatView(first.page),
      new ChatView(second.page),
      new ConversationsView(second.page),
    ];
    await here.begin(first, demoAgent);
    await here.send('/slow 5');
    await here.shows('Said 5 words');
    // The chat was never used in the second window.
    await here.send('rename colour to color in src/colour.ts');
    await here.hasButton('Deny');
    await second.waitForStatus(/needs? your input/);
    await list.show(second);
    await list.hasRow(/^Needs your input: .*slow 5/);
    await second.screenshot('conversations-beside-editor');

    // From wherever the user is.
    await second.openFile('colour.ts');
    await eventually('the conversation that waits', async () => {
      await second.page.keyboard.press('Control+K');
      await second.page.keyboard.press('j');
      await (await there.button('Deny')).waitFor({ timeout: 10_000 });
    });
    await there.answer('Deny');
    await (await here.button('Send')).waitFor();

    await list.choose(/slow 5/, 'Archive');
    await list.lacksRow(/slow 5/);
    await (await list.frame()).getByRole('button', { name: 'Undo' }).click();
    await list.hasRow(/slow 5/);

    await list.choose(/slow 5/, 'Delete');
    await list.lacksRow(/slow 5/);
    // It is no longer shown where it is open.
    await eventually('an empty page', async () =>
      (await here.frame()).locator('.empty').first().waitFor({ timeout: 5_000 }),
    );
    await second.page.locator('.notification-toast').getByRole('button', { name: 'Undo' }).click();
    await list.hasRow(/slow 5/);
    await here.shows('Said 5 words');

    await second.runCommand('Backline: Open Conversations View in Editor Tab');
    await second.page.locator('.tab.active').filter({ hasText: 'Conversations' }).waitFor();
    await second.reload();
    await second.page.locator('.tab.active').filter({ hasText: 'Conversations' }).waitFor();
    await list.hasRow(/slow 5/);
    await second.screenshot('conversations-in-tab');
    await second.runCommand('View: Close All Editors');
  });

  it('is read along and answered in the other one, which continues when the first is closed', async () => {
    const [here, there] = [new ChatView(first.page), new ChatView(second.page)];
    await here.begin(first, demoAgent);
    await here.send('what can you do?');
    await here.says(/rename/i);

    await second.runCommand('Backline: Open Chat');
    await there.openFromList(second, 'what can you do');
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

describe('Five conversations in three windows of VS Code', () => {
  let here: VsCodeWindow;
  let beside: VsCodeWindow;
  let elsewhere: VsCodeWindow;
  before(async () => {
    // Not the shared one: what is left here would be marked in its status bar.
    here = await VsCodeWindow.open({
      prepare: async ({ folder, workspace }) => {
        await writeFile(path.join(workspace, 'src', 'flavour.ts'), 'export const flavour = 1;\n');
        await mkdir(path.join(folder, 'other'), { recursive: true });
      },
    });
    beside = await here.another();
    elsewhere = await here.another(path.join(here.sandbox.folder, 'other'));
  });
  after(() => here.close());

  const begin = async (window: VsCodeWindow, prompt: string): Promise<ChatView> => {
    const chat = new ChatView(window.page);
    await chat.begin(window, demoAgent);
    await chat.send(prompt);
    return chat;
  };

  it('are one list, in which each is answered, and one key leads to the one that waits longest', async () => {
    await (await begin(beside, 'rename flavour to flavor in src/flavour.ts')).hasButton('Allow');
    await (await begin(beside, '/slow 3000')).hasButton('Stop');
    await (await begin(elsewhere, 'hello from elsewhere')).shows('hello from elsewhere');
    await (await begin(elsewhere, '/run echo from-elsewhere')).hasButton('Allow');
    await (await begin(here, '/run echo from-here')).hasButton('Allow');

    const list = new ConversationsView(here.page);
    await list.show(here);
    await list.hasRow(/^Needs your input: .*rename flavour.*wants to edit src\/flavour\.ts/);
    await list.hasRow(/^Working: .*slow 3000/);
    await list.hasRow(/hello from elsewhere/);
    await here.waitForStatus(/3 need/);
    await here.screenshot('conversations-of-three-windows');

    await list.answer(/Wants to run in other: echo from-elsewhere/, 'Allow Once');
    await new ChatView(elsewhere.page).shows(/Answered in another window/);
    await here.waitForStatus(/2 need/);

    await here.page.keyboard.press('Control+K');
    await here.page.keyboard.press('j');
    const chat = new ChatView(here.page);
    await chat.shows('rename flavour to flavor');
    await chat.answer('Allow');
    const file = path.join(here.sandbox.workspace, 'src', 'flavour.ts');
    await eventually('the change', async () =>
      assert.equal(await readFile(file, 'utf8'), 'export const flavor = 1;\n'),
    );
  });

  it('do not look alive when their window was closed', async () => {
    const list = new ConversationsView(here.page);
    await list.hasRow(/^Working: .*slow 3000/);
    await beside.leave();
    await list.hasRow(/^Interrupted.*slow 3000/i);
    await elsewhere.leave();
  });
});
