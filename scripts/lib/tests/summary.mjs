import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseJson } from '../json.mjs';
import { inRoot } from '../paths.mjs';

/** @typedef {{ title: string, error: string }} FailedTest a test or hook that failed, or a test that was skipped */
/** @typedef {{ file: string, seconds: number, passes: number, failures: number, pending: number, failed: FailedTest[] }} FileResult the results of one file, and how long its tests and their hooks took */
/**
 * @typedef {object} Summary of one mocha run
 * @property {number} passes
 * @property {number} failures
 * @property {number} pending
 * @property {string[]} failed the tests and why
 * @property {FileResult[]} files in the order in which they ran
 * @property {string[]} [flaky] the tests that passed only when their file ran again, with that file and the first line of their error
 */

/** @param {string} name of the run: unit, host, ui, page */
const fileOf = (name) => inRoot('out', 'summary', `${name}.json`);

/** @param {string} name */
export async function forgetSummary(name) {
  await rm(fileOf(name), { force: true });
}

/**
 * Whoever reads it meanwhile finds all of it or nothing.
 * @param {string} name
 * @param {Summary} summary
 */
export async function writeSummary(name, summary) {
  const file = fileOf(name);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(`${file}.new`, JSON.stringify(summary));
  await rename(`${file}.new`, file);
}

/**
 * @param {string} name
 * @returns {Promise<Summary | undefined>} undefined when the run did not finish
 */
export async function readSummary(name) {
  const text = await readFile(fileOf(name), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : parseJson(text);
}

/**
 * A skipped test is a test that did not pass.
 * @param {Pick<Summary, 'passes' | 'failures' | 'pending'>} counts
 */
export function isGood({ passes, failures, pending }) {
  return failures === 0 && pending === 0 && passes > 0;
}
