import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, readFile, realpath, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import { eventually } from '../support/eventually';
import { ChatView } from './support/chatView';
import { endExtensionHosts } from './support/extensionHosts';
import { VsCodeWindow } from './support/window';

const count = 30;
const unsent = 'Typed in the version before';

/** What the version before has stored is there without a question, and stays where that version finds it. */
describe('Conversations of the version before', () => {
  let window: VsCodeWindow;
  /** Contents by file. */
  const stored = new Map<string, string>();

  before(async () => {
    window = await VsCodeWindow.open({
      prepare: async ({ dataDir, workspace }) => {
        const folder = path.join(storageIn(dataDir), keyOf(await realpath(workspace)));
        await mkdir(path.join(folder, 'heads'), { recursive: true });
        for (let index = 0; index < count; index++) await writeOld(folder, index);
        for (const [file, text] of stored) await writeFile(file, text);
      },
    });
  });
  after(() => window.close());

  const titleOf = (index: number): string => `Said before (${index})`;

  async function writeOld(folder: string, index: number): Promise<void> {
    const id = `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
    await mkdir(path.join(folder, id));
    const at = Date.now() - 60_000 - index;
    const title = titleOf(index);
    const records = [
      { type: 'begin', at, version: 2, id, backendId: 'gone' },
      { type: 'prompt', at, id: 'p1', text: title, attachments: [] },
      { type: 'ended', at, outcome: 'interrupted', text: 'The window was closed.' },
    ];
    const head = { version: 2, id, title, titledBy: 'prompt', backendId: 'gone', backendTitle: 'Gone' };
    const draft = { text: unsent, attachments: [] };
    const lines = records.map((one) => `${JSON.stringify(one)}\n`);
    stored.set(path.join(folder, id, 'log.jsonl'), lines.join(''));
    const whole = { ...head, createdAt: at, updatedAt: at, state: 'idle', draft };
    stored.set(path.join(folder, 'heads', `${id}.json`), JSON.stringify(whole));
  }

  async function isAllThere(there: VsCodeWindow): Promise<void> {
    const chat = new ChatView(there.page);
    await there.page.bringToFront();
    await there.runCommand('Backline: Open Chat');
    await chat.frame();
    await there.runCommand('Backline: Show Conversations');
    await eventually('all conversations', async () => {
      const here = (await chat.frame()).locator('.sessions-rows ul').first().locator('.session');
      assert.equal(await here.filter({ hasText: 'Said before' }).count(), count);
    });
    await (await chat.frame()).locator('.session-open', { hasText: titleOf(count - 1) }).click();
    await eventually('the draft', async () =>
      assert.equal(await (await chat.prompt()).inputValue({ timeout: 5_000 }), unsent),
    );
  }

  it('are all there in two windows that start at once and are killed again and again', async () => {
    const other = await window.another();
    const isStarting = (): Promise<void> => Promise.resolve();
    const isShown = async (): Promise<void> => {
      await new ChatView(other.page).frame();
    };
    for (const moment of [isStarting, isShown]) {
      await Promise.allSettled([window, other].map((one) => one.runCommand('Backline: Open Chat')));
      await moment();
      for (const { page } of [window, other]) await page.goto('about:blank');
      await endExtensionHosts();
      await Promise.all([window.load(), other.load()]);
    }
    await isAllThere(window);
    await isAllThere(other);
    await other.leave();
  });

  it('stay as they are where the version before has them', async () => {
    for (const [file, text] of stored) {
      const found = await readFile(file, 'utf8');
      // A window may write the head of a conversation that it shows, with what that version knows and more.
      if (file.endsWith('.jsonl')) assert.equal(found, text);
      else assert.ok(found.includes(`"draft":{"text":"${unsent}"`), found);
    }
  });
});

function storageIn(dataDir: string): string {
  return path.join(dataDir, 'data', 'User', 'globalStorage', 'backline.backline', 'conversations');
}

function keyOf(folder: string): string {
  return createHash('sha256').update(folder).digest('hex').slice(0, 32);
}
