import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { readBenchLine } from './benchRuns.mjs';
import { inRoot } from '../paths.mjs';

/** The last result of each bench that was run here: one JSON object a line. */
export const benchResultsFile = inRoot('out', 'bench', 'results.jsonl');

/**
 * Keeps the results that a run has printed.
 * @param {string} output
 */
export async function keepBenchResults(output) {
  const known = await readFile(benchResultsFile, 'utf8').catch(() => '');
  await mkdir(path.dirname(benchResultsFile), { recursive: true });
  await writeFile(benchResultsFile, mergeBenchResults(known, output));
}

/**
 * @param {string} known results of earlier runs
 * @param {string} output what a run has printed: results, and other lines, which are left out
 * @returns {string} the results of both; of a bench that is in both, the new one, at its old place
 */
export function mergeBenchResults(known, output) {
  /** @type {Map<string, string>} */
  const lines = new Map();
  for (const text of [...known.split('\n'), ...output.split('\n')]) {
    const line = readBenchLine(text);
    if (line) lines.set(line.bench, text);
  }
  return [...lines.values()].map((text) => `${text}\n`).join('');
}
