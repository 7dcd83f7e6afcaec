import { readFile } from 'node:fs/promises';

/**
 * For files this repository's own scripts and npm wrote: the caller says the type.
 * @template T
 * @param {string} file
 * @returns {Promise<T>}
 */
export async function readJson(file) {
  return parseJson(await readFile(file, 'utf8'));
}

/**
 * @template T
 * @param {string} text
 * @returns {T}
 */
export function parseJson(text) {
  /** @type {(text: string) => T} */
  const parse = JSON.parse;
  return parse(text);
}
