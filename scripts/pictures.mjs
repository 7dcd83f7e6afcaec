// `npm run pictures`: takes the README's pictures of the agents, of the chat, of the tools, of a change in the editor and of Amp threads from the real thing, into media/. `npm run pictures -- tools` takes only one. Look at it before you commit it.
import { cp } from 'node:fs/promises';
import path from 'node:path';
import { bootstrap } from './lib/bootstrap.mjs';

await bootstrap();
const { launchChromium } = await import('./lib/chromium.mjs');
const { ensureCodeServer } = await import('./lib/codeServer.mjs');
const { installVsix, startHost } = await import('./lib/host.mjs');
const { inRoot } = await import('./lib/paths.mjs');
const { endWhenInterrupted, stopChildren } = await import('./lib/processes.mjs');
const { makeSandbox } = await import('./lib/sandbox.mjs');
const { writeSampleThreads } = await import('./lib/sampleThreads.mjs');
const { packageVsix, vsixFile } = await import('./lib/vsix.mjs');

endWhenInterrupted();
const chosen = process.argv.slice(2);
/** @param {string} name */
const isWanted = (name) => chosen.length === 0 || chosen.includes(name);
await ensureCodeServer();
await packageVsix();
const sandbox = await makeSandbox({ workspace: 'examples/workspace' });
const { dataDir, env, extensionsDir, workspace } = sandbox;
// The settings of the workspace name them beside it.
await cp(inRoot('examples/providers'), path.join(sandbox.folder, 'providers'), { recursive: true });
await writeSampleThreads(sandbox);
await installVsix(vsixFile, { dataDir, extensionsDir, env });
const host = await startHost({
  dataDir,
  extensionsDir,
  env,
  settings: {
    'editor.hover.delay': 100,
    'editor.minimap.enabled': false,
    'workbench.colorTheme': 'Default Dark Modern',
  },
});
const browser = await launchChromium();
try {
  const page = await browser.newPage({ viewport: { width: 1200, height: 760 }, deviceScaleFactor: 1.5 });
  await page.goto(host.url(workspace));
  await page.locator('[id="backline.backline.backline.status"]').waitFor({ timeout: 60_000 });
  await openFile(page, 'format.ts');
  await allowProviders(page);
  if (isWanted('agents')) await agents(page);
  if (isWanted('tools')) await tools(page);
  if (isWanted('chat')) await chat(page);
  if (isWanted('review')) await review(page);
  await page.close();
  const wide = await browser.newPage({ viewport: { width: 1280, height: 800 }, deviceScaleFactor: 1.5 });
  await wide.goto(host.url(workspace));
  await wide.locator('[id="backline.backline.backline.status"]').waitFor({ timeout: 60_000 });
  if (isWanted('threads')) await threads(wide);
} finally {
  await browser.close();
  await host.stop();
  await sandbox.remove();
  await stopChildren();
}
process.exit();

/** @typedef {import('playwright-core').Page} Page */

/**
 * Those of the workspace run only after they were allowed.
 * @param {Page} page
 */
async function allowProviders(page) {
  await page.locator('.notifications-toasts').getByRole('button', { name: 'Review…' }).click();
  for (const name of ['todoOwners', 'links']) {
    await page.locator('.quick-input-list .monaco-list-row').filter({ hasText: name }).first().click();
    const dialog = page.locator('.monaco-dialog-box');
    await dialog.getByRole('button', { name: 'Allow', exact: true }).click();
    await dialog.waitFor({ state: 'hidden' });
  }
  await page.keyboard.press('Escape');
  await runCommand(page, 'Notifications: Clear All Notifications');
}

/**
 * The page of agents, with the list that comes with the extension.
 * @param {Page} page
 */
async function agents(page) {
  await runCommand(page, 'Backline: Agents');
  const frame = await frameWith(page, '.agents[aria-busy=false]');
  await frame.getByText('List checked').or(frame.getByText('the list that ships with Backline')).first().waitFor();
  await picture(page, 'readme-agents');
  await runCommand(page, 'View: Close Editor');
}

/**
 * The demo agent asks the language server of VS Code. The conversation is a new one for the next picture.
 * @param {Page} page
 */
async function tools(page) {
  await runCommand(page, 'Backline: Open Chat');
  const frame = await frameWith(page, 'textarea');
  await widen(page, 'auxiliarybar', 620);
  await frame.locator('textarea').first().fill('who uses formatDuration in src/format.ts');
  await page.keyboard.press('Enter');
  // What it says is also in a part of the page for screen readers.
  const turn = frame.getByRole('article', { name: 'Turn' }).first();
  await turn.getByText('I asked the language server').waitFor({ timeout: 60_000 });
  await turn.getByText('Find references of formatDuration').first().click();
  await turn.getByText('setlist.ts').first().waitFor();
  await picture(page, 'readme-tools', { x: 48, y: 36, width: 1152, height: 520 });
  await runCommand(page, 'Backline: New Conversation');
}

