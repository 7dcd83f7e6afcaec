import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { stopTree } from '../processes.mjs';

/** @typedef {import('./testProcess.mjs').Order} Order */
/** @typedef {import('./testProcess.mjs').Answer} Answer */

const program = fileURLToPath(new URL('testProcess.mjs', import.meta.url));

/** One process that runs tests; another takes its place when it hangs, ends or is not at rest. */
export class TestProcess {
  /** @type {import('node:child_process').ChildProcess | undefined} */
  #child;
  #env;

  /** @param {NodeJS.ProcessEnv} env */
  constructor(env) {
    this.#env = env;
  }

  /**
   * @param {Order} order
   * @param {number} limitMs after which the process is ended
   * @returns {Promise<Answer | 'hangs' | 'ended'>}
   */
  async ask(order, limitMs) {
    const child = (this.#child ??= fork(program, { env: this.#env, detached: true, stdio: 'ignore' }));
    /** @type {NodeJS.Timeout | undefined} */
    let timer;
    /** @type {Answer | 'hangs' | 'ended'} */
    const answer = await new Promise((resolve) => {
      timer = setTimeout(() => resolve('hangs'), limitMs);
      child.once('message', (/** @type {Answer} */ message) => resolve(message));
      child.once('exit', () => resolve('ended'));
      child.once('error', () => resolve('ended'));
      child.send(order, () => undefined);
    });
    clearTimeout(timer);
    child.removeAllListeners();
    if (typeof answer === 'string' || !answer.isAtRest) await this.stop();
    return answer;
  }

  /** Ends the process with all it has started. */
  async stop() {
    const child = this.#child;
    this.#child = undefined;
    if (child?.pid !== undefined) await stopTree(child.pid, { graceMs: 200 });
  }
}
