// The results of a mocha run; also bundled into the tests inside VS Code.
import { countsOf } from './secondRun.mjs';

/** @typedef {import('./summary.mjs').FileResult} FileResult */

/**
 * Such a test has not failed here: test/support/only.ts has put the place where it runs into its title, or its suite's.
 * @param {string} title of a test that did not run, with those of its suites
 */
export function runsElsewhere(title) {
  return /\[only [^\]]+\]/.test(title);
}

/**
 * Runs what was loaded.
 * @param {import('mocha')} mocha
 * @param {(runner: import('mocha').Runner) => void} [onRunner]
 * @param {(result: FileResult) => void} [onResult] called after each test with the results of its file so far
 * @returns {Promise<import('./summary.mjs').Summary>} with the paths of the bundles as files
 */
export function summaryOf(mocha, onRunner, onResult) {
  return new Promise((resolve) => {
    const files = new FileResults();
    const runner = mocha.run(() => resolve({ ...countsOf(files.all), files: files.all }));
    files.follow(runner, onResult);
    onRunner?.(runner);
  });
}

/** Sorts the results of a run by the file of each test. */
class FileResults {
  /** @type {Map<string, FileResult>} */
  #files = new Map();
  #lastFile = '';
  #heardAt = performance.now();

  get all() {
    return [...this.#files.values()];
  }

  /**
   * @param {import('mocha').Runner} runner
   * @param {(result: FileResult) => void} [onResult]
   */
  follow(runner, onResult = () => undefined) {
    runner.on('hook end', (hook) => {
      // One before all files counts for the first.
      if (hook.file ?? this.#lastFile) this.#of(hook);
    });
    runner.on('pass', (test) => {
      const result = this.#of(test);
      result.passes++;
      onResult(result);
    });
    runner.on('fail', (test, error) => {
      const result = this.#of(test);
      result.failures++;
      result.failed.push({ title: test.fullTitle(), error: String(error) });
      onResult(result);
    });
    runner.on('pending', (test) => {
      const result = this.#of(test);
      if (!runsElsewhere(test.fullTitle())) {
        result.pending++;
        result.failed.push({ title: test.fullTitle(), error: 'it was skipped' });
      }
      onResult(result);
    });
  }

  /**
   * Counts the time since the last call for this file, too: its test or hook has just ended.
   * @param {import('mocha').Runnable} runnable a hook outside of every suite has no file: it belongs to the tests around it
   * @returns {FileResult}
   */
  #of(runnable) {
    const file = runnable.file ?? this.#lastFile;
    this.#lastFile = file;
    const result = this.#files.get(file) ?? { file, seconds: 0, passes: 0, failures: 0, pending: 0, failed: [] };
    this.#files.set(file, result);
    const now = performance.now();
    result.seconds += (now - this.#heardAt) / 1000;
    this.#heardAt = now;
    return result;
  }
}
