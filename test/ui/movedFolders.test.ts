import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, realpath, rename, symlink, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import { eventually } from '../support/eventually';
import { ChatView } from './support/chatView';
import { PlannedAgent } from './support/plannedAgent';
import { VsCodeWindow } from './support/window';

const oldTitle = 'Said to the version before';
const otherTitle = 'Said in another project';
const oldDraft = 'Typed in the version before';

/** Nothing that was said, typed or changed in a folder is out of reach when the folder is opened in another way. */
describe('Conversations of a folder that is opened in another way', () => {
  let window: VsCodeWindow;
  let workspace: string;

  before(async () => {
    window = await VsCodeWindow.open({
      prepare: async (sandbox) => {
        workspace = sandbox.workspace;
        await writeOldConversation(sandbox.dataDir, await realpath(workspace), oldTitle);
        await writeOldConversation(sandbox.dataDir, path.join(sandbox.dataDir, 'other'), otherTitle);
        const agent = new PlannedAgent(sandbox);
        await agent.install();
        await mkdir(path.join(workspace, 'src'), { recursive: true });
        await writeFile(path.join(workspace, 'src', 'values.ts'), 'export const value = 0;\n');
        const script = `sed -i 's/= .*/= 1;/' src/values.ts`;
        await agent.plan('change it', [{ command: { script, folder: sandbox.workspace } }]);
      },
    });
  });
  after(() => window.close());

  const values = (folder: string): Promise<string> => readFile(path.join(folder, 'src', 'values.ts'), 'utf8');

  /** Opens a window on a folder or workspace file, with the chat. */
  async function chatOn(folder: string): Promise<{ other: VsCodeWindow; chat: ChatView }> {
    const other = await window.another(folder);
    await other.page.bringToFront();
    await other.runCommand('Backline: Open Chat');
    return { other, chat: new ChatView(other.page) };
  }
  async function isIn(other: VsCodeWindow, chat: ChatView, title: string, group: RegExp): Promise<void> {
    // The list is shown before it is known where all conversations belong.
    await eventually(`the group of ${title}`, async () => assert.match(await chat.groupOf(other, title), group)).catch(
      async (error: unknown) => {
        const list = await (await chat.frame()).locator('.sessions-rows').innerText();
        const folders = await other.page.locator('.explorer-folders-view .monaco-list-row').allInnerTexts();
        throw new Error(`The list: ${list}\nThe folders: ${folders.join()}`, { cause: error });
      },
    );
  }
  const textIn = async (chat: ChatView): Promise<string> => (await chat.prompt()).inputValue({ timeout: 5_000 });

  /** Opens the conversation. Resolves when it shows its change and its draft. */
  async function hasChangeAndDraft(other: VsCodeWindow, chat: ChatView): Promise<void> {
    await chat.openFromList(other, 'change it');
    await eventually('the draft', async () => assert.equal(await textIn(chat), 'not sent yet'));
    await (await chat.frame()).locator('.turn-changes:visible, .changes').first().waitFor();
  }

  it('has what the version before has stored, with its draft', async () => {
    const chat = new ChatView(window.page);
    await window.runCommand('Backline: Open Chat');
    await chat.openFromList(window, oldTitle);
    await chat.shows(oldTitle);
    await eventually('the draft', async () => assert.equal(await textIn(chat), oldDraft));
  });

  it('keeps a change to review and an unsent prompt', async () => {
    const chat = new ChatView(window.page);
    await window.runCommand('Backline: New Conversation');
    await chat.send('change it');
    await (await chat.frame()).locator('.turn-changes:visible, .changes').first().waitFor();
    await chat.type('not sent yet');
    await eventually('the change', async () => assert.match(await values(workspace), /= 1;/));
    await eventually('the draft on disk', async () => {
      const heads = path.join(storageIn(window.sandbox.dataDir), 'heads');
      const texts = await Promise.all((await readdir(heads)).map((name) => readFile(path.join(heads, name), 'utf8')));
      assert.ok(texts.some((text) => text.includes('not sent yet')));
    });
  });

  it('is listed in a saved workspace with a link to it, and what is of another folder as soon as that is added', async () => {
    const link = `${workspace}-link`;
    await symlink(workspace, link);
    const file = `${workspace}.code-workspace`;
    const added = path.join(window.sandbox.dataDir, 'other');
    await mkdir(added);
    const write = async (...more: readonly string[]): Promise<void> => {
      const folders = [link, path.join(workspace, 'src'), ...more].map((one) => ({ path: one }));
      await writeFile(file, JSON.stringify({ folders }));
    };
    await write();
    const { chat, other } = await chatOn(file);
    await isIn(other, chat, 'change it', /today/i);
    // Nothing tells where it was written before its folder is open.
    await isIn(other, chat, otherTitle, /without a folder/i);
    // VS Code follows its file.
    await write(added);
    await isIn(other, chat, otherTitle, /today/i);
    await hasChangeAndDraft(other, chat);
    await other.leave();
  });

  it('is found at the place to which the user has moved the folder, with its draft', async () => {
    const moved = `${workspace}-moved`;
    await rename(workspace, moved);
    // One of several folders.
    const file = `${workspace}-both.code-workspace`;
    const folders = [path.join(window.sandbox.dataDir, 'other'), moved].map((one) => ({ path: one }));
    await writeFile(file, JSON.stringify({ folders }));
    const { chat, other } = await chatOn(file);
    await isIn(other, chat, 'change it', /not found/);
    await other.screenshot('conversations-of-a-folder-that-is-gone');
    await other.choosePlace(`${moved}/`, async () => {
      await chat.showConversations(other);
      const row = (await chat.frame()).locator('.session', { hasText: 'change it' });
      await row.hover();
      await row.getByRole('button', { name: /More Actions/ }).click();
      await (await chat.frame()).getByRole('menuitem', { name: 'Locate Folder…' }).click();
    });
    await isIn(other, chat, 'change it', /today/i);
    await hasChangeAndDraft(other, chat);
    await other.leave();
  });
});

function storageIn(dataDir: string): string {
  return path.join(dataDir, 'data', 'User', 'globalStorage', 'backline.backline', 'conversations');
}

/** As the version before has stored it: in a folder that is named by a hash of the workspace. */
async function writeOldConversation(dataDir: string, workspace: string, title: string): Promise<void> {
  const id = randomUUID();
  const folder = path.join(storageIn(dataDir), createHash('sha256').update(workspace).digest('hex').slice(0, 32));
  await mkdir(path.join(folder, id), { recursive: true });
  await mkdir(path.join(folder, 'heads'));
  const at = Date.now() - 60_000;
  const records = [
    { type: 'begin', at, version: 2, id, backendId: 'gone' },
    { type: 'prompt', at, id: 'p1', text: title, attachments: [] },
    { type: 'ended', at, outcome: 'interrupted', text: 'The window was closed.' },
  ];
  await writeFile(path.join(folder, id, 'log.jsonl'), records.map((one) => `${JSON.stringify(one)}\n`).join(''));
  const head = { version: 2, id, title, titledBy: 'prompt', backendId: 'gone', backendTitle: 'Gone' };
  const draft = { text: oldDraft, attachments: [] };
  const text = JSON.stringify({ ...head, createdAt: at, updatedAt: at, state: 'idle', draft });
  await writeFile(path.join(folder, 'heads', `${id}.json`), text);
}
