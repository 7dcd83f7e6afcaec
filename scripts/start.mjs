// `npm start`: sets up what is missing, builds, and opens the extension in a VS Code on the sample workspace: the
// desktop's, or one in the browser. Stays in the foreground; Ctrl+C ends it and everything it started.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { bootstrap } from './lib/bootstrap.mjs';

await bootstrap();
const { ensureCodeServer } = await import('./lib/vscode/codeServer.mjs');
const { environmentVariable, hasDisplay } = await import('./lib/environment.mjs');
const { installVsix, startHost } = await import('./lib/vscode/host.mjs');
const { cacheRoot, inRoot, root } = await import('./lib/paths.mjs');
const { findOnPath, run, stopChildren, whenInterrupted } = await import('./lib/processes.mjs');
const { during, say } = await import('./lib/progress.mjs');
const { packageVsix, vsixFile } = await import('./lib/vscode/vsix.mjs');

const workspace = inRoot('examples', 'workspace');
const dataDir = path.join(cacheRoot, 'start', 'data');
const extensionsDir = path.join(cacheRoot, 'start', 'extensions');

try {
  // An interruption may come while something is still being installed.
  await Promise.race([start(), whenInterrupted()]);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
await stopChildren();
process.exit();

/** Settles when there is nothing left to wait for: the window was closed, or the server ended. */
async function start() {
  const code = await findDesktop();
  await (code ? startDesktop(code) : startBrowser());
}

/** @returns {Promise<string | undefined>} the desktop's `code`, if it can show a window */
async function findDesktop() {
  const choice = environmentVariable('BACKLINE_START');
  if (choice === 'browser') return undefined;
  const found = choice === 'desktop' || hasDisplay() ? await findOnPath('code') : undefined;
  if (choice === 'desktop' && !found) throw new Error('BACKLINE_START is desktop, but there is no `code` on PATH');
  return found;
}

/** @param {string} command */
async function startDesktop(command) {
  await during('Building the extension', 'some seconds', () => build(['esbuild.mjs']));
  console.log('Backline opens in a new window of VS Code. Close it, or press Ctrl+C here, to end.');
  const args = [
    ...['--new-window', '--wait', `--extensionDevelopmentPath=${root}`, `--user-data-dir=${dataDir}`],
    ...[`--extensions-dir=${extensionsDir}`, '--disable-workspace-trust', workspace],
  ];
  // On Windows `code` is a batch file, which only a shell can run, and its path has spaces.
  const isWindows = process.platform === 'win32';
  const [file = command, ...rest] = isWindows ? [command, ...args].map((text) => `"${text}"`) : [command, ...args];
  const child = spawn(file, rest, { stdio: 'inherit', detached: !isWindows, shell: isWindows });
  await new Promise((resolve, reject) => {
    child.on('exit', resolve);
    child.on('error', reject);
  });
}

async function startBrowser() {
  await ensureCodeServer();
  await during('Building and packaging the extension', 'about 10 seconds', packageVsix);
  await during('Installing it into VS Code', 'some seconds', () => installVsix(vsixFile, { dataDir, extensionsDir }));
  const token = randomBytes(16).toString('hex');
  const host = await startHost({ dataDir, extensionsDir, token });
  say('Open this in a browser on this machine; Ctrl+C here ends it:');
  console.log(`Backline is running: ${host.url(workspace)}`);
  throw new Error(`${await host.exited}\n${host.log()}`);
}

/** @param {readonly string[]} args */
async function build(args) {
  const { code: exitCode, output } = await run(process.execPath, args, { cwd: root });
  if (exitCode !== 0) throw new Error(output);
}
