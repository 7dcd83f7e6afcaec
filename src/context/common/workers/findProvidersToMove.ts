/** What a second worker costs for a question: its message, and the answer’s. In milliseconds. */
const minSavedMs = 0.25;

/**
 * Divides the work of a worker among two, so that the one with more work ends as soon as possible.
 *
 * @param runMs how long each provider runs for a question, in milliseconds
 * @returns the providers with less work, or undefined if dividing them would hardly save time
 */
export function findProvidersToMove(runMs: ReadonlyMap<number, number>): number[] | undefined {
  const first = { providers: new Array<number>(), ms: 0 };
  const second = { providers: new Array<number>(), ms: 0 };
  for (const [provider, ms] of [...runMs].toSorted(([, a], [, b]) => b - a)) {
    const half = first.ms <= second.ms ? first : second;
    half.providers.push(provider);
    half.ms += ms;
  }
  const lighter = first.ms < second.ms ? first : second;
  return lighter.ms < minSavedMs ? undefined : lighter.providers;
}
