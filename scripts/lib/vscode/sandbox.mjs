import { cp, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { inRoot } from '../paths.mjs';

/**
 * @typedef {object} Sandbox a temp folder with all that a VS Code under test may touch
 * @property {string} folder
 * @property {string} home
 * @property {string} workspace a fresh copy of test/fixtures/workspace
 * @property {string} dataDir
 * @property {string} extensionsDir
 * @property {NodeJS.ProcessEnv} env with HOME in the sandbox
 * @property {() => Promise<void>} remove
 */

/**
 * The caller removes it.
 * @param {{ workspace?: string, env?: Record<string, string> }} [options] a folder to copy instead, relative to the root
 * @returns {Promise<Sandbox>}
 */
export async function makeSandbox({ workspace: source = 'test/fixtures/workspace', env: extra = {} } = {}) {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'backline-test-')));
  const [home, workspace] = [path.join(folder, 'home'), path.join(folder, 'workspace')];
  await mkdir(home);
  await cp(inRoot(source), workspace, { recursive: true });
  // The extension host takes its environment from a login shell, whose /etc/profile resets PATH.
  const PATH = process.env['PATH'] ?? '';
  await writeFile(path.join(home, '.profile'), `export PATH='${PATH.replaceAll("'", `'\\''`)}'\n`);
  const inherited = Object.entries(process.env).filter(([name]) => !/^(XDG_|VSCODE_|AMP_|npm_)/.test(name));
  const env = { ...Object.fromEntries(inherited), ...extra, HOME: home, USERPROFILE: home };
  return {
    folder,
    home,
    workspace,
    dataDir: path.join(folder, 'data'),
    extensionsDir: path.join(folder, 'extensions'),
    env,
    remove: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }),
  };
}
