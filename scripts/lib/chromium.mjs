import { access } from 'node:fs/promises';
import { environmentVariable } from './environment.mjs';
import { findOnPath } from './processes.mjs';
import { SharedBrowsers } from './tests/sharedBrowsers.mjs';

/** The first one has no window and no tabs. It opens a page five times as fast as a whole browser. */
const commands = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const applications = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** @returns {Promise<string | undefined>} BACKLINE_CHROMIUM, else the first Chromium or Chrome of this machine */
export async function findChromium() {
  const chosen = environmentVariable('BACKLINE_CHROMIUM');
  if (chosen) return chosen;
  for (const command of commands) {
    const found = await findOnPath(command);
    if (found) return found;
  }
  for (const file of applications) {
    const exists = await access(file).then(
      () => true,
      () => false,
    );
    if (exists) return file;
  }
  return undefined;
}

/**
 * Flags for pages that show VS Code. It asks for many stack traces while it opens, and V8 would parse each function again to
 * find its lines. This saves a seventh of the processor time.
 */
export const vsCodeFlags = ['--js-flags=--no-enable-lazy-source-positions'];

/**
 * The caller closes the browser.
 * @param {readonly string[]} [flags] further flags of Chromium
 * @returns {Promise<import('playwright-core').Browser>}
 */
export async function launchChromium(flags = []) {
  const { chromium } = await import('playwright-core');
  const executablePath = await findChromium();
  if (!executablePath) throw new Error('No Chromium found: install one, or set BACKLINE_CHROMIUM to its path');
  return chromium.launch({
    executablePath,
    // A machine that is busy starts it slowly.
    timeout: 120_000,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      ...flags,
    ],
  });
}

const sharedBrowsers = new SharedBrowsers(launchChromium);

/**
 * Like `launchChromium`, but the browser is the same for all callers in this process with the same flags. The caller closes
 * what it has opened in it, and calls `giveBack` once. A second after the last of them, the browser is closed.
 * @param {readonly string[]} flags
 */
export async function shareChromium(flags) {
  return await sharedBrowsers.take(flags);
}
