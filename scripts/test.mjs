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
const checks = [
  { title: 'Types', command: [tool('typescript/bin/tsc'), '--noEmit'] },
  { title: 'Types of the pages', command: [tool('typescript/bin/tsc'), '--noEmit', '-p', 'tsconfig.page.json'] },
  { title: 'Lint', command: [tool('eslint/bin/eslint.js'), '.', '--max-warnings=0'] },
  { title: 'Format', command: [tool('prettier/bin/prettier.cjs'), '--check', '--log-level', 'warn', '.'] },
  { title: 'Workflows and forms', command: ['scripts/checkGithub.mjs'] },
  { title: 'Package', command: ['scripts/package.mjs', '--strict'] },
];
/** @param {1 | 2 | 3} part @returns {Step} */
const unitTests = (part) => ({
  title: `Unit tests, part ${part} of 3`,
  command: ['scripts/testUnit.mjs', `--part=${part}/3`],
  summary: `unit-${part}of3`,
});
/** @type {readonly Step[]} */
const windows = [
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
// Side by side on two processors: the checks take about as long as a part of the unit tests.
await Promise.all([runAll([...checks, unitTests(3)], 'pipe'), runAll([unitTests(1), unitTests(2)], 'inherit')]);
await runAll(windows, 'inherit');
console.log(`\n=== ${secondsSinceStart()} s`);
for (const failure of failures) console.log(`\nFailed: ${failure}`);
if (flaky.length > 0) console.log(`\n${flaky.map((test) => `flaky: ${test}`).join('\n')}`);
console.log(`\n${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

/**
 * One after the other.
 * @param {readonly Step[]} steps
 * @param {'inherit' | 'pipe'} output `pipe` prints what a step has to say when it has ended
 */
async function runAll(steps, output) {
  for (const step of steps) {
    const { title, summary: name } = step;
    const heading = `\n=== ${title} (${secondsSinceStart()} s)`;
    if (output === 'inherit') console.log(heading);
    if (name !== undefined) await forgetSummary(name);
    const ended = await Promise.race([runStep(step, output), interruption]);
    if (typeof ended === 'string') {
      await stopChildren();
      process.exit(130);
    }
    const { code, printed } = ended;
    if (output === 'pipe') console.log(`${heading}\n${printed}`);
    await count(step, code);
  }
}

/**
 * @param {Step} step
 * @param {number} code
 */
async function count({ title, summary: name }, code) {
  const summary = name === undefined ? undefined : await readSummary(name);
  if (!summary) {
    if (code === 0 && name === undefined) passed++;
    else {
      failed++;
      failures.push(title);
    }
    return;
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

function secondsSinceStart() {
  return Math.round((Date.now() - startedAt) / 1000);
}

/**
 * A run that hangs is ended: after 25 minutes, or 15 s after it has written its summary (a failed test may leave behind
 * what keeps the process from ending).
 * @param {Step} step
 * @param {'inherit' | 'pipe'} output
 * @returns {Promise<{ code: number, printed: string }>} the exit code, and what was printed into the pipe
 */
async function runStep({ command, summary }, output) {
  const child = spawn(process.execPath, command, { cwd: inRoot(), stdio: ['ignore', output, output] });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (/** @type {string} */ text) => (printed += text));
  }
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
    await once(child, 'close');
    return { code: child.exitCode ?? 1, printed };
  } finally {
    clearInterval(watch);
  }
}
