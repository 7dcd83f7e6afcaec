import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import { run } from '../processes.mjs';
import { readRelease } from './changelog.mjs';
import { checksumsText } from './checksums.mjs';
import { versionProblems } from './version.mjs';
import { manifestOfVsix } from './vsixManifest.mjs';

/** @typedef {import('./registries.mjs').Registry} Registry */

/**
 * @typedef {object} Surroundings
 * @property {string} root of the repository that is released
 * @property {NodeJS.ProcessEnv} env with the tokens
 * @property {readonly Registry[]} registries
 * @property {() => Promise<string>} build makes the package and returns its path; throws when it is not as it has to be
 * @property {(line: string) => void} print
 */

const manifestSchema = z.looseObject({ publisher: z.string(), name: z.string(), version: z.string() });
/** Where the release is put together, below the root. */
const outFolder = path.join('out', 'release');

/**
 * Checks everything there is to check, puts the release together in out/release, and publishes it unless that is a dry run.
 * @param {readonly string[]} args
 * @param {Surroundings} surroundings
 * @throws {Error} with all that is wrong, before anything is published; and when a registry refuses
 */
export async function release(args, { root, env, registries, build, print }) {
  const { isDryRun, vsix, tag, targets } = readOptions(args, registries);
  const manifest = manifestSchema.parse(JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')));
  const { version } = manifest;
  const id = `${manifest.publisher}.${manifest.name}`;
  const { notes, date, problems } = readRelease(await readFile(path.join(root, 'CHANGELOG.md'), 'utf8'), version);
  const tags = lines(await git(root, 'tag', '--points-at', 'HEAD'));
  problems.unshift(...versionProblems({ version, tag, tags, isDryRun }));
  problems.push(...changeProblems(lines(await git(root, 'status', '--porcelain'))));
  if (!isDryRun) problems.push(...tokenProblems(targets, env));
  if (problems.length > 0)
    throw new Error(['This cannot be released:', ...problems.map((each) => `- ${each}`)].join('\n'));

  const packageFile = vsix === undefined ? await build() : path.resolve(root, vsix);
  const bytes = await readFile(packageFile);
  const packaged = manifestOfVsix(bytes);
  if (`${packaged.publisher}.${packaged.name}` !== id || packaged.version !== version) {
    const found = `${packaged.publisher}.${packaged.name} ${packaged.version}`;
    throw new Error(`${packageFile} is ${found}, but package.json is ${id} ${version}: package it anew`);
  }
  const released = await writeRelease(path.join(root, outFolder), `${manifest.name}-${version}.vsix`, bytes, notes);
  print(`${id} ${version} of ${date ?? ''} is in ${outFolder}: ${path.basename(released)}, notes.md, SHA256SUMS`);
  for (const registry of targets) {
    if (isDryRun) {
      const state = env[registry.token]
        ? `${registry.token} is set`
        : `${registry.token} is not set: ${registry.tokenHelp}`;
      print(`Would be published to ${registry.title}, ${registry.page(id)} (${state})`);
    } else {
      await publish(registry, released, { env, tokens: registries.map(({ token }) => token) });
      print(`Published to ${registry.title}: ${registry.page(id)}`);
    }
  }
  if (isDryRun) {
    print(`Would be tagged v${version}; the tag makes a GitHub release of these files (.github/workflows/release.yml)`);
    print('Nothing was published');
  }
}

/**
 * @param {readonly string[]} args
 * @param {readonly Registry[]} registries
 */
function readOptions(args, registries) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      'dry-run': { type: 'boolean', default: false },
      vsix: { type: 'string' },
      tag: { type: 'string' },
      to: { type: 'string', multiple: true },
    },
  });
  const wanted = values.to ?? registries.map(({ id }) => id);
  const unknown = wanted.filter((id) => !registries.some((registry) => registry.id === id));
  if (unknown.length > 0) {
    throw new Error(
      `There is no registry ${unknown.join(', ')}; there are ${registries.map(({ id }) => id).join(', ')}`,
    );
  }
  const targets = registries.filter(({ id }) => wanted.includes(id));
  return { isDryRun: values['dry-run'], vsix: values.vsix, tag: values.tag, targets };
}

/** @param {readonly string[]} changes as `git status --porcelain` lists them */
function changeProblems(changes) {
  if (changes.length === 0) return [];
  return [`What is not committed would not be in the tag: ${changes.map((line) => line.trim()).join(', ')}`];
}

/**
 * @param {readonly Registry[]} targets
 * @param {NodeJS.ProcessEnv} env
 */
function tokenProblems(targets, env) {
  return targets
    .filter(({ token }) => !env[token])
    .map(({ token, title, tokenHelp }) => `${token} is not set, the token for ${title}: ${tokenHelp}`);
}

/**
 * @param {string} folder emptied first
 * @param {string} name of the package
 * @param {Buffer} bytes
 * @param {string} notes
 * @returns {Promise<string>} the package
 */
async function writeRelease(folder, name, bytes, notes) {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, name), bytes);
  await writeFile(path.join(folder, 'notes.md'), `${notes}\n`);
  await writeFile(path.join(folder, 'SHA256SUMS'), checksumsText(new Map([[name, bytes]])));
  return path.join(folder, name);
}

/**
 * What installs the command gets no token, and the command only its own.
 * @param {Registry} registry
 * @param {string} vsix
 * @param {{ env: NodeJS.ProcessEnv, tokens: readonly string[] }} own `tokens` names those of all registries
 */
async function publish({ title, token, command, prepare }, vsix, { env, tokens }) {
  const bare = Object.fromEntries(Object.entries(env).filter(([name]) => !tokens.includes(name)));
  await prepare?.(bare);
  const { code, output } = await run(process.execPath, command(vsix), { env: { ...bare, [token]: env[token] } });
  if (code !== 0) throw new Error(`${title} refused it:\n${output.replaceAll(env[token] ?? '', `<${token}>`)}`);
}

/**
 * @param {string} cwd
 * @param {...string} args
 */
async function git(cwd, ...args) {
  const { code, output } = await run('git', args, { cwd });
  if (code !== 0) throw new Error(`git ${args.join(' ')} failed:\n${output}`);
  return output;
}

/** @param {string} text */
function lines(text) {
  return text.split(/\r?\n/).filter((line) => line !== '');
}
