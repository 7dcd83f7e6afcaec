/** Below this, two lines are not versions of each other: the share of their pairs of characters that they have in common. */
const leastSimilarity = 0.5;
/** Comparing more pairs of lines takes too long. */
const mostPairs = 10_000;

/**
 * Returns which line of `after` each line of `before` has become, by index: those that resemble each other more than any other
 * line. Lines without a likely successor are missing.
 */
export function likelySuccessors(before: readonly string[], after: readonly string[]): ReadonlyMap<number, number> {
  if (before.length * after.length > mostPairs) return new Map();
  const [old, current] = [before.map(pairsOf), after.map(pairsOf)];
  const bestOf = (pairs: Pairs, others: readonly Pairs[]): number | undefined => {
    const found = others.map((other) => similarity(pairs, other));
    const best = Math.max(...found);
    const isOnly = found.filter((one) => one === best).length === 1;
    return best >= leastSimilarity && isOnly ? found.indexOf(best) : undefined;
  };
  const successors = new Map<number, number>();
  for (const [from, pairs] of old.entries()) {
    const to = bestOf(pairs, current);
    const successor = to === undefined ? undefined : current[to];
    if (to !== undefined && successor && bestOf(successor, old) === from) successors.set(from, to);
  }
  return successors;
}

/** How often each pair of neighbouring characters is in a line. */
interface Pairs {
  readonly counts: ReadonlyMap<string, number>;
  readonly total: number;
}

function pairsOf(line: string): Pairs {
  const text = line.trim();
  const counts = new Map<string, number>();
  for (let at = 0; at + 1 < text.length; at++) {
    const pair = text.slice(at, at + 2);
    counts.set(pair, (counts.get(pair) ?? 0) + 1);
  }
  return { counts, total: Math.max(0, text.length - 1) };
}

function similarity(one: Pairs, other: Pairs): number {
  if (one.total === 0 || other.total === 0) return 0;
  let common = 0;
  for (const [pair, count] of one.counts) common += Math.min(count, other.counts.get(pair) ?? 0);
  return (2 * common) / (one.total + other.total);
}
