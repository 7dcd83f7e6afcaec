import assert from 'node:assert/strict';
import { mkdir, utimes } from 'node:fs/promises';
import * as path from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { launchChromium, vsCodeFlags } from '../../../scripts/lib/chromium.mjs';
import { environmentVariable } from '../../../scripts/lib/environment.mjs';
import { installVsix, startHost, testSettings, type Host } from '../../../scripts/lib/vscode/host.mjs';
import { inRoot } from '../../../scripts/lib/paths.mjs';
import { makeSandbox, type Sandbox } from '../../../scripts/lib/vscode/sandbox.mjs';
import { vsixFile } from '../../../scripts/lib/vscode/vsix.mjs';
import { eventually } from '../../support/eventually';

export interface WindowOptions {
  /** A folder of the repository to work on a copy of; default test/fixtures/workspace. */
  readonly workspace?: string;
  readonly settings?: Record<string, unknown>;
  /** The workspace is not trusted; default it is. */
  readonly restricted?: boolean;
  /** Without VS Code's own chat and those of its extensions that few tests need; default it is. */
  readonly isLean?: boolean;
  readonly env?: Record<string, string>;
  /** A .code-workspace file to open instead of the folder, relative to the sandbox; `prepare` makes it. */
  readonly workspaceFile?: string;
  /** Runs before VS Code starts. */
  readonly prepare?: (sandbox: Sandbox) => Promise<void>;
}

/** Waits long for what it is to show: a window of VS Code opens slowly on a busy machine, and speed is for the bench. */
async function newPage(browser: Browser): Promise<Page> {
  // Something that turns, such as the status bar while Amp is looked for, is drawn by the processor: up to a quarter of a test.
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' });
  page.setDefaultTimeout(90_000);
  return page;
}

/**
 * Resolves when VS Code has the folders of the workspace file. In the browser, it begins with the folders that it has stored of
 * the workspace, which are none at first. If it reads the file in the same moment, it takes the workspace for complete
 * without them, until the file changes.
 */
async function hasFolders(page: Page, workspaceFile: string): Promise<void> {
  const explorer = page.locator('.explorer-folders-view .monaco-list-row');
  const isEmpty = page.getByText('You have not yet added a folder to the workspace');
  await eventually(`the folders of ${workspaceFile}`, async () => {
    await explorer.or(isEmpty).first().waitFor({ timeout: 10_000 });
    if (await explorer.first().isVisible()) return;
    const now = new Date();
    await utimes(workspaceFile, now, now);
    await explorer.first().waitFor({ timeout: 5_000 });
  });
}

/** A VS Code with backline.vsix installed, and a page that shows it. The test that opens one closes it. */
export class VsCodeWindow {
  private constructor(
    readonly page: Page,
    readonly sandbox: Sandbox,
    private readonly host: Host,
    private readonly browser: Browser,
    private readonly workspaceFile: string | undefined,
    private readonly opened: AsyncDisposableStack,
  ) {}

  static async open({
    workspace,
    settings = {},
    restricted = false,
    isLean = true,
    env = {},
    workspaceFile,
    prepare,
  }: WindowOptions = {}): Promise<VsCodeWindow> {
    const opened = new AsyncDisposableStack();
    try {
      const sandbox = await makeSandbox({ env, ...(workspace === undefined ? {} : { workspace }) });
      opened.defer(() => sandbox.remove());
      const { dataDir } = sandbox;
      await prepare?.(sandbox);
      // Where Backline was installed for all windows of the run.
      const installed = environmentVariable('BACKLINE_EXTENSIONS');
      if (installed === undefined) await installVsix(vsixFile, sandbox);
      const extensionsDir = installed ?? sandbox.extensionsDir;
      const host = await startHost({
        dataDir,
        extensionsDir,
        env: sandbox.env,
        settings: { ...testSettings, 'chat.disableAIFeatures': isLean, ...settings },
        restricted,
        isLean,
      });
      // Nothing is kept, so it need not save anything.
      opened.defer(() => host.stop({ graceMs: 200 }));
      const browser = await launchChromium(vsCodeFlags);
      opened.defer(() => browser.close());
      const window = new VsCodeWindow(await newPage(browser), sandbox, host, browser, workspaceFile, opened);
      try {
        await window.load();
      } catch (error) {
        await window.screenshot('window-that-did-not-open');
        throw error;
      }
      return window;
    } catch (error) {
      await opened.disposeAsync();
      throw error;
    }
  }

