// Opens pages alone in Chromium: built as the extension builds them, with the real document and its policy, on loopback,
// in a theme of VS Code's, with a host that the test plays.
import { createServer, type Server } from 'node:http';
import * as path from 'node:path';
import * as esbuild from 'esbuild';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { launchChromium } from '../../../scripts/lib/chromium.mjs';
import { pageBundle } from '../../../scripts/lib/pageBundle.mjs';
import { axeViolations } from './axe';
import { FakeHost } from './fakeHost';
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
  /** JavaScript that runs in the page before its own. */
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
  readonly close: () => Promise<void>;
}

interface Bundle {
  readonly script: string;
  readonly style: string;
}

/** How long to wait for something on a page: long, as machines are busy. */
const patienceMs = 45_000;

/** One browser and one server for a test file; `start` in `before`, `stop` in `after`. */
export class PageHarness {
  private browser: Browser | undefined;
  private server: Server | undefined;
  private pageSide = '';
  private readonly bundles = new Map<string, Promise<Bundle>>();
  private readonly served = new Map<string, { readonly type: string; readonly body: string }>();
  private readonly contexts = new Set<BrowserContext>();

  async start(): Promise<void> {
    this.server = await listen((url) => this.served.get(url));
    this.pageSide = await buildScript('test/page/support/pageSide.ts');
    this.browser = await launchChromium();
  }

  async stop(): Promise<void> {
    await this.browser?.close();
    this.server?.closeAllConnections();
    this.server?.close();
  }

  /** Closes all pages that are open; for `afterEach`. */
  async closePages(): Promise<void> {
    await Promise.all([...this.contexts].map((context) => context.close()));
    this.contexts.clear();
  }

  /** Resolves when the page's script has run. */
  async openPage(options: PageOptions): Promise<OpenedPage> {
    const { theme = 'darkModern', width = 400, height = 700, reducedMotion = false } = options;
    if (!this.browser) throw new Error('start() the harness first');
    const origin = await this.serve(options);
    const context = await this.browser.newContext({
      viewport: { width, height },
      reducedMotion: reducedMotion ? 'reduce' : 'no-preference',
    });
    this.contexts.add(context);
    context.setDefaultTimeout(patienceMs);
    const page = await context.newPage();
    const problems = watchProblems(page);
    await context.route(
      (url) => !url.href.startsWith(origin),
      async (route) => {
        problems.push(`a request left the page: ${route.request().url()}`);
        await route.abort();
      },
    );
    const host = new FakeHost((message) =>
      callPage(page, 'receive', message).catch((error: unknown) => {
        // A page that was closed meanwhile no longer needs to be told.
        if (!page.isClosed()) throw error;
      }),
    );
    options.prepare?.(host);
    await page.exposeFunction('harnessPost', async (message: unknown) => {
      await host.receive(message).catch((error: unknown) => problems.push(String(error)));
    });
    await page.addInitScript(`window.harnessTheme = ${JSON.stringify(themes[theme])};\n${this.pageSide}`);
    if (options.before !== undefined) await page.addInitScript(options.before);
    await page.goto(`${origin}/index.html`);
    return {
      page,
      host,
      problems,
      setTheme: (name) => callPage(page, 'applyTheme', themes[name]),
      axe: () => axeViolations(page),
      close: () => context.close(),
    };
  }

  private async serve({ entry, style = styleOf(entry), data = {} }: PageOptions): Promise<string> {
    const address = this.server?.address();
    if (typeof address !== 'object' || !address) throw new Error('start() the harness first');
    const key = `${entry} ${style}`;
    const building = this.bundles.get(key) ?? buildPage(entry, style);
    this.bundles.set(key, building);
    const bundle = await building;
    const folder = `/${this.served.size}`;
    const origin = `http://127.0.0.1:${address.port}${folder}`;
    this.served.set(`${folder}/index.html`, { type: 'text/html; charset=utf-8', body: pageDocument(origin, data) });
    this.served.set(`${folder}/page.js`, { type: 'text/javascript; charset=utf-8', body: bundle.script });
    this.served.set(`${folder}/page.css`, { type: 'text/css; charset=utf-8', body: bundle.style });
    return origin;
  }
}

function listen(find: (url: string) => { type: string; body: string } | undefined): Promise<Server> {
  const server = createServer((request, response) => {
    const found = find(request.url ?? '');
    if (found) response.writeHead(200, { 'content-type': found.type }).end(found.body);
    // Browsers ask for it by themselves.
    else response.writeHead(request.url === '/favicon.ico' ? 204 : 404).end();
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

async function buildPage(script: string, style: string): Promise<Bundle> {
  const { outputFiles } = await esbuild.build({
    ...pageBundle({ name: 'page', script, style }),
    absWorkingDir: process.cwd(),
    outdir: 'out/pages',
    minify: true,
    keepNames: true,
    write: false,
    logLevel: 'warning',
  });
  const textOf = (extension: string): string =>
    outputFiles.find(({ path: file }) => file.endsWith(extension))?.text ?? '';
  return { script: textOf('.js'), style: textOf('.css') };
}

async function buildScript(file: string): Promise<string> {
  const { outputFiles } = await esbuild.build({
    entryPoints: [file],
    absWorkingDir: process.cwd(),
    bundle: true,
    format: 'iife',
    write: false,
    logLevel: 'warning',
  });
  return outputFiles[0]?.text ?? '';
}

function styleOf(entry: string): string {
  const folder = path.posix.dirname(entry);
  return `${folder}/${path.posix.basename(path.posix.dirname(folder))}.css`;
}

function watchProblems(page: Page): string[] {
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(`error: ${error.stack ?? error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') problems.push(`console: ${message.text()}`);
  });
  page.on('dialog', (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  return problems;
}

async function callPage(page: Page, name: 'receive' | 'applyTheme', argument: unknown): Promise<void> {
  await page.evaluate(`window.harness.${name}(${JSON.stringify(argument)})`);
}
