import assert from 'node:assert/strict';
import { cp, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import type { Frame, Locator } from 'playwright-core';
import * as z from 'zod';
import { inRoot } from '../../scripts/lib/paths.mjs';
import { eventually } from '../support/eventually';
import { sharedWindow } from './support/sharedWindow';
import type { VsCodeWindow } from './support/window';

const fixtures = ['01-normal', '02-thinking', '03-cancelled', '05-errors', '07-images', '09-subagents', '10-relations'];
const growing = 'T-019be0a1-0000-7000-8000-0000000000aa';

/** A store of fixtures, as a user of Amp has one, in a real VS Code. */
describe('Amp threads, as a user sees them', () => {
  let window: VsCodeWindow;
  let store: string;

  before(async () => {
    window = await sharedWindow(async ({ home }) => {
      store = path.join(home, '.local', 'share', 'amp', 'threads');
      await mkdir(store, { recursive: true });
      for (const name of fixtures) {
        const file = inRoot('test', 'fixtures', 'threads', `${name}.thread.json`);
        const { id } = z.object({ id: z.string() }).parse(JSON.parse(await readFile(file, 'utf8')));
        await cp(file, path.join(store, `${id}.json`));
      }
      await writeFile(path.join(store, 'T-019be0a1-0000-7000-8000-0000000000ff.json'), '{"messages":');
    });
  });

  const rows = (): Locator => window.page.locator('.pane-body .monaco-list-row');
  const row = (text: string | RegExp): Locator => rows().filter({ hasText: text }).first();

  /** Of the thread that is shown. */
  async function frame(): Promise<Frame> {
    return eventually('a thread that is shown', async () => {
      for (const candidate of window.page.frames()) {
        const isThread = await candidate
          .locator('.thread h1')
          .first()
          .isVisible()
          .catch(() => false);
        if (isThread) return candidate;
      }
      throw new Error('no frame has one');
    });
  }

  async function write(title: string, answers: number): Promise<void> {
    const at = Date.now();
    const messages = [
      { role: 'user', messageId: 0, content: [{ type: 'text', text: 'Count for me' }], meta: { sentAt: at } },
      ...Array.from({ length: answers }, (_, index) => ({
        role: 'assistant',
        messageId: index + 1,
        content: [{ type: 'text', text: `Number ${index + 1}` }],
        state: { type: 'complete', stopReason: 'end_turn' },
      })),
    ];
    const env = { initial: { trees: [{ uri: `file://${window.sandbox.workspace}` }] } };
    const file = path.join(store, `${growing}.json`);
    await writeFile(`${file}.amptmp`, JSON.stringify({ v: answers, id: growing, created: at, messages, title, env }));
    await rename(`${file}.amptmp`, file);
  }

  it('are listed, those of other folders below', async () => {
    await window.runCommand('Focus on Amp Threads View');
    await row('Other folders').waitFor();
    await window.screenshot('threads-list');
    await window.runCommand('Backline: Show Amp Threads from All Folders');
    await row(/2026/).waitFor();
  });

  it('appear in the list when Amp writes them, and change their title in place', async () => {
    await write('Counting', 1);
    await row('Counting').waitFor();
    await write('Counting on', 2);
    await row('Counting on').waitFor();
    await window.screenshot('threads-list-live');
  });

  it('open in a tab and grow there', async () => {
    await row('Counting on').click();
    const thread = await frame();
    await thread.locator('.turns').getByText('Number 2', { exact: true }).waitFor();
    for (let answers = 3; answers <= 12; answers++) await write('Counting on', answers);
    await thread.locator('.turns').getByText('Number 12', { exact: true }).waitFor();
    await window.screenshot('threads-tab');
  });

  it('are found by what was said in them', async () => {
    await window.searchIn('Backline: Search Amp Threads', 'total of the cart', 'Tax in the cart');
    await window.screenshot('threads-search');
    await window.pick('Tax in the cart');
    await window.page.locator('.tab.active').filter({ hasText: 'Tax in the cart' }).waitFor();
  });

  it('are found by what a tool printed, which shows what it is', async () => {
    await window.searchIn('Backline: Search Amp Threads', '"2 passing"', 'Tool output: ');
    await window.screenshot('threads-search-output');
    await window.page.keyboard.press('Escape');
  });

  it('are gone to by a link that is pasted', async () => {
    await window.searchIn('Backline: Search Amp Threads', `https://ampcode.com/threads/${growing}`, 'Counting on');
    await window.pick('Counting on');
    await window.page.locator('.tab.active').filter({ hasText: 'Counting on' }).waitFor();
  });

  it('come back after the window is loaded again', async () => {
    await window.reload();
    await eventually('the thread of the tab', async () => {
      const thread = await frame();
      const tab = await window.page.locator('.tab.active').innerText();
      assert.equal((await thread.locator('h1').innerText()).trim(), tab.trim());
    });
    await window.screenshot('threads-after-reload');
  });
});
