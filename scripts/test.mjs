// `npm test`: sets up what is missing, runs every check there is, and counts. A check that cannot run has failed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { bootstrap } from './lib/bootstrap.mjs';

await bootstrap().catch((/** @type {unknown} */ error) => {
  console.error(error instanceof Error ? error.message : error);
  console.log('\n0 passed, 1 failed');
  process.exit(1);
});
const { inRoot } = await import('./lib/paths.mjs');
const { stopChildren, stopTree, whenInterrupted } = await import('./lib/processes.mjs');
const { forgetSummary, isGood, readSummary } = await import('./lib/summary.mjs');

const interruption = whenInterrupted();

/** @typedef {{ title: string, command: string[], summary?: string }} Step `summary` names the mocha run it counts */

const tool = (/** @type {string} */ file) => inRoot('node_modules', ...file.split('/'));

/** @type {readonly Step[]} */
const steps = [
  { title: 'Types', command: [tool('typescript/bin/tsc'), '--noEmit'] },
  { title: 'Types of the pages', command: [tool('typescript/bin/tsc'), '--noEmit', '-p', 'tsconfig.page.json'] },
  { title: 'Lint', command: [tool('eslint/bin/eslint.js'), '.', '--max-warnings=0'] },
  { title: 'Format', command: [tool('prettier/bin/prettier.cjs'), '--check', '--log-level', 'warn', '.'] },
  { title: 'Package', command: ['scripts/package.mjs', '--strict'] },
  { title: 'Unit tests', command: ['scripts/testUnit.mjs'], summary: 'unit' },
  { title: 'Tests inside VS Code', command: ['scripts/testHost.mjs'], summary: 'host' },
  { title: 'Tests of the installed package', command: ['scripts/testUi.mjs'], summary: 'ui' },
  { title: 'Page tests', command: ['scripts/testPage.mjs'], summary: 'page' },
];

/** Each of these steps is one check. Of mocha runs every test counts, and the run itself when it broke off. */
let passed = 0;
let failed = 0;
/** @type {string[]} told again at the end, where they are found */
const failures = [];
/** @type {string[]} tests that passed when their file ran again */
const flaky = [];
const startedAt = Date.now();
for (const step of steps) {
  const { title, summary: name } = step;
  console.log(`\n=== ${title} (${Math.round((Date.now() - startedAt) / 1000)} s)`);
  if (name !== undefined) await forgetSummary(name);
  const code = await Promise.race([runStep(step), interruption]);
  if (typeof code === 'string') {
    await stopChildren();
    process.exit(130);
  }
  const summary = name === undefined ? undefined : await readSummary(name);
  if (!summary) {
    if (code === 0 && name === undefined) passed++;
    else {
      failed++;
      failures.push(title);
    }
    continue;
  }
  passed += summary.passes;
  failed += summary.failures + summary.pending;
  flaky.push(...(summary.flaky ?? []));
  failures.push(...summary.failed.map((test) => `${title}: ${test}`));
  if (code !== 0 && isGood(summary)) {
    failed++;
    failures.push(`${title}: the run broke off (exit code ${code})`);
  }
}
console.log(`\n=== ${Math.round((Date.now() - startedAt) / 1000)} s`);
for (const failure of failures) console.log(`\nFailed: ${failure}`);
if (flaky.length > 0) console.log(`\n${flaky.map((test) => `flaky: ${test}`).join('\n')}`);
console.log(`\n${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

/**
 * A run that hangs is ended: after 25 minutes, or 15 s after it has written its summary (a failed test may leave behind
 * what keeps the process from ending).
 * @param {Step} step
 * @returns {Promise<number>} exit code
 */
async function runStep({ command, summary }) {
  const child = spawn(process.execPath, command, { cwd: inRoot(), stdio: ['ignore', 'inherit', 'inherit'] });
  let secondsLeft = 25 * 60;
  const watch = setInterval(() => {
    if (--secondsLeft === 0 && child.pid !== undefined) {
      console.error('This run does not end: it is killed');
      void stopTree(child.pid);
    }
    if (summary === undefined || secondsLeft <= 15) return;
    void readSummary(summary).then((done) => {
      if (done) secondsLeft = Math.min(secondsLeft, 15);
    });
  }, 1_000);
  try {
    await once(child, 'exit');
    return child.exitCode ?? 1;
  } finally {
    clearInterval(watch);
  }
}
