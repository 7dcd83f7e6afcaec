import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ensureCodeServer } from './codeServer.mjs';
import { run, stopTree } from '../processes.mjs';

/**
 * @typedef {object} HostOptions
 * @property {string} dataDir settings, logs and state; made if missing, never removed
 * @property {string} extensionsDir
 * @property {Record<string, unknown>} [settings] the user's settings.json, on top of `quietSettings`
 * @property {NodeJS.ProcessEnv} [env] the whole environment, default this process's
 * @property {boolean} [restricted] workspaces are untrusted (default: trust is switched off, everything is trusted)
 * @property {boolean} [isLean] without `unneededExtensions`, which saves a fifth of the processor time of each window
 * @property {boolean} [hasDebugger] also with the debugger of Node.js, if it is lean
 * @property {boolean} [testDriver] needed to run tests inside; hides notifications and refuses modal dialogs
 * @property {string} [token] the secret in every request; none by default, which is for tests only
 */

/**
 * @typedef {object} Host
 * @property {number} port
 * @property {(folder: string, payload?: readonly (readonly [string, string])[]) => string} url
 * @property {() => string} log what the server printed so far
 * @property {Promise<string>} exited the reason, if the server ends before `stop`
 * @property {(options?: { graceMs?: number }) => Promise<void>} stop ends the server and everything it started
 */

/** VS Code without what comes between a user (or a test) and the extension. */
export const quietSettings = {
  'chat.commandCenter.enabled': false,
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': false,
  'extensions.ignoreRecommendations': true,
  'files.autoSave': 'off',
  'git.autofetch': false,
  'git.openRepositoryInParentFolders': 'never',
  'remote.portsAttributes': { '--type=extensionHost': { onAutoForward: 'ignore' } },
  'security.workspace.trust.startupPrompt': 'never',
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'workbench.enableExperiments': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.welcomePage.walkthroughs.openOnInstall': false,
};

/** VS Code's own extensions that few tests need. Most of them start with each window, or add hundreds of commands and settings. */
const unneededExtensions = new RegExp(
  `^(${[
    'copilot|emmet|extension-editing|gulp|grunt|jake|npm|references-view|simple-browser|terminal-suggest|tunnel-forwarding',
    'github|(github|microsoft)-authentication|ms-vscode\\..*|debug-.*|mermaid-.*',
    'theme-(?!defaults$|seti$).*',
  ].join('|')})$`,
);

/** For tests, which type into the editor. */
export const testSettings = {
  // VS Code does not notice changes of files in folders with this name.
  'files.watcherExclude': { '**/unwatched/**': true },
  'editor.autoClosingBrackets': 'never',
  'editor.autoClosingQuotes': 'never',
  'editor.acceptSuggestionOnEnter': 'off',
  'editor.quickSuggestions': { other: 'off', comments: 'off', strings: 'off' },
  // Otherwise, VS Code asks the npm registry for types.
  'typescript.disableAutomaticTypeAcquisition': true,
};

/**
 * Starts VS Code's server on a free port of 127.0.0.1. The caller stops it.
 * @param {HostOptions} options
 * @returns {Promise<Host>}
 * @throws {Error} with the server's output, when it ends or does not listen within 60 s
 */
