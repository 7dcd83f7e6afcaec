import { cp, mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { installVsix, startHost } from '../vscode/host.mjs';
import { inRoot } from '../paths.mjs';
import { makeSandbox } from '../vscode/sandbox.mjs';
import { smallPng } from './smallPng.mjs';
import { vsixFile } from '../vscode/vsix.mjs';

/** @typedef {import('playwright-core').Page} Page */
/** @typedef {import('playwright-core').Frame} Frame */

/** Of a chat in the secondary side bar, in CSS pixels. */
const chatWidth = 440;
/** Of the machine, because VS Code takes programs from nowhere else. */
const exampleAgent = {
  'backline.acp.agents': {
    'Example agent': { command: process.execPath, args: [inRoot('scripts/lib/pictures/exampleAgent.mjs')] },
  },
  'backline.chat.backend': 'Example agent',
};
const timeoutMs = 60_000;

/**
 * @typedef {object} PictureWindowOptions
 * @property {number} [width] in CSS pixels, like the height
 * @property {number} height
 * @property {boolean} [hasExampleAgent] conversations are with exampleAgent.mjs; default with the demo agent
 * @property {(sandbox: { home: string, workspace: string }) => Promise<void>} [prepare] runs before VS Code starts
 */

/**
 * Opens a VS Code of its own with Backline, on a copy of examples/workspace.
 * @param {import('playwright-core').Browser} browser
 * @param {(window: PictureWindow) => Promise<void>} use the window is closed when it has ended
 * @param {PictureWindowOptions} options
 */
export async function withPictureWindow(browser, use, { width = 1200, height, hasExampleAgent = false, prepare }) {
  const sandbox = await makeSandbox({ workspace: 'examples/workspace' });
  try {
    const { dataDir, env, extensionsDir, folder, home } = sandbox;
    // The title bar and the explorer show its name.
    const workspace = path.join(folder, 'setlist');
    await rename(sandbox.workspace, workspace);
    // The settings of the workspace name them beside it.
    await cp(inRoot('examples/providers'), path.join(folder, 'providers'), { recursive: true });
    await prepare?.({ home, workspace });
    const machine = {
      file: path.join(dataDir, 'data', 'Machine', 'settings.json'),
      settings: hasExampleAgent ? exampleAgent : {},
    };
    await mkdir(path.dirname(machine.file), { recursive: true });
    await writeFile(machine.file, JSON.stringify(machine.settings));
    await installVsix(vsixFile, { dataDir, extensionsDir, env });
    const host = await startHost({
      dataDir,
      extensionsDir,
      env,
      settings: {
        'backline.chat.notifications': 'needsInput',
        'chat.disableAIFeatures': true,
        'editor.bracketPairColorization.enabled': false,
        'editor.fontSize': 13,
        'editor.hover.delay': 100,
        'editor.lineHeight': 20,
        'editor.lightbulb.enabled': 'off',
        'editor.matchBrackets': 'never',
        'editor.minimap.enabled': false,
        'editor.scrollbar.horizontal': 'hidden',
        'editor.scrollbar.vertical': 'hidden',
        'typescript.disableAutomaticTypeAcquisition': true,
        'window.commandCenter': false,
        'workbench.colorTheme': 'Default Dark Modern',
        'workbench.layoutControl.enabled': false,
      },
    });
    try {
      const page = await browser.newPage({
        viewport: { width, height },
        deviceScaleFactor: 1.5,
        reducedMotion: 'reduce',
      });
      page.setDefaultTimeout(timeoutMs);
      await page.goto(host.url(workspace));
      await page.locator('[id="backline.backline.backline.status"]').waitFor();
      const window = new PictureWindow(page, machine);
      try {
        await window.hideStatusItem('status.workbench.keyboardLayout');
        await window.hideStatusItem('status.forwardedPorts');
        await use(window);
      } catch (error) {
        await page.screenshot({ path: inRoot('out', 'pictures-failed.png') });
        throw error;
      }
      await page.close();
    } finally {
      await host.stop();
    }
  } finally {
    await sandbox.remove();
  }
}

/**
 * Up to ten times: what VS Code has just drawn may take no click, or lose the focus.
 * @param {() => Promise<void>} action
 */
async function again(action) {
  for (let attempt = 1; ; attempt++) {
    try {
      await action();
      return;
    } catch (error) {
      if (attempt === 10) throw error;
    }
  }
}

/** Drives VS Code as a user does, with a chat that is as wide as people have it. */
export class PictureWindow {
  #machine;

  /**
   * @param {Page} page
   * @param {{ file: string, settings: object }} machine its settings
   */
  constructor(page, machine) {
    this.page = page;
    this.#machine = machine;
  }

  /**
   * With the menu of the status bar.
   * @param {string} id
   */
  async hideStatusItem(id) {
    const item = this.page.locator(`[id="${id}"]`);
    // A menu takes no click in its first moments.
    await again(async () => {
      await this.page.keyboard.press('Escape');
      await item.click({ button: 'right', timeout: 5_000 });
      await this.page
        .locator('.monaco-menu')
        .getByText(/^Hide '/)
        .click({ delay: 300, timeout: 5_000 });
      await item.waitFor({ state: 'hidden', timeout: 2_000 });
    });
  }

  /**
   * Ends in the dark theme.
   * @param {(theme: 'dark' | 'light') => Promise<void>} use
   */
  async inBothThemes(use) {
    await use('dark');
    await this.#setTheme('Default Light Modern', 'vs');
    await use('light');
    await this.#setTheme('Default Dark Modern', 'vs-dark');
  }

  /**
   * @param {string} theme
   * @param {string} workbenchClass
   */
  async #setTheme(theme, workbenchClass) {
    await writeFile(this.#machine.file, JSON.stringify({ ...this.#machine.settings, 'workbench.colorTheme': theme }));
    await this.page.locator(`.monaco-workbench.${workbenchClass}`).waitFor();
  }

  /**
   * @param {string} title
   */
  async runCommand(title) {
    await this.#choose('F1', `>${title}`, title);
  }

  /**
   * Resolves when the file is in front.
   * @param {string} name
   */
  async openFile(name) {
    await this.#choose('Control+P', name, name);
    await this.page.locator('.tab.active').filter({ hasText: name }).waitFor();
  }

  /**
   * Again when something that had just been opened took the focus, which closes a quick pick.
   * @param {string} key
   * @param {string} words
   * @param {string} row
   */
  async #choose(key, words, row) {
    const widget = this.page.locator('.quick-input-widget');
    await again(async () => {
      if (await widget.isVisible()) await this.page.keyboard.press('Escape');
      await this.page.keyboard.press(key);
      await widget.locator('.quick-input-box input').fill(words, { timeout: 5_000 });
      await widget.locator('.monaco-list-row').filter({ hasText: row }).first().click({ timeout: 5_000 });
      await widget.waitFor({ state: 'hidden', timeout: 5_000 });
    });
  }

  /**
   * Opens the chat in the secondary side bar.
   * @returns {Promise<Frame>} its page
   */
  async openChat() {
    await this.runCommand('Backline: Open Chat');
    await this.page.locator('.part.auxiliarybar').waitFor();
    await this.resize('auxiliarybar', chatWidth);
    return await this.chat();
  }

  /** The page of the chat in the secondary side bar, once it has heard from the host. */
  async chat() {
    return await this.frameWith('.chat textarea', '.transcript-pane[aria-busy=true]');
  }

  /**
   * Resolves when the conversation has the prompt. A prompt that is sent before the agents are known comes back.
   * @param {string} text
   */
  async send(text) {
    const chat = await this.chat();
    const prompt = chat.getByRole('textbox', { name: 'Prompt' });
    await again(async () => {
      await prompt.fill(text);
      await prompt.press('Enter');
      await chat.locator('.entry-prompt').filter({ hasText: text }).waitFor({ timeout: 5_000 });
    });
  }

  /**
   * In the file, which is in front.
   * @param {string} file
   */
  async goToFirstChange(file) {
    await this.page.locator('.tab.active').filter({ hasText: file }).click();
    await this.page.locator('.editor-instance .view-lines').first().click();
    await this.page.keyboard.press('Control+Home');
    await this.page.keyboard.press('Alt+F5');
    await this.page.locator('.codelens-decoration').getByText('Keep', { exact: true }).waitFor();
  }

  /**
   * Over words of a file, which is in front.
   * @param {string} words
   * @param {string} text in the hover that comes
   */
  async hoverOver(words, text) {
    const { page } = this;
    const part = page.locator('.view-line span span').filter({ hasText: words }).first();
    const hover = page.locator('.monaco-hover:not(.hidden)').filter({ hasText: text, hasNotText: 'Loading' });
    await again(async () => {
      const box = await part.boundingBox({ timeout: 5_000 });
      if (!box) throw new Error(`${words} is not there.`);
      await page.mouse.move(1, 1);
      await page.mouse.move(box.x + box.width - 6, box.y + box.height / 2, { steps: 3 });
      await hover.first().waitFor({ timeout: 5_000 });
    });
  }

  /**
   * A page of an extension: the last one that shows something, and not what is to be gone.
   * @param {string} selector
   * @param {string} [without]
   * @returns {Promise<Frame>}
   */
  async frameWith(selector, without) {
    const endMs = Date.now() + timeoutMs;
    while (Date.now() < endMs) {
      for (const frame of this.page.frames()) {
        if (frame === this.page.mainFrame()) continue;
        const isThere = await frame
          .locator(selector)
          .first()
          .isVisible()
          .catch(() => false);
        if (isThere && (without === undefined || (await frame.locator(without).count()) === 0)) return frame;
      }
      await this.page.waitForTimeout(200);
    }
    throw new Error(`No page has ${selector}.`);
  }

  /**
   * Makes a side bar so many CSS pixels wide. The primary one is on the left, the secondary one on the right.
   * @param {'sidebar' | 'auxiliarybar'} part
   * @param {number} width
   * @throws {Error} if it is not as wide then
   */
  async resize(part, width) {
    const bar = this.page.locator(`.part.${part}`);
    const box = await bar.boundingBox();
    if (!box) throw new Error(`There is no ${part}.`);
    // VS Code's handle of 4 px lies beside the part, not on its edge.
    const [edge, wanted] =
      part === 'sidebar' ? [box.x + box.width + 2, box.x + width + 2] : [box.x - 2, box.x + box.width - width - 2];
    await this.page.mouse.move(edge, 300);
    await this.page.mouse.down();
    await this.page.mouse.move(wanted, 300, { steps: 5 });
    await this.page.mouse.up();
    await this.page.mouse.move(1, 1);
    const { width: now = 0 } = (await bar.boundingBox()) ?? {};
    if (Math.abs(now - width) > 4) throw new Error(`The ${part} is ${now} px wide, not ${width}.`);
  }

  /**
   * Fails if a chat in it is not as wide as people have it: 420 to 460 px.
   * @param {string} file relative to media, ends with .png
   * @param {string} [part] the selector of a part of the window; all of it when it is left out
   */
  async picture(file, part) {
    const bar = this.page.locator('.part.auxiliarybar');
    const box = (await bar.isVisible()) ? await bar.boundingBox() : undefined;
    if (box && (box.width < 420 || box.width > 460))
      throw new Error(`The chat is ${box.width} px wide in ${file}, not 420 to 460.`);
    // What VS Code fades in or out.
    await this.page.waitForTimeout(1_000);
    const png = smallPng(await (part === undefined ? this.page : this.page.locator(part)).screenshot());
    await writeFile(inRoot('media', file), png);
    console.log(`media/${file} ${Math.round(png.length / 1024)} KiB`);
  }
}