  /** Opens, or opens again, the window on the workspace. Resolves when Backline shows itself in the status bar. */
  async load(): Promise<void> {
    await this.page.goto(this.url);
    await this.statusItem.waitFor();
  }

  /** Closes the window as a user does. A Chromium without windows does not run `pagehide` of a page that is closed. */
  async leave(): Promise<void> {
    await this.page.goto('about:blank');
    await this.page.close();
  }

  /** As a user does it: VS Code keeps what is open when it is told that the window goes. */
  async reload(): Promise<void> {
    const loaded = this.page.waitForEvent('domcontentloaded');
    await this.runCommand('Developer: Reload Window');
    await loaded;
    await this.statusItem.waitFor();
  }

  /** A second window on the same server, without a folder if that is empty. The caller closes the page. */
  async openAnother(folder = this.sandbox.workspace): Promise<Page> {
    const page = await newPage(this.browser);
    const isFile = folder.endsWith('.code-workspace');
    const opened = isFile ? this.urlOfFile(folder) : this.host.url(folder);
    await page.goto(folder === '' ? `http://127.0.0.1:${this.host.port}/?ew=true` : opened);
    await page.locator('[id="backline.backline.backline.status"]').waitFor();
    if (isFile) await hasFolders(page, folder);
    return page;
  }

  /** As `openAnother`, also on a workspace file, to be driven like this one. The caller closes its page, not itself. */
  async another(place?: string): Promise<VsCodeWindow> {
    const { sandbox, host, browser, workspaceFile, opened } = this;
    return new VsCodeWindow(await this.openAnother(place), sandbox, host, browser, workspaceFile, opened);
  }

  private get url(): string {
    if (this.workspaceFile === undefined) return this.host.url(this.sandbox.workspace);
    return this.urlOfFile(path.join(this.sandbox.folder, this.workspaceFile));
  }

  private urlOfFile(file: string): string {
    return `http://127.0.0.1:${this.host.port}/?workspace=${encodeURIComponent(file)}`;
  }

  get statusItem() {
    return this.page.locator('[id="backline.backline.backline.status"]');
  }

  /** The messages that are shown in the corner. */
  get messages() {
    return this.page.locator('.notification-toast');
  }

  /** The rows of the quick pick that is open. */
  get picks() {
    return this.page.locator('.quick-input-widget .quick-input-list .monaco-list-row');
  }

  private get input() {
    return this.page.locator('.quick-input-widget .quick-input-box input');
  }

  /** Runs a command by its title, as a user does from the palette. */
  async runCommand(title: string): Promise<void> {
    await this.choose('F1', `>${title}`, title);
  }

  /** Types into the palette. Resolves when it has the row. */
  async showCommands(words: string, row: string): Promise<void> {
    await this.withQuickPick('F1', `>${words}`, async () => {
      await this.picks.filter({ hasText: row }).first().waitFor({ timeout: 6_000 });
    });
  }

  /** Resolves when the status bar item says so to a screen reader: it names each feature with its state. */
  async waitForStatus(text: RegExp): Promise<void> {
    await eventually(`${String(text)} in the status`, async () =>
      assert.match((await this.statusItem.locator('a').getAttribute('aria-label', { timeout: 5_000 })) ?? '', text),
    );
  }

  /**
   * Opens the status list and types the words, as the list is longer than what is shown of it. Resolves with the first row that
   * has the text `row`. Again when a window that just changes what has the focus closed the list.
   */
  async showStatus(words: string, row: string | RegExp = words): Promise<Locator> {
    const title = this.page.locator('.quick-input-title').filter({ hasText: 'Backline Status' });
    const rows = this.picks.filter({ hasText: row });
    const open = async (): Promise<void> => {
      if (!(await title.isVisible())) await this.statusItem.click({ timeout: 10_000 });
      await title.waitFor({ timeout: 20_000 });
      // Not so short that a busy window, which would take the words in the end, is given them anew.
      await this.input.fill(words, { timeout: 15_000 });
    };
    await eventually(`${String(row)} in the status list`, async () => {
      await eventually('the status list', open);
      await rows.first().waitFor({ timeout: 15_000 });
    });
    return rows.first();
  }

