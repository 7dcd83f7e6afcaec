import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import { eventually } from '../support/eventually';
import { ChatView } from './support/chatView';
import { PlannedAgent } from './support/plannedAgent';
import { VsCodeWindow } from './support/window';

const title = 'change it';
const unsent = 'not sent yet';
const names = ['values.ts', 'others.ts'];

/** Nothing is out of reach when a window gets another kind of workspace, or none, while the user works. */
describe('A conversation with a change to review and an unsent prompt', () => {
  let window: VsCodeWindow;
  let workspace: string;

  before(async () => {
    window = await VsCodeWindow.open({
      prepare: async (sandbox) => {
        workspace = sandbox.workspace;
        const agent = new PlannedAgent(sandbox);
        await agent.install();
        await mkdir(path.join(workspace, 'src'), { recursive: true });
        for (const name of names) await writeFile(path.join(workspace, 'src', name), 'export const value = 0;\n');
        const script = `sed -i 's/= .*/= 1;/' src/values.ts src/others.ts`;
        await agent.plan(title, [{ command: { script, folder: workspace } }]);
      },
    });
    await mkdir(beside('another'));
    const chat = new ChatView(window.page);
    await window.runCommand('Backline: Open Chat');
    await chat.send(title);
    await (await chat.frame()).locator('.turn-changes').first().waitFor();
    await chat.type(unsent);
    await eventually('the draft on disk', async () => {
      const heads = path.join(storageIn(window.sandbox.dataDir), 'heads');
      const texts = await Promise.all((await readdir(heads)).map((name) => readFile(path.join(heads, name), 'utf8')));
      assert.ok(texts.some((text) => text.includes(unsent)));
    });
    await window.leave();
  });
  after(() => window.close());

  const beside = (name: string): string => path.join(path.dirname(workspace), name);
  async function haveValue(folder: string, value: number): Promise<void> {
    await eventually(`${value} in all files`, async () => {
      for (const name of names) {
        const text = await readFile(path.join(folder, 'src', name), 'utf8');
        assert.equal(text, `export const value = ${value};\n`, name);
      }
    });
  }

  async function showList(there: VsCodeWindow): Promise<ChatView> {
    const chat = new ChatView(there.page);
    await there.runCommand('Backline: Open Chat');
    await chat.frame();
    await there.runCommand('Backline: Show Conversations');
    await (await chat.frame()).locator('.sessions').waitFor();
    return chat;
  }

  async function groupOf(chat: ChatView): Promise<string> {
    const rows = (await chat.frame()).locator('.sessions-rows ul', { hasText: title }).first();
    return await rows.locator('xpath=preceding-sibling::h2[1]').innerText({ timeout: 5_000 });
  }

  const openFromList = async (chat: ChatView): Promise<void> =>
    await (await chat.frame()).locator('.session-open', { hasText: title }).first().click();

  async function isWhole(chat: ChatView): Promise<void> {
    await eventually('the draft', async () =>
      assert.equal(await (await chat.prompt()).inputValue({ timeout: 5_000 }), unsent),
    );
    await (await chat.frame()).locator('.turn-changes').first().waitFor();
    await chat.hasButton('Undo');
  }

  /** It belongs to the window, and is opened with all that it has. */
  async function isHere(there: VsCodeWindow): Promise<ChatView> {
    const chat = await showList(there);
    // The list is shown before it is known where all conversations belong.
    await eventually('the group', async () => assert.match(await groupOf(chat), /today/i));
    await openFromList(chat);
    await isWhole(chat);
    return chat;
  }

  async function choosesPlace(there: VsCodeWindow, place: string): Promise<void> {
    const input = there.page.locator('.quick-input-widget .quick-input-box input');
    // The dialog writes the folder in which it starts over what is typed before it is ready.
    await eventually('the folder in which the dialog starts', async () =>
      assert.match(await input.inputValue({ timeout: 5_000 }), /[/]/),
    );
    await there.fillInput(place);
  }

  /** VS Code loads the window again on another workspace. */
  async function changesWorkspace(there: VsCodeWindow, command: string, place: string): Promise<void> {
    const before = there.page.url();
    await there.runCommand(command);
    await choosesPlace(there, place);
    await eventually('the other workspace', () => {
      assert.notEqual(there.page.url(), before);
      return Promise.resolve();
    });
    await there.statusItem.waitFor();
  }

  it('stays when the folder is saved as a workspace', async () => {
    const there = await window.another(workspace);
    await changesWorkspace(there, 'Workspaces: Save Workspace As...', beside('saved.code-workspace'));
    await isHere(there);
    await there.leave();
  });

  it('stays when a folder is added, and when that unsaved workspace is saved', async () => {
    const there = await window.another(workspace);
    await changesWorkspace(there, 'Workspaces: Add Folder to Workspace...', `${beside('another')}/`);
    await isHere(there);
    await changesWorkspace(there, 'Workspaces: Save Workspace As...', beside('two.code-workspace'));
    await isHere(there);
    await there.leave();
  });

  it('is listed in a window without a folder, from which its folder is opened', async () => {
    const there = await window.another('');
    const chat = await showList(there);
    await eventually('the group', async () => assert.doesNotMatch(await groupOf(chat), /today/i));
    await openFromList(chat);
    const dialog = there.page.locator('.monaco-dialog-box', { hasText: `worked in ${workspace}` });
    // In a window of its own.
    const opened = there.page.waitForEvent('popup');
    await dialog.getByRole('button', { name: 'Open Folder', exact: true }).click();
    const page = await opened;
    assert.equal(new URL(page.url()).searchParams.get('folder'), workspace);
    await page.close();
    await there.leave();
  });

  it('is continued in a window without a folder, and is still found in its own', async () => {
    const there = await window.another('');
    const chat = await showList(there);
    await openFromList(chat);
    const dialog = there.page.locator('.monaco-dialog-box', { hasText: `worked in ${workspace}` });
    await dialog.getByRole('button', { name: 'Continue Here', exact: true }).click();
    await eventually('the draft', async () =>
      assert.equal(await (await chat.prompt()).inputValue({ timeout: 5_000 }), unsent),
    );
    await there.leave();
    const again = await window.another(workspace);
    await isHere(again);
    await again.leave();
  });

  it('undoes its change where the user has moved the folder, and brings it back', async () => {
    const moved = beside('moved');
    await rename(workspace, moved);
    const there = await window.another(moved);
    const chat = await showList(there);
    await eventually('the group', async () => assert.match(await groupOf(chat), /not found/));
    const dialog = there.page.locator('.monaco-dialog-box', { hasText: 'no longer exists' });
    const locate = async (folder: string): Promise<void> => {
      await openFromList(chat);
      await dialog.getByRole('button', { name: 'Locate Folder…', exact: true }).click();
      await choosesPlace(there, folder);
    };
    await locate(`${beside('another')}/`);
    const located = there.messages.filter({ hasText: 'now belong to' });
    await located.getByRole('button', { name: 'Undo', exact: true }).click();
    // The list was closed by the click on the conversation.
    await showList(there);
    await eventually('the group again', async () => assert.match(await groupOf(chat), /not found/));
    await locate(`${moved}/`);
    await isWhole(chat);
    await (await chat.button('Undo')).click();
    const question = there.page.locator('.monaco-dialog-box');
    await question.getByRole('button', { name: 'Undo All', exact: true }).click();
    await haveValue(moved, 0);
    await there.messages.getByRole('button', { name: 'Undo Restore' }).click();
    await haveValue(moved, 1);
    await assert.rejects(readdir(workspace), { code: 'ENOENT' });
    await there.leave();
  });
});

function storageIn(dataDir: string): string {
  return path.join(dataDir, 'data', 'User', 'globalStorage', 'backline.backline', 'conversations');
}
