import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import * as z from 'zod';
import { inRoot } from '../../scripts/lib/paths.mjs';
import type { Sandbox } from '../../scripts/lib/vscode/sandbox.mjs';
import { eventually } from '../support/eventually';
import { VsCodeWindow } from './support/window';

/** Of both machines: the first is mended for the second. */
let window: VsCodeWindow;
const amp = ({ home }: Sandbox): string => path.join(home, '.local', 'share', 'amp');

before(async () => {
  window = await VsCodeWindow.open({
    prepare: async (sandbox) => {
      await mkdir(path.dirname(amp(sandbox)), { recursive: true });
      await writeFile(amp(sandbox), 'not a folder\n');
      await withoutAmp(sandbox);
    },
  });
});

after(() => window.close());

describe('Amp where lockfiles cannot be written', () => {
  it('says in the status what failed and what to do', async () => {
    await window.statusItem.filter({ has: window.page.locator('.codicon-error') }).waitFor();
    const place = path.join('.local', 'share', 'amp');
    const row = await window.showStatus('', place);
    assert.match(await row.innerText(), /failed/);
    await window.picks.filter({ hasText: 'Restart Server' }).waitFor();
    await window.screenshot('amp-no-lockfile');
    await window.page.keyboard.press('Escape');
  });

  it('still answers other commands', async () => {
    await window.runCommand('Backline: Show Traffic');
    await window.page.locator('.tab.active').filter({ hasText: 'Backline Traffic' }).waitFor();
  });
});

describe('Amp where the CLI is not installed', () => {
  before(async () => {
    await rm(amp(window.sandbox));
    await window.chooseInStatus('Restart Server');
    await window.waitForStatus(/Serving on 127\.0\.0\.1:\d+/);
  });

  it('explains how to install it instead of opening a terminal', async () => {
    await window.runCommand('Backline: Open Amp Terminal');
    const message = window.messages.filter({ hasText: 'Amp CLI not found on PATH' });
    await message.getByRole('button', { name: 'How to Install' }).waitFor();
    await window.screenshot('amp-not-installed');
    assert.equal(await window.page.locator('.terminal-wrapper').count(), 0);
  });

  it('answers every command of the palette', async function () {
    this.timeout(900_000);
    const input = window.page.locator('.quick-input-widget input').first();
    const messages: string[] = [];
    for (const title of await titles()) {
      await window.runCommand(title);
      await input.waitFor({ state: 'hidden', timeout: 1000 }).catch(() => undefined);
      // Some open a list or a box of their own a moment later.
      await input.waitFor({ timeout: 500 }).catch(() => undefined);
      messages.push(...(await window.messages.allInnerTexts()));
      // Again when it came only after the key.
      await eventually(`the end of ${title}`, async () => {
        await window.page.keyboard.press('Escape');
        await input.waitFor({ state: 'hidden', timeout: 1_000 });
      });
    }
    messages.push(...(await window.messages.allInnerTexts()));
    assert.doesNotMatch(messages.join('\n'), /command '[^']*' not found|not running/);
    await window.screenshot('amp-every-command');
  });
});

/** Leaves the folders with the CLI out of the PATH of the login shell, from which VS Code takes it. */
async function withoutAmp({ home }: Sandbox): Promise<void> {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter);
  const PATH = folders.filter((folder) => !existsSync(path.join(folder, 'amp'))).join(path.delimiter);
  await writeFile(path.join(home, '.profile'), `export PATH='${PATH.replaceAll("'", `'\\''`)}'\n`);
}

/** As the palette shows them; without those that it has only where they mean something. */
async function titles(): Promise<string[]> {
  const Manifest = z.object({
    contributes: z.object({
      commands: z.array(
        z.object({ command: z.string(), title: z.string(), category: z.string(), enablement: z.string().optional() }),
      ),
      menus: z.object({ commandPalette: z.array(z.object({ command: z.string() })) }),
    }),
  });
  const manifest = Manifest.parse(JSON.parse(await readFile(inRoot('package.json'), 'utf8')));
  const texts = z.record(z.string(), z.string()).parse(JSON.parse(await readFile(inRoot('package.nls.json'), 'utf8')));
  const { commands, menus } = manifest.contributes;
  const sometimes = new Set(menus.commandPalette.map(({ command }) => command));
  return commands.flatMap(({ command, title, category, enablement }) =>
    sometimes.has(command) || enablement !== undefined
      ? []
      : [`${category}: ${texts[title.replaceAll('%', '')] ?? title}`],
  );
}
