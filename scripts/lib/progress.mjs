// Progress goes to stderr: stdout is for results.

/** @param {string} text */
export function say(text) {
  process.stderr.write(`${text}\n`);
}

/**
 * Says what is being done and about how long it takes, then every ten seconds that it still is.
 * @template T
 * @param {string} what
 * @param {string} expected e.g. 'about 2 minutes'
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function during(what, expected, work) {
  const startedAt = Date.now();
  const elapsed = () => `${((Date.now() - startedAt) / 1000).toFixed(0)} s`;
  say(`${what} (${expected}) …`);
  const heartbeat = setInterval(() => say(`  … ${elapsed()}`), 10_000);
  try {
    const result = await work();
    say(`  done in ${elapsed()}`);
    return result;
  } finally {
    clearInterval(heartbeat);
  }
}
