import { access } from 'node:fs/promises';
import { findChromium } from './chromium.mjs';
import { findOnPath, run } from './processes.mjs';
import { during, say } from './progress.mjs';

/**
 * @typedef {object} Need
 * @property {() => Promise<boolean>} isPresent
 * @property {string} apt
 * @property {string} [otherApt] for systems such as Ubuntu, where the package `apt` does not exist
 * @property {string} dnf
 * @property {string} brew
 */

/** @param {string} command */
const command = (command) => async () => (await findOnPath(command)) !== undefined;
/** @param {...string} files */
const anyFile =
  (...files) =>
  async () => {
    const found = await Promise.all(
      files.map((file) =>
        access(file).then(
          () => true,
          () => false,
        ),
      ),
    );
    return found.includes(true);
  };

/** To compile the native modules of VS Code's server. */
/** @type {readonly Need[]} */
const buildTools = [
  { isPresent: command('python3'), apt: 'python3', dnf: 'python3', brew: 'python3' },
  { isPresent: command('make'), apt: 'make', dnf: 'make', brew: 'make' },
  { isPresent: command('g++'), apt: 'g++', dnf: 'gcc-c++', brew: 'gcc' },
  { isPresent: command('pkg-config'), apt: 'pkg-config', dnf: 'pkgconf', brew: 'pkg-config' },
  { isPresent: command('krb5-config'), apt: 'libkrb5-dev', dnf: 'krb5-devel', brew: 'krb5' },
];

/** @type {readonly Need[]} */
const browser = [
  {
    isPresent: async () => (await findChromium()) !== undefined,
    apt: 'chromium-headless-shell',
    otherApt: 'chromium',
    dnf: 'chromium',
    brew: '--cask chromium',
  },
  {
    isPresent: anyFile(
      '/usr/share/fonts/truetype/dejavu',
      '/usr/share/fonts/truetype/liberation',
      '/usr/share/fonts/dejavu-sans-fonts',
      '/System/Library/Fonts',
    ),
    apt: 'fonts-dejavu-core',
    dnf: 'dejavu-sans-fonts',
    brew: 'font-dejavu',
  },
];

export const ensureBuildTools = () => ensure('a compiler for VS Code’s native modules', buildTools);
export const ensureBrowser = () => ensure('a browser', browser);

/**
 * Installs what is missing on Debian and Ubuntu as root; throws with the exact command to run elsewhere.
 * @param {string} purpose
 * @param {readonly Need[]} needs
 */
async function ensure(purpose, needs) {
  const missing = await missingOf(needs);
  if (missing.length === 0) return;
  const apt = await findOnPath('apt-get');
  if (!apt || process.getuid?.() !== 0) throw new Error(`Backline needs ${purpose}. ${await advice(apt, missing)}`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await during(`Installing ${purpose}`, 'about 1 minute', async () => {
    await run(apt, ['update'], { env });
    const names = await aptPackagesOf(missing);
    say(`  ${names.join(' ')}`);
    const { code, output } = await run(apt, ['install', '-y', '--no-install-recommends', ...names], { env });
    if (code !== 0) throw new Error(`apt-get install ${names.join(' ')} failed:\n${output}`);
  });
  const stillMissing = await aptPackagesOf(await missingOf(needs));
  if (stillMissing.length > 0) throw new Error(`apt-get installed ${stillMissing.join(' ')}, but it is not found`);
}

/**
 * @param {readonly Need[]} needs
 * @returns {Promise<string[]>} the packages that this system has
 */
async function aptPackagesOf(needs) {
  return Promise.all(
    needs.map(async ({ apt, otherApt }) => {
      if (otherApt === undefined) return apt;
      const { code } = await run('apt-cache', ['show', apt]);
      return code === 0 ? apt : otherApt;
    }),
  );
}

/** @param {readonly Need[]} needs */
async function missingOf(needs) {
  const present = await Promise.all(needs.map((need) => need.isPresent()));
  return needs.filter((_, index) => !present[index]);
}

/**
 * @param {string | undefined} apt
 * @param {readonly Need[]} missing
 */
async function advice(apt, missing) {
  if (apt) return `Run: sudo apt-get install -y ${(await aptPackagesOf(missing)).join(' ')}`;
  if (await findOnPath('dnf')) return `Run: sudo dnf install -y ${missing.map((need) => need.dnf).join(' ')}`;
  if (await findOnPath('brew')) return `Run: ${missing.map((need) => `brew install ${need.brew}`).join(' && ')}`;
  return `Install what your system calls: ${missing.map(({ apt: name, otherApt }) => otherApt ?? name).join(', ')}`;
}
