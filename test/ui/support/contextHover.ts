import { readFile, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import * as z from 'zod';
import { eventually } from '../../support/eventually';
import { userSettingsFile } from './userSettings';
import type { VsCodeWindow } from './window';

/** Text of the hover over the end of the line that holds some words, maybe not yet all of it; empty when none comes. */
export async function hoverOverEndOf(window: VsCodeWindow, words: string | RegExp, attempts = 10): Promise<string> {
  const { page } = window;
  const part = page
    .locator('.view-line span span')
    .filter({ hasText: typeof words === 'string' ? words.replaceAll(' ', '\u00a0') : words })
    .first();
  await part.waitFor();
  const widget = page.locator('.monaco-hover:not(.hidden) .hover-contents');
  for (let attempt = 0; attempt < attempts; attempt++) {
    const box = await eventually('the line, which may just be drawn again', async () => {
      const drawn = await part.boundingBox();
      if (!drawn) throw new Error('it is not drawn');
      return drawn;
    });
    await page.mouse.move(box.x + box.width + 200, box.y + 120);
    await page.mouse.move(box.x + box.width - 6, box.y + box.height / 2, { steps: 3 });
    await widget
      .first()
      .waitFor({ timeout: 1_500 })
      .catch(() => undefined);
    const text = (await widget.allInnerTexts()).join('\n');
    if (text !== '') return text.replaceAll('\u00a0', ' ');
  }
  return '';
}

/** Into the settings of the workspace, as if they were edited there. */
export async function setSetting({ sandbox }: VsCodeWindow, id: string, value: unknown): Promise<void> {
  await setIn(path.join(sandbox.workspace, '.vscode', 'settings.json'), id, value);
}

/** The same for those of the machine, which are the user's own, so that nobody is asked about them. */
export async function setUserSetting({ sandbox }: VsCodeWindow, id: string, value: unknown): Promise<void> {
  await setIn(userSettingsFile(sandbox), id, value);
}

async function setIn(file: string, id: string, value: unknown): Promise<void> {
  const settings = z.record(z.string(), z.unknown()).parse(JSON.parse(await readFile(file, 'utf8')));
  await writeFile(file, JSON.stringify({ ...settings, [id]: value }, undefined, 2));
}
