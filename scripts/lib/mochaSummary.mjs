// What a mocha run came to; also bundled into the tests inside VS Code.

/**
 * Runs what was loaded.
 * @param {import('mocha')} mocha
 * @param {(runner: import('mocha').Runner) => void} [onRunner]
 * @returns {Promise<import('./summary.mjs').Summary>}
 */
export function summaryOf(mocha, onRunner) {
  return new Promise((resolve) => {
    /** @type {string[]} */
    const failed = [];
    const runner = mocha.run(() => {
      const { passes = 0, failures = 0, pending = 0 } = runner.stats ?? {};
      resolve({ passes, failures, pending, failed });
    });
    runner.on('fail', (test, error) => failed.push(`${test.fullTitle()}: ${String(error)}`));
    runner.on('pending', (test) => failed.push(`${test.fullTitle()}: it was skipped`));
    onRunner?.(runner);
  });
}
