/** @typedef {{ bench: string, holds: boolean | null, runs?: number } & Record<string, unknown>} BenchLine */
/** @typedef {{ code: number, output: string }} BenchRun */

/** How often a bench is run whose bar does not hold: the machine may have been busy with something else. */
const maxRuns = 3;

/**
 * Runs a bench, and again while one of its bars does not hold. Of each line the first that holds counts, else the last.
 * @param {() => Promise<BenchRun>} run
 * @returns {Promise<BenchRun>} `runs` in a line says which run it is of, when it is not of the first
 */
export async function runUntilBarsHold(run) {
  /** @type {Map<string, BenchLine>} */
  const lines = new Map();
  /** @type {string[]} */
  const others = [];
  for (let runs = 1; ; runs++) {
    const { code, output } = await run();
    for (const text of output.split('\n')) {
      const line = readBenchLine(text);
      if (!line) {
        if (text !== '') others.push(text);
      } else if (lines.get(line.bench)?.holds !== true) lines.set(line.bench, runs === 1 ? line : { ...line, runs });
    }
    const isDone = code !== 0 || runs === maxRuns || [...lines.values()].every(({ holds }) => holds !== false);
    if (!isDone) continue;
    const all = [...others, ...[...lines.values()].map((line) => JSON.stringify(line))];
    return { code, output: all.map((text) => `${text}\n`).join('') };
  }
}

/**
 * @param {string} text
 * @returns {BenchLine | undefined} undefined if it is something else
 */
export function readBenchLine(text) {
  try {
    /** @type {unknown} */
    const value = JSON.parse(text);
    return isBenchLine(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * @param {unknown} value
 * @returns {value is BenchLine}
 */
function isBenchLine(value) {
  return (
    typeof value === 'object' &&
    value !== null &&
    'bench' in value &&
    typeof value.bench === 'string' &&
    'holds' in value
  );
}
