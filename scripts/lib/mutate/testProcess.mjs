// The process in which bundled tests run against mutants: one after the other, as its parent asks. The modules of a bundle
// are loaded anew each time, so nothing of one mutant is left for the next; the parent ends a process that is not at rest.
import { createRequire } from 'node:module';
import Mocha from 'mocha';
import fastCheck from 'fast-check';
import { stopChildren } from '../processes.mjs';
import { switchName } from './switches.mjs';

/** @typedef {{ index: number, timeoutMs: number }} ChosenTest `index` in the order in which the file says its tests */
/** @typedef {{ file: string, mutant?: number, tests?: readonly ChosenTest[] }} Order all tests without `tests` */
/** @typedef {'passed' | 'failed' | 'timedOut'} Outcome */
/** @typedef {{ index: number, title: string, outcome: Outcome, tookMs: number, reached: number[] }} RanTest */
/**
 * @typedef {object} Answer
 * @property {RanTest[]} tests those that ran, up to the first that did not pass if there was a mutant
 * @property {number[]} reachedOutside mutants reached while loading and in hooks around all tests
 * @property {string | undefined} brokenHook its title
 * @property {boolean} isAtRest nothing is open, nothing was thrown that nobody caught
 */

const require = createRequire(import.meta.url);
/** @type {number | undefined} */
let active;
/** @type {Set<number>} */
let reached = new Set();
Object.assign(globalThis, {
  [switchName]: (/** @type {number} */ number) => {
    reached.add(number);
    return number === active;
  },
});
// Random tests draw the same values each time.
fastCheck.configureGlobal({ seed: 1 });

let hasStray = false;
process.on('uncaughtException', () => (hasStray = true));
process.on('unhandledRejection', () => (hasStray = true));
process.on('disconnect', () => void stopChildren().then(() => process.exit()));
process.on('message', (/** @type {Order} */ order) => void run(order).then((answer) => process.send?.(answer)));

class ReloadingMocha extends Mocha {
  /** @param {string} file whose modules are evaluated anew */
  load(file) {
    Reflect.deleteProperty(require.cache, file);
    this.addFile(file).loadFiles();
  }
}

/**
 * @param {Order} order
 * @returns {Promise<Answer>}
 */
async function run({ file, mutant, tests }) {
  const openBefore = countOpen();
  hasStray = false;
  active = mutant;
  const outside = (reached = new Set());
  const mocha = new ReloadingMocha({
    ui: 'bdd',
    reporter: Mocha.reporters.Base,
    timeout: 60_000,
    bail: mutant !== undefined,
  });
  /** @type {RanTest[]} */
  const ran = [];
  /** @type {string | undefined} */
  let brokenHook;
  try {
    mocha.load(file);
  } catch {
    return { tests: [], reachedOutside: [...outside], brokenHook: 'loading the file', isAtRest: false };
  }
  const indexes = chooseTests(mocha.suite, tests);
  await new Promise((resolve) => {
    const runner = mocha.run(resolve);
    /** @type {Map<Mocha.Runnable, RanTest>} */
    const byTest = new Map();
    runner.on('test', (test) => {
      reached = new Set();
      const entry = { index: indexes.get(test) ?? -1, title: test.fullTitle(), tookMs: 0, reached: [] };
      byTest.set(test, { ...entry, outcome: 'passed' });
    });
    runner.on('test end', (test) => {
      const entry = byTest.get(test);
      if (entry) ran.push(Object.assign(entry, { tookMs: test.duration ?? 0, reached: [...reached] }));
    });
    runner.on('hook', (hook) => {
      if (/^"(?:before|after) all"/.test(hook.title)) reached = outside;
    });
    runner.on('fail', (runnable, /** @type {Error & { code?: string }} */ error) => {
      const entry = byTest.get(runnable);
      if (entry) entry.outcome = error.code === 'ERR_MOCHA_TIMEOUT' ? 'timedOut' : 'failed';
      else brokenHook = runnable.fullTitle();
    });
  });
  mocha.dispose();
  active = undefined;
  return { tests: ran, reachedOutside: [...outside], brokenHook, isAtRest: await isAtRest(openBefore) };
}

/**
 * Leaves only the chosen tests in a suite, each with its limit.
 * @param {Mocha.Suite} root
 * @param {readonly ChosenTest[] | undefined} chosen
 * @returns {ReadonlyMap<Mocha.Runnable, number>} the index of each test of the file
 */
function chooseTests(root, chosen) {
  /** @type {Map<Mocha.Runnable, number>} */
  const indexes = new Map();
  const limits = chosen && new Map(chosen.map(({ index, timeoutMs }) => [index, timeoutMs]));
  /** @param {Mocha.Suite} suite */
  const visit = (suite) => {
    suite.tests = suite.tests.filter((test) => {
      const index = indexes.size;
      indexes.set(test, index);
      const limit = limits?.get(index);
      if (limit !== undefined) test.timeout(limit);
      return !limits || limit !== undefined;
    });
    suite.suites.forEach(visit);
  };
  visit(root);
  return indexes;
}

function countOpen() {
  return process.getActiveResourcesInfo().filter((name) => name !== 'Immediate').length;
}

/**
 * What a test closes takes a few turns of the event loop to be gone.
 * @param {number} openBefore
 */
async function isAtRest(openBefore) {
  for (let turn = 0; turn < 20 && countOpen() > openBefore; turn++)
    await new Promise((resolve) => setImmediate(resolve));
  return countOpen() <= openBefore && !hasStray;
}