  /** Takes the first row of the status list that has the label. */
  async chooseInStatus(label: string): Promise<void> {
    await eventually(`what ${label} does`, async () => takeRow(await this.showStatus(label), [label]));
  }

  /** Takes the first row that has all of the words, in the quick pick that is open. */
  async pick(...words: readonly string[]): Promise<void> {
    const row = words.reduce((rows, hasText) => rows.filter({ hasText }), this.picks).first();
    await row.waitFor();
    await eventually(`what ${words.join(' ')} does`, async () => {
      if (await row.isVisible()) await takeRow(row, words);
    });
  }

  /** In the editor of the workspace's trust, which is open. Again when it was drawn anew under the click. */
  async trust(): Promise<void> {
    const button = this.page.locator('.workspace-trust-editor').getByRole('button', { name: 'Trust', exact: true });
    await button.waitFor();
    await eventually('the trust', async () => {
      if (await button.isVisible()) await button.click({ timeout: 5_000 });
      await button.waitFor({ state: 'hidden', timeout: 5_000 });
    });
    await this.leaveTrust();
  }

  /** Closes the editor of the workspace's trust, which VS Code shows over the others, and may leave open. */
  async leaveTrust(): Promise<void> {
    const overlay = this.page.locator('.monaco-modal-editor-block');
    await eventually('the window without the editor of trust', async () => {
      // Beside the editor.
      if (await overlay.isVisible()) await overlay.click({ position: { x: 5, y: 300 }, timeout: 5_000 });
      await overlay.waitFor({ state: 'hidden', timeout: 2_000 });
    });
  }

  /**
   * Runs a command that shows a quick pick, and types the words. Resolves when it has a row with the text `row`. Again when
   * something that had just been opened took the focus, which closes a quick pick.
   */
  async searchIn(command: string, words: string, row: string): Promise<void> {
    await eventually(`${row} in ${command}`, async () => {
      if (!(await this.input.isVisible())) await this.runCommand(command);
      await this.input.fill(words, { timeout: 4_000 });
      await this.picks.filter({ hasText: row }).first().waitFor({ timeout: 15_000 });
    });
  }

  /** Runs a command that shows a quick pick, and takes the first row that has all of the words. */
  async pickFrom(command: string, ...words: readonly [string, ...string[]]): Promise<void> {
    await this.searchIn(command, '', words[0]);
    await this.pick(...words);
  }

  /**
   * Types into the input box that is open, and accepts it. Again when that was not accepted: a dialog for files writes the
   * folder in which it starts over what was typed before it was ready.
   */
  async fillInput(text: string): Promise<void> {
    await this.input.waitFor();
    await eventually(`the input box accepts ${text}`, async () => {
      if (await this.input.isVisible()) {
        await this.input.fill(text, { timeout: 5_000 });
        await this.input.press('Enter', { timeout: 5_000 });
      }
      await this.input.waitFor({ state: 'hidden', timeout: 5_000 });
    });
  }

  /**
   * Chooses a place in VS Code's dialog for files, which `open` shows. The dialog writes the folder in which it starts over
   * what was typed before it has listed that folder. A key that it gets while it lists another one can leave it deaf, so
   * it is closed then, and opened again.
   */
  async choosePlace(place: string, open: () => Promise<void>): Promise<void> {
    let isAccepted = false;
    await eventually(`the dialog takes ${place}`, async () => {
      if (isAccepted) return;
      if (!(await this.input.isVisible())) await open();
      try {
        await this.picks.first().waitFor({ timeout: 15_000 });
        await this.input.fill(place, { timeout: 5_000 });
        await this.hasListed(place);
        await this.input.press('Enter', { timeout: 5_000 });
        await this.input.waitFor({ state: 'hidden', timeout: 15_000 });
        isAccepted = true;
      } catch (error) {
        isAccepted = !(await this.input.isVisible());
        if (!isAccepted) await this.page.keyboard.press('Escape');
        throw error;
      }
    });
  }

