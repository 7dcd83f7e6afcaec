/** How long tests wait for what other threads, processes and VS Code do: long, as machines are busy and none of it is a claim of speed. */
const patienceMs = 45_000;
/**
 * Pauses between probes. Each is `factor` times the last, because probes take processor time from what they wait for: to look for
 * the chat in a window takes 10 ms. A wait gets longer by half at most.
 */
const pauses = { firstMs: 5, factor: 1.5, maxMs: 250 };

/**
 * What `probe` returns as soon as it does not throw; other parts of VS Code take their time.
 * @throws Error after three quarters of a minute, with the last reason.
 */
export async function eventually<T>(what: string, probe: () => T | Promise<T>): Promise<T> {
  const endMs = Date.now() + patienceMs;
  for (let pauseMs = pauses.firstMs; ; pauseMs = Math.min(pauseMs * pauses.factor, pauses.maxMs)) {
    try {
      return await probe();
    } catch (error) {
      if (Date.now() > endMs) throw new Error(`${what} did not come about: ${String(error)}`, { cause: error });
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/**
 * Resolves as soon as `isSo` says so.
 * @throws Error after three quarters of a minute
 */
export async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  await eventually(what, async () => {
    if (!(await isSo())) throw new Error('it is not so');
  });
}
