import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { inRoot, root } from '../paths.mjs';
import { run } from '../processes.mjs';

export const vsixFile = inRoot('backline.vsix');
const maxExtensionBytes = 500 * 1024;

/**
 * Builds for production and writes backline.vsix at the root.
 * @throws {Error} with the output of what failed
 */
export async function packageVsix() {
  await mustRun(process.execPath, ['esbuild.mjs', '--production']);
  await vsce('package', '--no-dependencies', '--allow-missing-repository', '--out', vsixFile);
}

/**
 * What a release must hold to: the size of the bundle, and exactly the files of test/package/expected-files.txt.
 * @returns {Promise<string[]>} what is wrong, nothing when all is well
 */
export async function checkPackage() {
  const problems = [];
  const { size } = await stat(inRoot('dist', 'extension.js'));
  if (size >= maxExtensionBytes)
    problems.push(`dist/extension.js has ${size} bytes; the limit is ${maxExtensionBytes}`);
  const expected = lines(await readFile(inRoot('test', 'package', 'expected-files.txt'), 'utf8'));
  const packaged = lines(await vsce('ls', '--no-dependencies'));
  for (const file of packaged)
    if (!expected.includes(file)) problems.push(`${file} is in the package, but not expected`);
  for (const file of expected) if (!packaged.includes(file)) problems.push(`${file} is missing from the package`);
  // A bundle that is built and not shipped is missed only when somebody uses what is in it.
  for (const name of await readdir(inRoot('dist'), { recursive: true })) {
    const file = `dist/${name.replaceAll(path.sep, '/')}`;
    if (file.endsWith('.js') && !packaged.includes(file)) problems.push(`${file} is built, but not in the package`);
  }
  return problems;
}

/** @param {...string} args */
function vsce(...args) {
  return mustRun(process.execPath, [inRoot('node_modules', '@vscode', 'vsce', 'vsce'), ...args]);
}

/**
 * @param {string} command
 * @param {readonly string[]} args
 */
async function mustRun(command, args) {
  const { code, output } = await run(command, args, { cwd: root });
  if (code !== 0) throw new Error(`${args.join(' ')} failed:\n${output}`);
  return output;
}

/** @param {string} text */
function lines(text) {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
}
