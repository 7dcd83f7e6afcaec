/** How long a browser without users is kept for the next test file, in milliseconds. */
const keptMs = 1_000;

/**
 * @template T
 * @typedef {{ launching: Promise<T>, users: number, closing?: NodeJS.Timeout }} SharedBrowser
 */

/**
 * Browsers for all test files of a process, one for each set of flags.
 * @template {{ close: () => Promise<void>, once: (event: 'disconnected', listener: () => void) => unknown }} T the browser
 */
export class SharedBrowsers {
  /** @type {Map<string, SharedBrowser<T>>} those that can be used, by their flags */
  #byFlags = new Map();
  #launch;

  /** @param {(flags: readonly string[]) => Promise<T>} launch */
  constructor(launch) {
    this.#launch = launch;
  }

  /**
   * The caller calls `giveBack` once. A second after the last of them, the browser is closed.
   * @param {readonly string[]} flags
   * @returns {Promise<{ browser: T, giveBack: () => void }>}
   */
  async take(flags) {
    const key = flags.join(' ');
    const shared = this.#byFlags.get(key) ?? this.#open(key, flags);
    shared.users++;
    clearTimeout(shared.closing);
    return { browser: await shared.launching, giveBack: () => this.#giveBack(key, shared) };
  }

  /**
   * @param {string} key
   * @param {readonly string[]} flags
   */
  #open(key, flags) {
    /** @type {SharedBrowser<T>} */
    const shared = { launching: this.#launch(flags), users: 0 };
    this.#byFlags.set(key, shared);
    // One that did not start, or has crashed, is not handed on.
    const forget = () => this.#forget(key, shared);
    shared.launching.then((browser) => browser.once('disconnected', forget), forget);
    return shared;
  }

  /**
   * @param {string} key
   * @param {SharedBrowser<T>} shared
   */
  #giveBack(key, shared) {
    shared.users--;
    if (shared.users > 0) return;
    shared.closing = setTimeout(() => {
      this.#forget(key, shared);
      void shared.launching.then((browser) => browser.close());
    }, keptMs);
  }

  /**
   * @param {string} key
   * @param {SharedBrowser<T>} shared
   */
  #forget(key, shared) {
    if (this.#byFlags.get(key) === shared) this.#byFlags.delete(key);
  }
}
