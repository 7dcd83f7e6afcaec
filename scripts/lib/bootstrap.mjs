// Runs on the oldest Node.js and older ones, before anything is installed: builtins only.
import { spawn } from 'node:child_process';
import { access } from 'node:fs/promises';
import path from 'node:path';
import { readJson } from './json.mjs';
import { isTooOld, tooOldMessage } from './oldestNode.mjs';
import { inRoot, root } from './paths.mjs';
import { run, whenInterrupted } from './processes.mjs';
import { during } from './progress.mjs';

/** @typedef {{ version?: string, optional?: boolean }} LockedPackage */

/**
 * Makes node_modules what package-lock.json says, then runs the calling script again under the Node.js of
 * node_modules (the one VS Code's extension host has) if this one is another. Returns only in the right one.
 * @param {NodeJS.ProcessEnv} [secrets] variables of the script that what installs does not get
 */
export async function bootstrap(secrets = {}) {
  if (isTooOld(process.versions.node)) {
    console.error(tooOldMessage(process.versions.node));
    process.exit(1);
  }
  process.chdir(root);
  process.env['PATH'] = `${inRoot('node_modules', '.bin')}${path.delimiter}${process.env['PATH'] ?? ''}`;
  if (!(await isInstalled())) await install();
  /** @type {{ version: string }} */
  const { version } = await readJson(inRoot('node_modules', 'node', 'package.json'));
  if (process.versions.node !== version) process.exit(await rerun(secrets));
}

/**
 * npm writes node_modules/.package-lock.json when an install has ended well, whoever ran it; a half-finished `npm ci`
 * has none, since it begins by removing node_modules.
 */
async function isInstalled() {
  try {
    const [wanted, installed] = await Promise.all([
      readLock(inRoot('package-lock.json')),
      readLock(inRoot('node_modules', '.package-lock.json')),
      access(nodeBinary()),
    ]);
    return Object.entries(wanted).every(
      ([name, { version, optional }]) => name === '' || optional === true || installed[name]?.version === version,
    );
  } catch {
    return false;
  }
}

async function install() {
  const { code, output } = await during('Installing npm packages', 'about 1 minute', () =>
    run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: root }),
  );
  if (code !== 0 || !(await isInstalled())) throw new Error(`npm ci failed:\n${output}`);
}

/**
 * @param {NodeJS.ProcessEnv} secrets
 * @returns {Promise<number>} the exit code of the second run
 */
function rerun(secrets) {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, ...secrets };
    const child = spawn(nodeBinary(), process.argv.slice(1), { stdio: 'inherit', env });
    // Ctrl+C reaches both; this one stays until the other has cleaned up. A signal sent to this one alone is passed on.
    void whenInterrupted().then((name) => child.kill(name));
    child.on('error', reject);
    child.on('exit', (code) => resolve(code ?? 128));
  });
}

function nodeBinary() {
  return inRoot('node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
}

/** @param {string} file */
async function readLock(file) {
  /** @type {{ packages: Record<string, LockedPackage> }} */
  const { packages } = await readJson(file);
  return packages;
}
