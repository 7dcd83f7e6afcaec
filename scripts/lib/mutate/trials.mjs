import { TestProcess } from './testProcessHandle.mjs';

/** @typedef {import('./testFilesOf.mjs').TestBundle} TestBundle */
/** @typedef {import('./testProcess.mjs').ChosenTest} ChosenTest */
/** @typedef {import('./testProcess.mjs').RanTest} RanTest */
/** @typedef {{ outcome: 'killed' | 'timedOut', by: string } | { outcome: 'survived', isReached: boolean }} Verdict */
/**
 * @typedef {object} Profile of a test file without a mutant
 * @property {readonly RanTest[]} tests those that pass
 * @property {ReadonlySet<number>} reachedOutside
 * @property {boolean} isInOrder whether its tests need those before them
 */

/** A mutant may make every step a little slower, and the machine is busy. */
const limitOf = (/** @type {number} */ tookMs) => 2_000 + 5 * tookMs;

/** Tries mutants, one at a time. Test files are run once without a mutant, when they are first needed, to see what they reach. */
export class Trials {
  #process;
  #say;
  /** @type {Map<string, Promise<Profile>>} */
  #profiles = new Map();
  /** @type {Map<string, boolean>} */
  #standsAlone = new Map();

  /**
   * @param {NodeJS.ProcessEnv} env of the tests
   * @param {(text: string) => void} say
   */
  constructor(env, say) {
    this.#process = new TestProcess(env);
    this.#say = say;
  }

  stop() {
    return this.#process.stop();
  }

  /**
   * A feature's own tests have to notice: those of others are asked only about what none of its own reaches.
   * @param {number} mutant
   * @param {{ own: readonly TestBundle[], others: readonly TestBundle[] }} candidates in the order in which to try
   * @returns {Promise<Verdict>}
   */
  async judge(mutant, { own, others }) {
    const verdict = await this.#judgeBy(mutant, own);
    return verdict.outcome === 'survived' && !verdict.isReached ? this.#judgeBy(mutant, others) : verdict;
  }

  /**
   * @param {number} mutant
   * @param {readonly TestBundle[]} candidates
   * @returns {Promise<Verdict>}
   */
  async #judgeBy(mutant, candidates) {
    let isReached = false;
    for (const { bundle } of candidates) {
      const profile = await this.#profileOf(bundle);
      const tests = testsThatReach(profile, mutant);
      if (tests.length === 0) continue;
      isReached = true;
      const verdict = await this.#try(bundle, mutant, tests, profile);
      if (verdict) return verdict;
    }
    return { outcome: 'survived', isReached };
  }

  /**
   * @param {string} bundle
   * @param {number} mutant
   * @param {readonly RanTest[]} tests
   * @param {Profile} profile
   * @returns {Promise<Verdict | undefined>} nothing when all tests pass
   */
  async #try(bundle, mutant, tests, profile) {
    const answer = await this.#run(bundle, mutant, tests);
    if (answer === 'hangs') return { outcome: 'timedOut', by: bundle };
    if (answer === 'ended') return { outcome: 'killed', by: bundle };
    if (answer.brokenHook !== undefined) return { outcome: 'killed', by: answer.brokenHook };
    const noticed = answer.tests.find(({ outcome }) => outcome !== 'passed');
    if (!noticed) return undefined;
    const isPartial = tests.length < profile.tests.length;
    if (isPartial && !(await this.#standsAloneIn(bundle, noticed, tests))) {
      this.#profiles.set(bundle, Promise.resolve({ ...profile, isInOrder: true }));
      return this.#try(bundle, mutant, profile.tests, profile);
    }
    return { outcome: noticed.outcome === 'timedOut' ? 'timedOut' : 'killed', by: noticed.title };
  }

  /**
   * Whether a test passes without the tests before it, as long as there is no mutant.
   * @param {string} bundle
   * @param {RanTest} test
   * @param {readonly RanTest[]} chosen
   */
  async #standsAloneIn(bundle, test, chosen) {
    const key = `${bundle}:${test.index}`;
    const known = this.#standsAlone.get(key);
    if (known !== undefined) return known;
    const itself = chosen.filter(({ index }) => index === test.index);
    const answer = await this.#run(bundle, undefined, itself);
    const passed = typeof answer !== 'string' && answer.tests.every(({ outcome }) => outcome === 'passed');
    this.#standsAlone.set(key, passed);
    return passed;
  }

  /**
   * @param {string} bundle
   * @param {number | undefined} mutant
   * @param {readonly RanTest[]} tests
   */
  #run(bundle, mutant, tests) {
    const chosen = tests.map(({ index, tookMs }) => ({ index, timeoutMs: limitOf(tookMs) }));
    const allMs = tests.reduce((sum, { tookMs }) => sum + tookMs, 0);
    const slowestMs = Math.max(...tests.map(({ tookMs }) => tookMs));
    const order = { file: bundle, tests: chosen, ...(mutant === undefined ? {} : { mutant }) };
    return this.#process.ask(order, 3_000 + 2 * allMs + limitOf(slowestMs));
  }

  /** @param {string} bundle */
  #profileOf(bundle) {
    const profile = this.#profiles.get(bundle) ?? this.#profile(bundle);
    this.#profiles.set(bundle, profile);
    return profile;
  }

  /**
   * @param {string} bundle
   * @returns {Promise<Profile>}
   */
  async #profile(bundle) {
    const answer = await this.#process.ask({ file: bundle }, 180_000);
    if (typeof answer === 'string' || answer.brokenHook !== undefined) {
      this.#say(`Left out, as it does not run by itself: ${bundle}`);
      return { tests: [], reachedOutside: new Set(), isInOrder: false };
    }
    for (const { title, outcome } of answer.tests)
      if (outcome !== 'passed') this.#say(`Left out, as it fails: ${title}`);
    const tests = answer.tests.filter(({ outcome }) => outcome === 'passed');
    return { tests, reachedOutside: new Set(answer.reachedOutside), isInOrder: false };
  }
}

/**
 * @param {Profile} profile
 * @param {number} mutant
 * @returns {readonly RanTest[]}
 */
function testsThatReach({ tests, reachedOutside, isInOrder }, mutant) {
  if (reachedOutside.has(mutant)) return tests;
  const those = tests.filter(({ reached }) => reached.includes(mutant));
  return those.length > 0 && isInOrder ? tests : those;
}
