import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseJson } from './json.mjs';
import { inRoot } from './paths.mjs';

/** @typedef {{ passes: number, failures: number, pending: number, failed: string[] }} Summary of one mocha run; `failed` tells the tests and why */

/** @param {string} name of the run: unit, host, ui, page */
const fileOf = (name) => inRoot('out', 'summary', `${name}.json`);

/** @param {string} name */
export async function forgetSummary(name) {
  await rm(fileOf(name), { force: true });
}

/**
 * @param {string} name
 * @param {Summary} summary
 */
export async function writeSummary(name, summary) {
  await mkdir(path.dirname(fileOf(name)), { recursive: true });
  await writeFile(fileOf(name), JSON.stringify(summary));
}

/**
 * @param {string} name
 * @returns {Promise<Summary | undefined>} undefined when the run did not come to its end
 */
export async function readSummary(name) {
  const text = await readFile(fileOf(name), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : parseJson(text);
}

/**
 * A skipped test is a test that did not pass.
 * @param {Summary} summary
 */
export function isGood({ passes, failures, pending }) {
  return failures === 0 && pending === 0 && passes > 0;
}
