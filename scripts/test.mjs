// `npm test`: sets up what is missing, runs every check there is, and counts. A check that cannot run has failed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { bootstrap } from './lib/bootstrap.mjs';

await bootstrap().catch((/** @type {unknown} */ error) => {
  console.error(error instanceof Error ? error.message : error);
  console.log('\n0 passed, 1 failed');
  process.exit(1);
});
const { inRoot } = await import('./lib/paths.mjs');
const { stopChildren, stopTree, whenInterrupted } = await import('./lib/processes.mjs');
const { forgetSummary, isGood, readSummary } = await import('./lib/tests/summary.mjs');

const interruption = whenInterrupted();
/** A check says nothing before its end, and a UI file nothing before all its tests have ended, one of which has 15 minutes. */
const maxSilentSeconds = 45 * 60;
// Nobody looks at pictures of themes that a whole run has taken; `npm run test:ui` takes them.
process.env['BACKLINE_PICTURES'] = 'none';

/** @typedef {{ title: string, command: string[], summary?: string }} Step `summary` names the mocha run it counts */

const tool = (/** @type {string} */ file) => inRoot('node_modules', ...file.split('/'));

/** @type {Step[]} */
const checks = [
  { title: 'Types and lint', command: ['scripts/checkCode.mjs'] },
  {
    title: 'Format',
    command: [
      tool('prettier/bin/prettier.cjs'),
      '--check',
      '--cache',
      '--cache-location',
      'out/formatted',
      '--log-level',
      'warn',
      '.',
    ],
  },
  { title: 'Workflows and forms', command: ['scripts/checkGithub.mjs'] },
];
/** @type {Step} */
const packageCheck = { title: 'Package', command: ['scripts/package.mjs', '--strict'] };
// In two processes, of which one often waits: one alone was the last to end, and left a processor idle for minutes.
/** @type {Step} */
const unitTests = { title: 'Unit tests', command: ['scripts/testUnit.mjs', '--processes=2'], summary: 'unit' };
// Takes minutes on a new machine, and no time where all is there.
/** @type {Step} */
const preparation = { title: 'A browser and VS Code for the tests', command: ['scripts/prepareTests.mjs'] };
/** @type {Step} */
const hostTests = { title: 'Tests inside VS Code', command: ['scripts/testHost.mjs'], summary: 'host' };
/** @type {Step} */
const pageTests = { title: 'Page tests', command: ['scripts/testPage.mjs'], summary: 'page' };
/** @type {Step} */
const uiTests = { title: 'Tests of the installed package', command: ['scripts/testUi.mjs'], summary: 'ui' };

/** Each of these steps is one check. Of mocha runs every test counts, and the run itself when it broke off. */
let passed = 0;
let failed = 0;
/** @type {string[]} told again at the end, where they are found */
const failures = [];
/** @type {string[]} tests that passed when their file ran again */
const flaky = [];
const startedAt = Date.now();
const prepared = runAll([preparation]);
// Before the host tests, which write to `dist`, too.
const packaged = runAll([packageCheck]);
// Lanes for two processors. The host tests begin as early as possible: they take longest, and mostly wait for their one VS Code.
await Promise.all([
  Promise.all([prepared, packaged]).then(() => runAll([hostTests])),
  Promise.all([packaged.then(() => runAll(checks)), prepared]).then(() => runAll([pageTests])),
  runAll([unitTests], 'at once'),
]);
await runAll([uiTests], 'at once');
console.log(`\n=== ${secondsSinceStart()} s`);
for (const failure of failures) console.log(`\nFailed: ${failure}`);
if (flaky.length > 0) console.log(`\n${flaky.map((test) => `flaky: ${test}`).join('\n')}`);
console.log(`\n${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

/**
 * One after the other.
 * @param {readonly Step[]} steps
 * @param {'at once' | 'at the end'} [showing] when to print what a step has to say
 */
async function runAll(steps, showing = 'at the end') {
  for (const step of steps) {
    const { title, summary: name } = step;
    const heading = `\n=== ${title} (${secondsSinceStart()} s)`;
    if (showing === 'at once') console.log(heading);
    if (name !== undefined) await forgetSummary(name);
    const ended = await Promise.race([runStep(step, showing), interruption]);
    if (typeof ended === 'string') {
      await stopChildren();
      process.exit(130);
    }
    const { code, printed } = ended;
    if (showing === 'at the end') console.log(`${heading}\n${printed}`);
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
 * A run that hangs is killed: when it has said nothing for `maxSilentSeconds`, or 15 s after it has written its summary (a
 * failed test may leave behind what keeps the process from ending). How long a run takes as a whole is up to the machine.
 * @param {Step} step
 * @param {'at once' | 'at the end'} showing
 * @returns {Promise<{ code: number, printed: string }>} the exit code, and what is still to be printed
 */
async function runStep({ title, command, summary }, showing) {
  // Mocha's own variable: FORCE_COLOR would also colour what the tested programs print.
  const env = process.stdout.isTTY && process.stdout.hasColors() ? { ...process.env, MOCHA_COLORS: '1' } : process.env;
  const child = spawn(process.execPath, command, { cwd: inRoot(), env, stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  let secondsLeft = maxSilentSeconds;
  let hasSummary = false;
  /** @type {(from: import('node:stream').Readable, to: NodeJS.WriteStream) => void} */
  const forward = (from, to) => {
    from.setEncoding('utf8').on('data', (/** @type {string} */ text) => {
      if (!hasSummary) secondsLeft = maxSilentSeconds;
      if (showing === 'at once') to.write(text);
      else printed += text;
    });
  };
  forward(child.stdout, process.stdout);
  forward(child.stderr, process.stderr);
  const watch = setInterval(() => {
    if (--secondsLeft === 0 && child.pid !== undefined) {
      clearInterval(watch);
      const why = hasSummary ? 'did not end after its tests' : `said nothing for ${maxSilentSeconds / 60} minutes`;
      console.error(`${title}: the run ${why}, so it is killed`);
      stopTree(child.pid).catch((/** @type {unknown} */ error) => console.error(String(error)));
    }
    if (summary === undefined || hasSummary) return;
    void readSummary(summary).then((done) => {
      if (!done || hasSummary) return;
      hasSummary = true;
      secondsLeft = 15;
    });
  }, 1_000);
  const closed = once(child, 'close');
  try {
    await once(child, 'exit');
    // A process that was left behind may hold the output open.
    await Promise.race([closed, sleep(5_000)]);
    return { code: child.exitCode ?? 1, printed };
  } finally {
    clearInterval(watch);
    child.stdout.destroy();
    child.stderr.destroy();
  }
}