/**
 * The demo agent asks with the change it would make.
 * @param {Page} page
 */
async function chat(page) {
  await runCommand(page, 'Backline: Open Chat');
  await widen(page, 'auxiliarybar', 520);
  const frame = await frameWith(page, 'textarea');
  await frame.locator('textarea').first().fill('rename formatDuration to asMinutes in src/format.ts');
  await page.keyboard.press('Enter');
  await frame.getByRole('button', { name: 'Allow', exact: true }).waitFor({ timeout: 30_000 });
  await picture(page, 'readme-chat');
  await page.waitForTimeout(700);
  await frame.getByRole('button', { name: 'Deny', exact: true }).click();
}

/**
 * The change that the demo agent has made, in the editor.
 * @param {Page} page
 */
async function review(page) {
  await widen(page, 'auxiliarybar', 380);
  const frame = await frameWith(page, 'textarea');
  await frame.locator('textarea').first().fill('rename formatDuration to asMinutes in src/format.ts');
  await page.keyboard.press('Enter');
  const allow = frame.getByRole('button', { name: 'Allow', exact: true });
  await allow.waitFor({ timeout: 30_000 });
  await page.waitForTimeout(700);
  await allow.click();
  await frame.getByText(/^1 file, /).waitFor();
  await openFile(page, 'format.ts');
  await page.locator('.editor-instance .dirty-diff-glyph').first().waitFor();
  await runCommand(page, 'Show Next Change');
  await page.locator('.peekview-widget').waitFor();
  await page.mouse.move(900, 700);
  await picture(page, 'readme-review', { x: 48, y: 36, width: 1152, height: 520 });
}

/**
 * The list of threads beside one of them.
 * @param {Page} page
 */
async function threads(page) {
  await runCommand(page, 'View: Close All Editors');
  await runCommand(page, 'Focus on Amp Threads View');
  await widen(page, 'sidebar', 390);
  await page.locator('.monaco-list-row').filter({ hasText: 'Tax in the cart' }).first().click();
  const frame = await frameWith(page, '.thread h1');
  await frame.getByText('edit_file').first().click();
  await frame.getByText('the tests pass').waitFor();
  await picture(page, 'readme-threads', { x: 48, y: 36, width: 1232, height: 732 });
}

/**
 * @param {Page} page
 * @param {string} name
 * @param {{ x: number, y: number, width: number, height: number }} [clip] all of it when it is left out
 */
async function picture(page, name, clip) {
  await page.waitForTimeout(800);
  await page.screenshot({ path: inRoot('media', `${name}.png`), ...(clip ? { clip } : {}) });
  console.log(`media/${name}.png`);
}

/**
 * Makes a side bar so many pixels wide. The primary one is on the left, the secondary one on the right.
 * @param {Page} page
 * @param {'sidebar' | 'auxiliarybar'} part
 * @param {number} width
 */
async function widen(page, part, width) {
  const bar = page.locator(`.part.${part}`);
  await bar.waitFor();
  const box = await bar.boundingBox();
  if (!box) throw new Error('There is no side bar.');
  const [edge, wanted] = part === 'sidebar' ? [box.x + box.width, box.x + width] : [box.x, box.x + box.width - width];
  await page.mouse.move(edge, 300);
  await page.mouse.down();
  await page.mouse.move(wanted, 300, { steps: 5 });
  await page.mouse.up();
  await page.mouse.move(600, 500);
}

/**
 * @param {Page} page
 * @param {string} selector
 */
async function frameWith(page, selector) {
  for (let attempt = 0; attempt < 150; attempt++) {
    for (const frame of page.frames()) {
      const isThere = await frame
        .locator(selector)
        .first()
        .isVisible()
        .catch(() => false);
      if (isThere && frame !== page.mainFrame()) return frame;
    }
    await page.waitForTimeout(200);
  }
  throw new Error(`No page has ${selector}.`);
}

/**
 * @param {Page} page
 * @param {string} title
 */
async function runCommand(page, title) {
  await page.keyboard.press('F1');
  await page.locator('.quick-input-widget input').waitFor();
  await page.keyboard.type(title);
  await page.locator('.quick-input-list .monaco-list-row').filter({ hasText: title }).first().waitFor();
  await page.keyboard.press('Enter');
}

/**
 * @param {Page} page
 * @param {string} name
 */
async function openFile(page, name) {
  await page.keyboard.press('Control+P');
  await page.locator('.quick-input-widget input').waitFor();
  await page.keyboard.type(name);
  await page.locator('.quick-input-list .monaco-list-row').filter({ hasText: name }).first().waitFor();
  await page.keyboard.press('Enter');
  await page.locator('.tab.active').filter({ hasText: name }).waitFor();
}
