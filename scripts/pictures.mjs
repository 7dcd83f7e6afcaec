// `npm run pictures`: takes the pictures of README.md and of the walkthrough from the real thing, into media/. `npm run pictures -- tools`
// takes only those of one part: hero, agents, review, tools, threads or context. Look at them before you commit them.
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { bootstrap } from './lib/bootstrap.mjs';

await bootstrap();
const { launchChromium, vsCodeFlags } = await import('./lib/chromium.mjs');
const { ensureCodeServer } = await import('./lib/vscode/codeServer.mjs');
const { withPictureWindow } = await import('./lib/pictures/pictureWindow.mjs');
const { endWhenInterrupted, stopChildren } = await import('./lib/processes.mjs');
const { writeSampleThreads } = await import('./lib/sampleThreads.mjs');
const { packageVsix } = await import('./lib/vscode/vsix.mjs');

/** @typedef {import('./lib/pictures/pictureWindow.mjs').PictureWindow} PictureWindow */
/** @typedef {import('./lib/pictures/pictureWindow.mjs').PictureWindowOptions} PictureWindowOptions */
/** @typedef {{ take: (window: PictureWindow) => Promise<void> } & PictureWindowOptions} Part */

/**
 * Without the context providers of the workspace, which run only after they were allowed.
 * @param {{ workspace: string }} sandbox
 */
const withoutProviders = ({ workspace }) => rm(path.join(workspace, '.vscode'), { recursive: true });

/** @type {Readonly<Record<string, Part>>} */
const parts = {
  hero: { take: hero, height: 760, hasExampleAgent: true, prepare: withoutProviders },
  agents: { take: agents, height: 700, prepare: withoutProviders },
  review: { take: review, height: 640, hasExampleAgent: true, prepare: withoutProviders },
  tools: { take: tools, height: 640, prepare: withoutProviders },
  threads: { take: threads, height: 700, prepare: withThreads },
  context: { take: context, width: 900, height: 620 },
};

endWhenInterrupted();
const chosen = process.argv.slice(2);
for (const name of chosen) if (!(name in parts)) throw new Error(`There are no pictures of ${name}.`);
await ensureCodeServer();
await packageVsix();
const browser = await launchChromium(vsCodeFlags);
try {
  for (const [name, { take, ...options }] of Object.entries(parts))
    if (chosen.length === 0 || chosen.includes(name)) await withPictureWindow(browser, take, options);
} finally {
  await browser.close();
  await stopChildren();
}
process.exit();

/**
 * An agent that works: its change in the editor with Keep and Undo, its plan in the chat, and another conversation in a tab.
 * @param {PictureWindow} window
 */
async function hero(window) {
  const { page } = window;
  await window.openFile('setlist.ts');
  await page.keyboard.press('Control+B');
  let chat = await window.openChat();
  await window.send('Show lengths over an hour as 1:02:05');
  await chat.getByText('Edit format.ts').first().waitFor();
  await window.runCommand('Backline: Open Conversation in Editor Tab');
  const tab = page.locator('.tab').filter({ hasText: 'Show lengths over an hour' });
  await tab.waitFor();
  await page.locator('.part.auxiliarybar').getByRole('button', { name: 'New Conversation' }).click();
  await window.openFile('setlist.ts');
  chat = await window.openChat();
  await chat.getByText('What would you like to work on?').waitFor();
  await window.send('Keep the loudest song for the encore, and test it');
  await chat.getByText('Running npm test').first().waitFor();
  await chat.locator('.plan summary').click();
  await window.goToFirstChange('setlist.ts');
  await window.picture('readme-chat.png');
  await window.inBothThemes(async (theme) => {
    await window.picture(`walkthrough/talk-${theme}.png`, '.part.auxiliarybar');
    await window.picture(`walkthrough/review-${theme}.png`, '.part.editor');
  });
}

/**
 * The page of agents, with the list that comes with the extension.
 * @param {PictureWindow} window
 */
async function agents(window) {
  await window.page.keyboard.press('Control+B');
  await window.runCommand('Backline: Agents');
  const list = await window.frameWith('.agents[aria-busy=false]');
  await list.getByText('List checked').or(list.getByText('the list that ships with Backline')).first().waitFor();
  await window.picture('readme-agents.png');
  await window.page.setViewportSize({ width: 760, height: 600 });
  await window.inBothThemes((theme) => window.picture(`walkthrough/agent-${theme}.png`, '.part.editor'));
}

/**
 * All changes in one editor, and a command that waits for an answer.
 * @param {PictureWindow} window
 */
async function review(window) {
  const { page } = window;
  await page.keyboard.press('Control+B');
  const chat = await window.openChat();
  await window.send('Accept lengths like 4:05 as input');
  await chat.getByRole('button', { name: 'Allow', exact: true }).waitFor();
  await window.runCommand('Backline: Review Agent Changes');
  await page.locator('.multiDiffEntry').filter({ hasText: 'format.test.ts' }).first().waitFor();
  // Until then, the Source Control view counts them.
  await page.locator('.activitybar .badge-content').filter({ hasText: '2' }).first().waitFor();
  await window.picture('readme-review.png');
}

/**
 * The demo agent asks the language server of VS Code.
 * @param {PictureWindow} window
 */
async function tools(window) {
  const { page } = window;
  await window.openFile('setlist.ts');
  await page.keyboard.press('Control+B');
  await page.locator('[id="status.problems"]').filter({ hasText: '1' }).waitFor();
  const chat = await window.openChat();
  await window.send('Who uses formatDuration in src/format.ts?');
  // What it says is also in a part of the page for screen readers.
  const turn = chat.getByRole('article', { name: 'Turn' }).first();
  await turn.getByText('I asked the language server').waitFor();
  await turn.getByText('Find references of formatDuration').first().click();
  await turn.getByText('setlist.ts').first().waitFor();
  await window.picture('readme-tools.png');
}

/**
 * The list of threads beside one of them.
 * @param {PictureWindow} window
 */
async function threads(window) {
  const { page } = window;
  await window.runCommand('Focus on Amp Threads View');
  await window.resize('sidebar', 390);
  await page.locator('.monaco-list-row').filter({ hasText: 'Tax in the cart' }).first().click();
  const thread = await window.frameWith('.thread h1');
  await thread.getByText('Edit cart.ts').first().click();
  await thread.getByText('the tests pass').waitFor();
  await window.picture('readme-threads.png');
}

/** @param {{ home: string, workspace: string }} sandbox */
async function withThreads(sandbox) {
  await withoutProviders(sandbox);
  await writeSampleThreads(sandbox);
}

/**
 * What two context providers know about a line.
 * @param {PictureWindow} window
 */
async function context(window) {
  const { page } = window;
  await window.openFile('setlist.ts');
  await page.keyboard.press('Control+B');
  await page.locator('.notifications-toasts').getByRole('button', { name: 'Review…' }).click();
  for (const name of ['todoOwners', 'links']) {
    await page.locator('.quick-input-list .monaco-list-row').filter({ hasText: name }).first().click();
    const dialog = page.locator('.monaco-dialog-box');
    await dialog.getByRole('button', { name: 'Allow', exact: true }).click();
    await dialog.waitFor({ state: 'hidden' });
  }
  await page.keyboard.press('Escape');
  await window.runCommand('Notifications: Clear All Notifications');
  // The language server has started when it has found the problem of line 12.
  await page.locator('[id="status.problems"]').filter({ hasText: '1' }).waitFor();
  await window.hoverOver('#12', 'Issue 12');
  await window.picture('readme-context.png');
}
