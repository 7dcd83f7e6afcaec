import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findChromium, launchChromium, vsCodeFlags } from '../chromium.mjs';

/** @typedef {import('playwright-core').Page} Page */
/** @typedef {import('playwright-core').BrowserContextOptions} PageOptions */

/**
 * @typedef {object} PacedBrowser
 * @property {(options: PageOptions) => Promise<Page>} newPage with a context of its own, which is closed with the page
 * @property {() => Promise<void>} close
 */

/** A page is drawn when it is told so, and completely. Only a Chromium without a window can do that. */
const flags = ['--enable-begin-frame-control', '--run-all-compositor-stages-before-draw'];

/**
 * A browser for pages that show VS Code, which are drawn `framesPerSecond` times a second at most, not 60 times: drawing takes
 * half of their processor time. A Chromium that has windows draws as always. The caller closes the browser.
 * @param {number} framesPerSecond
 * @returns {Promise<PacedBrowser>}
 */
export async function launchPaced(framesPerSecond) {
  const isPaced = path.basename((await findChromium()) ?? '').includes('headless-shell');
  if (!isPaced) {
    const browser = await launchChromium(vsCodeFlags);
    return { newPage: (options) => browser.newPage(options), close: () => browser.close() };
  }
  const browser = await launchChromium([...vsCodeFlags, ...flags]);
  /** @type {Map<Page, import('playwright-core').CDPSession>} */
  const open = new Map();
  void draw(browser, open, 1000 / framesPerSecond);
  return {
    newPage: async (options) => {
      const { page, session } = await newPacedPage(browser, options);
      open.set(page, session);
      page.once('close', () => {
        open.delete(page);
        page
          .context()
          .close()
          .catch(() => undefined);
      });
      return page;
    },
    close: () => browser.close(),
  };
}

/**
 * @param {import('playwright-core').Browser} browser
 * @param {PageOptions} options
 */
async function newPacedPage(browser, options) {
  const context = await browser.newContext(options);
  const ofBrowser = await browser.newBrowserCDPSession();
  // Only a page can say what the browser calls its context.
  const first = await context.newPage();
  const { targetInfo } = await (await context.newCDPSession(first)).send('Target.getTargetInfo');
  const opened = context.waitForEvent('page');
  await ofBrowser.send('Target.createTarget', {
    url: 'about:blank',
    ...(targetInfo.browserContextId === undefined ? {} : { browserContextId: targetInfo.browserContextId }),
    enableBeginFrameControl: true,
  });
  const page = await opened;
  await first.close();
  await ofBrowser.detach();
  return { page, session: await context.newCDPSession(page) };
}

/**
 * Until the browser is closed. One frame after the other: the browser crashes when it is asked for two at once.
 * @param {import('playwright-core').Browser} browser
 * @param {ReadonlyMap<Page, import('playwright-core').CDPSession>} open
 * @param {number} intervalMs
 */
async function draw(browser, open, intervalMs) {
  while (browser.isConnected()) {
    const startedAt = performance.now();
    for (const session of open.values())
      await session.send('HeadlessExperimental.beginFrame', { interval: intervalMs }).catch(() => undefined);
    await sleep(Math.max(1, intervalMs - (performance.now() - startedAt)));
  }
}