  /** Resolves when the dialog for files has the place in its input box, and its list has not changed for a while. */
  private async hasListed(place: string): Promise<void> {
    const progress = this.page.locator('.quick-input-widget .monaco-progress-container.active');
    let rows = '';
    let same = 0;
    for (let look = 0; look < 60; look++) {
      const now = (await this.picks.allInnerTexts()).join('\n');
      const value = await this.input.inputValue({ timeout: 5_000 });
      if (value !== place) await this.input.fill(place, { timeout: 5_000 });
      // A row that has the focus would be taken instead.
      const isChosen = (await this.picks.and(this.page.locator('.focused')).count()) > 0;
      const isSame = now === rows && value === place && !isChosen && (await progress.count()) === 0;
      same = isSame ? same + 1 : 0;
      if (same === 8) return;
      rows = now;
      await this.page.waitForTimeout(100);
    }
    throw new Error(`The dialog has ${await this.input.inputValue({ timeout: 5_000 })} and lists ${rows}`);
  }

  /** Opens a file by its name. Resolves when its text is in the editor, not only its name in the tab. */
  async openFile(name: string): Promise<void> {
    // Again when the list was closed before the click had an effect.
    await eventually(`the tab of ${name}`, async () => {
      await this.choose('Control+P', name, name);
      await this.page.locator('.tab.active').filter({ hasText: name }).waitFor({ timeout: 15_000 });
    });
    await this.page.locator(`.editor-instance .monaco-editor[data-uri$="/${name}"]`).first().waitFor();
  }

  private async choose(key: string, words: string, row: string): Promise<void> {
    await this.withQuickPick(key, words, async () => {
      // Not always the first one: VS Code sorts commands that match by their titles.
      const label = this.page.locator('.label-name').getByText(row, { exact: true });
      const chosen = this.picks.filter({ has: label }).first();
      await chosen.waitFor({ timeout: 6_000 });
      // Not by Enter: that would go to whatever has taken the focus meanwhile.
      await takeRow(chosen, [row]);
    });
  }

  /** Again when a window that is busy, or just changes what has the focus, missed the key or closed what it opened. */
  private async withQuickPick(key: string, words: string, use: () => Promise<void>): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      await this.page.keyboard.press(key);
      try {
        await this.input.fill(words, { timeout: 4_000 });
        await use();
        return;
      } catch (error) {
        if (attempt === 12) throw error;
        await this.page.keyboard.press('Escape');
      }
    }
  }

  /** Into out/screenshots. */
  async screenshot(name: string): Promise<void> {
    await mkdir(inRoot('out', 'screenshots'), { recursive: true });
    await this.page.screenshot({ path: inRoot('out', 'screenshots', `${name}.png`) });
  }

  async close(): Promise<void> {
    await this.opened.disposeAsync();
  }
}

interface RowElement {
  readonly textContent: string | null;
  click(): void;
}

/**
 * Clicks on a row of a quick pick in the same moment in which it has all of the words: VS Code draws other rows into the elements
 * of those before, and a pointer could meet one of them. Rejects if the list stays open: a list that is accepted closes at once,
 * and a row that is drawn anew can miss the click.
 */
async function takeRow(row: Locator, words: readonly string[]): Promise<void> {
  const click = (element: RowElement, expected: readonly string[]): void => {
    const text = (element.textContent ?? '').replaceAll(/\s+/g, ' ').toLowerCase();
    if (!expected.every((part) => text.includes(part.toLowerCase()))) throw new Error(`the row became ${text}`);
    element.click();
  };
  // It tells VS Code that Control, which has opened the list, is not held any more. Otherwise a file may open to the side.
  await row.dispatchEvent('mousedown', {}, { timeout: 5_000 });
  await row.evaluate(click, words, { timeout: 5_000 }).catch((error: unknown) => {
    // The command has loaded the page again.
    if (!String(error).includes('context was destroyed')) throw error;
  });
  await row.waitFor({ state: 'hidden', timeout: 10_000 });
}