export async function startHost(options) {
  const {
    dataDir,
    settings = {},
    env = process.env,
    restricted = false,
    testDriver = false,
    isLean = false,
    hasDebugger = false,
    token,
  } = options;
  const folder = await ensureCodeServer();
  await mkdir(path.join(dataDir, 'data', 'User'), { recursive: true });
  await writeFile(
    path.join(dataDir, 'data', 'User', 'settings.json'),
    JSON.stringify({ ...quietSettings, ...settings }, undefined, 2),
  );
  const child = spawn(
    process.execPath,
    [
      ...['out/server-main.js', '--host', '127.0.0.1', '--port', '0', '--accept-server-license-terms'],
      // On this machine it only takes time: a twelfth of all that a window takes until it is open.
      '--disable-websocket-compression',
      ...['--telemetry-level', 'off', ...directories(options)],
      ...(token ? ['--connection-token', token] : ['--without-connection-token']),
      ...(restricted ? [] : ['--disable-workspace-trust']),
      ...(isLean ? ['--builtin-extensions-dir', await linkNeededExtensions(folder, dataDir, hasDebugger)] : []),
      ...(testDriver ? ['--enable-smoke-test-driver'] : []),
    ],
    { cwd: folder, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  await once(child, 'spawn');
  const { pid } = child;
  if (pid === undefined) throw new Error("VS Code's server did not start");
  let output = '';
  const exited = once(child, 'exit').then(([code, signal]) => `VS Code's server ended (${signal ?? code})`);
  /** @type {Promise<number>} */
  const listening = new Promise((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8');
      stream.on('data', (/** @type {string} */ text) => {
        output += text;
        const port = /Extension host agent listening on (\d+)/.exec(output)?.[1];
        if (port) resolve(Number(port));
      });
    }
  });
  const stop = (/** @type {{ graceMs?: number }} */ options = {}) => stopTree(pid, options);
  try {
    const port = await within(60_000, "VS Code's server", Promise.race([listening, exited.then(fail)]));
    return {
      port,
      url: (at, payload) => pageUrl({ port, token, folder: at, payload }),
      log: () => output,
      exited,
      stop,
    };
  } catch (error) {
    await stop();
    throw new Error(`${String(error)}\n${output}`, { cause: error });
  }
}

/**
 * Installs a .vsix for hosts with the same folders.
 * @param {string} vsix
 * @param {Pick<HostOptions, 'dataDir' | 'extensionsDir' | 'env'>} options
 */
export async function installVsix(vsix, options) {
  const cwd = await ensureCodeServer();
  const args = ['out/server-main.js', '--install-extension', vsix, '--force', '--accept-server-license-terms'];
  const env = options.env ?? process.env;
  const { code, output } = await run(process.execPath, [...args, ...directories(options)], { cwd, env });
  if (code !== 0 || !output.includes('successfully installed'))
    throw new Error(`${vsix} was not installed:\n${output}`);
}

/**
 * @param {string} server its folder
 * @param {string} dataDir
 * @param {boolean} hasDebugger
 * @returns {Promise<string>} a folder with links to the extensions of the server that tests need
 */
async function linkNeededExtensions(server, dataDir, hasDebugger) {
  const [all, needed] = [path.join(server, 'extensions'), path.join(dataDir, 'builtin')];
  await mkdir(needed, { recursive: true });
  const names = (await readdir(all)).filter(
    (name) => !unneededExtensions.test(name) || (hasDebugger && name === 'ms-vscode.js-debug'),
  );
  await Promise.all(names.map((name) => symlink(path.join(all, name), path.join(needed, name), 'junction')));
  return needed;
}

/** @param {Pick<HostOptions, 'dataDir' | 'extensionsDir'>} options */
function directories({ dataDir, extensionsDir }) {
  return ['--server-data-dir', dataDir, '--extensions-dir', extensionsDir];
}

/** @param {{ port: number, token: string | undefined, folder: string, payload: readonly (readonly [string, string])[] | undefined }} page */
function pageUrl({ port, token, folder, payload }) {
  const query = [
    ...(token ? [`tkn=${token}`] : []),
    `folder=${folder.split(path.sep).map(encodeURIComponent).join('/')}`,
    ...(payload ? [`payload=${encodeURIComponent(JSON.stringify(payload))}`] : []),
  ];
  return `http://127.0.0.1:${port}/?${query.join('&')}`;
}

/**
 * @template T
 * @param {number} timeoutMs
 * @param {string} what
 * @param {Promise<T>} promise
 * @returns {Promise<T>}
 */
export async function within(timeoutMs, what, promise) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  /** @type {Promise<never>} */
  const deadline = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took longer than ${timeoutMs / 1000} s`)), timeoutMs);
  });
  try {
    return await Promise.race([promise, deadline]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * @param {string} message
 * @returns {never}
 */
function fail(message) {
  throw new Error(message);
}
