import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findChromium, launchChromium, vsCodeFlags } from '../chromium.mjs';

/** @typedef {import('playwright-core').Browser} Browser */
/** @typedef {import('playwright-core').BrowserContextOptions} PageOptions */
/** @typedef {import('playwright-core').CDPSession} CDPSession */

/** A page is drawn when it is told so, and completely. Only a Chromium without a window can do that. */
const flags = ['--enable-begin-frame-control', '--run-all-compositor-stages-before-draw'];

/**
 * Opens a page that shows VS Code, in a browser of its own. It is drawn `framesPerSecond` times a second at most, not 60 times,
 * because drawing takes half of its processor time. A Chromium that has windows draws as always. The caller closes the browser.
 * @param {number} framesPerSecond
 * @param {PageOptions} options
 * @returns {Promise<{ browser: Browser, page: import('playwright-core').Page }>}
 */
export async function openPacedPage(framesPerSecond, options) {
  const isPaced = path.basename((await findChromium()) ?? '').includes('headless-shell');
  const browser = await launchChromium(isPaced ? [...vsCodeFlags, ...flags] : vsCodeFlags);
  try {
    if (!isPaced) return { browser, page: await browser.newPage(options) };
    const { page, session } = await newPacedPage(browser, options);
    void draw(browser, session, 1000 / framesPerSecond);
    return { browser, page };
  } catch (error) {
    await browser.close();
    throw error;
  }
}

/**
 * @param {Browser} browser
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
 * @param {Browser} browser
 * @param {CDPSession} session
 * @param {number} intervalMs
 */
async function draw(browser, session, intervalMs) {
  while (browser.isConnected()) {
    const startedAt = performance.now();
    await session.send('HeadlessExperimental.beginFrame', { interval: intervalMs }).catch(() => undefined);
    await sleep(Math.max(1, intervalMs - (performance.now() - startedAt)));
  }
}
