// A page of the browser that shows one page of the extension after another, because opening a new one takes long.
import type { Browser, BrowserContext, Page, Request } from 'playwright-core';
import { themes, type ThemeName } from './themes';

/** What a tab shows. */
export interface Shown {
  /** Where it is served, like `http://127.0.0.1:1234/1`. Different each time, which keeps the stored states apart. */
  readonly folder: string;
  readonly theme: ThemeName;
  /** In CSS pixels. */
  readonly width: number;
  readonly height: number;
  readonly reducedMotion: boolean;
  /** Errors of the page, blocked loads and requests that wanted to leave it. The tab adds to them. */
  readonly problems: string[];
  readonly receive: (message: unknown) => Promise<void>;
}

interface TabOptions {
  /** Of the server, as in `Shown.folder`. */
  readonly origin: string;
  /** JavaScript that runs in each document before its own. */
  readonly scripts: readonly string[];
  /** How long to wait for something on the page, in milliseconds. */
  readonly patienceMs: number;
}

/** Flags for the browser: no name of a host is resolved, so that all requests stay on this machine. */
export const tabFlags = ['--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1', '--no-proxy-server'];

export class BrowserTab {
  private shown: Shown | undefined;

  private constructor(
    private readonly context: BrowserContext,
    readonly page: Page,
    private readonly origin: string,
  ) {}

  static async open(browser: Browser, { origin, scripts, patienceMs }: TabOptions): Promise<BrowserTab> {
    const context = await browser.newContext();
    context.setDefaultTimeout(patienceMs);
    const tab = new BrowserTab(context, await context.newPage(), origin);
    await tab.page.exposeFunction('harnessPost', (folder: string, message: unknown) => tab.receive(folder, message));
    for (const script of scripts) await tab.page.addInitScript(script);
    tab.watchProblems();
    // Only a document of the server has the storage in which a page finds its theme.
    await tab.page.goto(`${origin}/empty.html`);
    return tab;
  }

  /** Resolves when the page's script has run. */
  async show(shown: Shown): Promise<void> {
    const { folder, theme, width, height, reducedMotion } = shown;
    const { page } = this;
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ reducedMotion: reducedMotion ? 'reduce' : 'no-preference' });
    await page.evaluate(([key, value]) => sessionStorage.setItem(key, value), [
      `harness.theme ${new URL(folder).pathname}`,
      JSON.stringify(themes[theme]),
    ] as const);
    this.shown = shown;
    await page.goto(`${folder}/index.html`);
  }

  /** Whether a page is shown, and not another one since. */
  isShowing(folder: string): boolean {
    return this.shown?.folder === folder;
  }

  /**
   * Leaves the page, and resolves to whether the tab can show another one. Not after a test that has changed the clock, has
   * gone elsewhere or has opened a window.
   */
  async reset(): Promise<boolean> {
    const { context, origin, page } = this;
    this.shown = undefined;
    try {
      if (new URL(page.url()).origin !== origin || context.pages().length > 1) return false;
      await page.goto(`${origin}/empty.html`);
      // Nothing is under the pointer of a new page.
      await page.mouse.move(-10, -10);
      return await page.evaluate(() => {
        sessionStorage.clear();
        return setTimeout.toString().includes('[native code]');
      });
    } catch {
      return false;
    }
  }

  async close(): Promise<void> {
    await this.context.close();
  }

  private async receive(folder: string, message: unknown): Promise<void> {
    const { shown } = this;
    // A page that was left may still have something to say.
    if (!shown || new URL(shown.folder).pathname !== folder) return;
    await shown.receive(message).catch((error: unknown) => shown.problems.push(String(error)));
  }

  private watchProblems(): void {
    const { page } = this;
    const report = (problem: string): void => void this.shown?.problems.push(problem);
    page.on('pageerror', (error) => report(`error: ${error.stack ?? error.message}`));
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') report(`console: ${message.text()}`);
    });
    page.on('dialog', (dialog) => {
      report(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    const reportIfForeign = (request: Request): void => {
      const { origin } = new URL(request.url());
      if (this.shown && origin !== new URL(this.shown.folder).origin)
        report(`a request left the page: ${request.url()}`);
    };
    this.context.on('requestfinished', reportIfForeign);
    this.context.on('requestfailed', (request) => {
      // Others were stopped by the policy of the page, so they have not left it.
      if (request.failure()?.errorText !== 'csp') reportIfForeign(request);
    });
  }
}
