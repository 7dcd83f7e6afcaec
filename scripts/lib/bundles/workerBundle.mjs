/** @typedef {Omit<import('esbuild').BuildOptions, 'entryPoints'> & { entryPoints: Record<string, string> }} ProgramBundle */

/**
 * How a program of workers is built, as one file beside the extension.
 * @param {Record<string, string>} entryPoints
 * @returns {ProgramBundle}
 */
export function workerBundle(entryPoints) {
  return { entryPoints, bundle: true, format: 'cjs', platform: 'node', target: 'node22' };
}
