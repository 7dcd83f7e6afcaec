// Opens pages alone in Chromium: built as the extension builds them, with the real document and its policy, on loopback,
// in a theme of VS Code's, with a host that the test plays.
import { createServer, type Server } from 'node:http';
import * as path from 'node:path';
import type { Page } from 'playwright-core';
import { shareChromium } from '../../../scripts/lib/chromium.mjs';
import { axeViolations } from './axe';
import { BrowserTab, tabFlags } from './browserTab';
import { FakeHost } from './fakeHost';
import { buildLateScripts, buildPage, buildScript } from './pageBundles';
import { pageDocument } from './pageDocument';
import { themes, type ThemeName } from './themes';

export interface PageOptions {
  /** The script, relative to the repository. */
  readonly entry: string;
  /** The style sheet; `src/<room>/browser/<room>.css` for an entry of that folder when it is left out. */
  readonly style?: string;
  readonly theme?: ThemeName;
  /** In CSS pixels. */
  readonly width?: number;
  readonly height?: number;
  /** `data-…` of the body. */
  readonly data?: Readonly<Record<string, string>>;
  readonly reducedMotion?: boolean;
  /** Called before the page is loaded: the answers it will ask for at once. */
  readonly prepare?: (host: FakeHost) => void;
  /** JavaScript that runs in the page before its own. Such a page gets a new tab. */
  readonly before?: string;
}

export interface OpenedPage {
  readonly page: Page;
  readonly host: FakeHost;
  /** Errors of the page, blocked loads and requests that wanted to leave it. */
  readonly problems: readonly string[];
  readonly setTheme: (theme: ThemeName) => Promise<void>;
  /** What axe-core finds, one line for each rule and element; empty when all is well. */
  readonly axe: () => Promise<string[]>;
  /** Closes the page and its tab; `closePages` may keep the tab. */
  readonly close: () => Promise<void>;
}

interface ServedFile {
  readonly type: string;
  readonly body: string;
}

const scriptType = 'text/javascript; charset=utf-8';
const htmlType = 'text/html; charset=utf-8';

/** How long to wait for something on a page: long, as machines are busy. */
const patienceMs = 45_000;

interface OpenTab {
  readonly tab: BrowserTab;
  readonly isReusable: boolean;
}

/** One server for a test file, and a browser that the files of a process share; `start` in `before`, `stop` in `after`. */
export class PageHarness {
  private shared: Awaited<ReturnType<typeof shareChromium>> | undefined;
  private server: Server | undefined;
  private pageSide = '';
  private readonly bundleFolders = new Map<string, Promise<string>>();
  private readonly served = new Map<string, ServedFile>();
  private readonly openTabs = new Set<OpenTab>();
  private idleTab: BrowserTab | undefined;

  async start(): Promise<void> {
    this.server = await listen((url) => this.served.get(url));
    this.served.set('/empty.html', { type: htmlType, body: '<!doctype html><title>Empty</title>' });
    this.pageSide = await buildScript('test/page/support/pageSide.ts');
    this.shared = await shareChromium(tabFlags);
  }

  async stop(): Promise<void> {
    const tabs = [...this.openTabs].map(({ tab }) => tab);
    if (this.idleTab) tabs.push(this.idleTab);
    this.openTabs.clear();
    this.idleTab = undefined;
    await Promise.all(tabs.map((tab) => tab.close()));
    this.shared?.giveBack();
    this.shared = undefined;
    this.server?.closeAllConnections();
    this.server?.close();
  }

  /** Closes all pages that are open; for `afterEach`. */
  async closePages(): Promise<void> {
    const tabs = [...this.openTabs];
    this.openTabs.clear();
    await Promise.all(
      tabs.map(async ({ tab, isReusable }) => {
        if (isReusable && (await tab.reset()) && !this.idleTab) this.idleTab = tab;
        else await tab.close();
      }),
    );
  }

