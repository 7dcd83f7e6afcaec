import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { environmentVariable } from './environment.mjs';

/** The repository. */
export const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '');

/** Heavy downloads, one folder per version; shared by `npm start` and `npm test`, ignored by git. */
export const cacheRoot = path.resolve(root, environmentVariable('BACKLINE_CACHE') ?? '.cache');

/** @param {...string} segments */
export function inRoot(...segments) {
  return path.join(root, ...segments);
}
