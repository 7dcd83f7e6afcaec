/**
 * What `probe` returns as soon as it does not throw; other parts of VS Code take their time.
 * @throws Error after `timeoutMs`, with the last reason.
 */
export async function eventually<T>(what: string, probe: () => T | Promise<T>, timeoutMs = 8000): Promise<T> {
  const endMs = Date.now() + timeoutMs;
  for (;;) {
    try {
      return await probe();
    } catch (error) {
      if (Date.now() > endMs) throw new Error(`${what} did not come about: ${String(error)}`, { cause: error });
    }
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
