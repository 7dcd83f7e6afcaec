import { downloadAndUnzipVSCode, runTests } from '@vscode/test-electron';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { findChromium } from '../chromium.mjs';
import { launchArguments, onlyVariables, versionToTest } from '../vscode/desktop.mjs';
import { environmentVariable, hasDisplay } from '../environment.mjs';
import { quietSettings, startHost, testSettings, within } from '../vscode/host.mjs';
import { openPacedPage } from '../vscode/pacedBrowser.mjs';
import { readJson } from '../json.mjs';
import { cacheRoot, inRoot, root } from '../paths.mjs';
import { stopChildren } from '../processes.mjs';
import { say } from '../progress.mjs';
import { ensureBrowser } from '../systemPackages.mjs';

/** @typedef {import('../vscode/sandbox.mjs').Sandbox} Sandbox */

/**
 * @typedef {object} RunningTests a VS Code that runs the tests; the caller stops it
 * @property {Promise<string>} ended the reason, when it has ended or can no longer run anything
 * @property {() => string} log
 * @property {() => Promise<void>} stop
 */

/** @typedef {{ start: (sandbox: Sandbox, entry: string) => Promise<RunningTests> }} HostRunner */

/**
 * BACKLINE_HOST decides; else the desktop's VS Code where it can be downloaded and shown, else the browser host.
 * @returns {Promise<HostRunner>}
 */
export async function chooseRunner() {
  const chosen = environmentVariable('BACKLINE_HOST');
  if (chosen !== undefined && chosen !== 'electron' && chosen !== 'browser') {
    throw new Error(`BACKLINE_HOST is "${chosen}": set it to electron or browser, or not at all`);
  }
  const why = chosen ? undefined : await whyNoElectron();
  const kind = chosen ?? (why ? 'browser' : 'electron');
  say(`Runner: ${kind}${chosen ? ' (BACKLINE_HOST)' : why ? `, since ${why}` : ''}`);
  return kind === 'electron' ? electronRunner : browserRunner;
}

/** @returns {Promise<string | undefined>} */
async function whyNoElectron() {
  if (!hasDisplay()) return 'there is no display';
  try {
    const probe = 'https://update.code.visualstudio.com/api/releases/stable';
    const response = await fetch(probe, { signal: AbortSignal.timeout(3_000) });
    await response.body?.cancel();
    return response.ok ? undefined : `VS Code's download answers ${response.status}`;
  } catch {
    return 'VS Code cannot be downloaded here';
  }
}

/** @type {HostRunner} */
const electronRunner = {
  async start(sandbox, entry) {
    /** @type {{ engines: { vscode: string } }} */
    const { engines } = await readJson(inRoot('package.json'));
    const version = versionToTest(environmentVariable('BACKLINE_VSCODE'), engines.vscode);
    const download = downloadAndUnzipVSCode({ version, cachePath: path.join(cacheRoot, 'vscode') });
    const vscodeExecutablePath = await within(5 * 60_000, `The download of VS Code ${version}`, download);
    await writeUserSettings(sandbox.dataDir);
    const tests = runTests({
      vscodeExecutablePath,
      extensionDevelopmentPath: root,
      extensionTestsPath: entry,
      extensionTestsEnv: onlyVariables(process.env, sandbox.env),
      launchArgs: launchArguments(sandbox),
    });
    const ended = tests.then(
      (code) => `VS Code ended with ${code}`,
      (/** @type {unknown} */ error) => `VS Code failed: ${String(error)}`,
    );
    return {
      ended,
      log: () => '',
      stop: async () => {
        await within(30_000, 'VS Code', ended).catch(stopChildren);
      },
    };
  },
};

/** @param {string} dataDir of a desktop's VS Code */
async function writeUserSettings(dataDir) {
  const folder = path.join(dataDir, 'User');
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'settings.json'), JSON.stringify({ ...quietSettings, ...testSettings }));
}

/** Without what VS Code only shows: the tests ask the extension host, and see none of it. */
const plainEditor = {
  'breadcrumbs.enabled': false,
  // VS Code's own chat is one process more.
  'chat.disableAIFeatures': true,
  'editor.bracketPairColorization.enabled': false,
  'editor.colorDecorators': false,
  'editor.cursorBlinking': 'solid',
  'editor.folding': false,
  'editor.glyphMargin': false,
  'editor.guides.indentation': false,
  'editor.hover.enabled': false,
  'editor.inlayHints.enabled': 'off',
  'editor.inlineSuggest.enabled': false,
  'editor.lightbulb.enabled': 'off',
  'editor.links': false,
  'editor.matchBrackets': 'never',
  'editor.minimap.enabled': false,
  'editor.occurrencesHighlight': 'off',
  'editor.renderLineHighlight': 'none',
  'editor.renderWhitespace': 'none',
  'editor.selectionHighlight': false,
  'editor.stickyScroll.enabled': false,
  'explorer.autoReveal': false,
  'explorer.decorations.badges': false,
  'explorer.decorations.colors': false,
  'problems.decorations.enabled': false,
  'scm.diffDecorations': 'none',
  'window.commandCenter': false,
  'window.menuBarVisibility': 'hidden',
  'workbench.editor.decorations.badges': false,
  'workbench.editor.decorations.colors': false,
  'workbench.editor.editorActionsLocation': 'hidden',
  'workbench.layoutControl.enabled': false,
};

/** @type {HostRunner} */
const browserRunner = {
  async start(sandbox, entry) {
    if (!(await findChromium()) || process.platform === 'linux') await ensureBrowser();
    const { dataDir, extensionsDir, env, workspace } = sandbox;
    const host = await startHost({
      dataDir,
      extensionsDir,
      env,
      settings: { ...testSettings, ...plainEditor },
      isLean: true,
      hasDebugger: true,
      testDriver: true,
    });
    /** @type {import('playwright-core').Browser | undefined} */
    let browser;
    const stop = async () => {
      try {
        await browser?.close();
      } finally {
        await host.stop();
      }
    };
    try {
      // Nobody looks at it, and what moves is drawn by the processor.
      const opened = await openPacedPage(4, { viewport: { width: 800, height: 600 }, reducedMotion: 'reduce' });
      const { page } = opened;
      browser = opened.browser;
      /** @type {string[]} */
      const pageErrors = [];
      page.on('console', (message) => {
        if (message.type() === 'error') pageErrors.push(message.text());
      });
      page.on('pageerror', (error) => pageErrors.push(String(error)));
      /** @type {Promise<string>} */
      const pageEnded = new Promise((resolve) => {
        page.on('crash', () => resolve('the page crashed'));
        page.on('close', () => resolve('the page was closed'));
        opened.browser.on('disconnected', () => resolve('the browser ended'));
      });
      const remote = (/** @type {string} */ file) => `vscode-remote://127.0.0.1:${host.port}${file}`;
      await page.goto(
        host.url(workspace, [
          ['extensionDevelopmentPath', remote(root)],
          ['extensionTestsPath', remote(entry)],
        ]),
      );
      return {
        ended: Promise.race([host.exited, pageEnded]),
        log: () => `--- server\n${host.log()}\n--- page\n${pageErrors.slice(-20).join('\n')}`,
        stop,
      };
    } catch (error) {
      await stop();
      throw error;
    }
  },
};