  /** Resolves when the page's script has run. */
  async openPage(options: PageOptions): Promise<OpenedPage> {
    const { theme = 'darkModern', width = 400, height = 700, reducedMotion = false, before } = options;
    const folder = await this.serve(options);
    const openTab = { tab: await this.takeTab(before), isReusable: before === undefined };
    this.openTabs.add(openTab);
    const { tab } = openTab;
    const { page } = tab;
    const problems: string[] = [];
    const host = new FakeHost(async (message) => {
      // Before the page is shown, nobody tells it anything. When it was left, it no longer needs to be told.
      if (!tab.isShowing(folder)) return;
      await callPage(page, 'receive', message).catch((error: unknown) => {
        // The page may also have navigated away by itself.
        const isThere = tab.isShowing(folder) && !page.isClosed() && page.url().startsWith(`${folder}/`);
        if (isThere) throw error;
      });
    });
    options.prepare?.(host);
    const receive = (message: unknown): Promise<void> => host.receive(message);
    await tab.show({ folder, theme, width, height, reducedMotion, problems, receive });
    return {
      page,
      host,
      problems,
      setTheme: (name) => callPage(page, 'applyTheme', themes[name]),
      axe: () => axeViolations(page),
      close: async () => {
        this.openTabs.delete(openTab);
        await tab.close();
      },
    };
  }

  private async takeTab(before: string | undefined): Promise<BrowserTab> {
    const { idleTab, shared } = this;
    if (!shared) throw new Error('start() the harness first');
    if (before === undefined && idleTab) {
      this.idleTab = undefined;
      return idleTab;
    }
    const scripts = before === undefined ? [this.pageSide] : [this.pageSide, before];
    return await BrowserTab.open(shared.browser, { origin: this.origin, scripts, patienceMs });
  }

  private get origin(): string {
    const address = this.server?.address();
    if (typeof address !== 'object' || !address) throw new Error('start() the harness first');
    return `http://127.0.0.1:${address.port}`;
  }

  /** Returns the address of the folder with the page's `index.html`. */
  private async serve({ entry, style = styleOf(entry), data = {} }: PageOptions): Promise<string> {
    const key = `${entry} ${style}`;
    const building = this.bundleFolders.get(key) ?? this.serveBundle(entry, style);
    this.bundleFolders.set(key, building);
    const bundleFolder = await building;
    const folder = `/${this.served.size}`;
    this.served.set(`${folder}/index.html`, { type: htmlType, body: pageDocument(bundleFolder, data) });
    return `${this.origin}${folder}`;
  }

  private async serveBundle(entry: string, style: string): Promise<string> {
    const [bundle, lateScripts] = await Promise.all([buildPage(entry, style), buildLateScripts()]);
    const folder = `/${this.served.size}-bundle`;
    this.served.set(`${folder}/page.js`, { type: scriptType, body: bundle.script });
    for (const [name, body] of lateScripts) this.served.set(`${folder}/${name}`, { type: scriptType, body });
    this.served.set(`${folder}/page.css`, { type: 'text/css; charset=utf-8', body: bundle.style });
    return `${this.origin}${folder}`;
  }
}

function listen(find: (url: string) => ServedFile | undefined): Promise<Server> {
  const server = createServer((request, response) => {
    const found = find(request.url ?? '');
    if (found) response.writeHead(200, { 'content-type': found.type }).end(found.body);
    // Browsers ask for it by themselves.
    else response.writeHead(request.url === '/favicon.ico' ? 204 : 404).end();
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

function styleOf(entry: string): string {
  const folder = path.posix.dirname(entry);
  return `${folder}/${path.posix.basename(path.posix.dirname(folder))}.css`;
}

async function callPage(page: Page, name: 'receive' | 'applyTheme', argument: unknown): Promise<void> {
  await page.evaluate(`window.harness.${name}(${JSON.stringify(argument)})`);
}
