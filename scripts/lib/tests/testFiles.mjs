import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { inRoot, root } from '../paths.mjs';

/**
 * Bundles the test files of a folder, one bundle each, and whatever else it is told to.
 * @param {object} options
 * @param {string} options.from e.g. 'test/unit'; its `*.test.ts`, at any depth, are the tests
 * @param {string} options.to e.g. 'out/test/unit'; emptied first
 * @param {readonly string[]} [options.filters] only tests whose path contains one of these
 * @param {readonly string[]} [options.also] further entry points below `from`
 * @param {import('esbuild').BuildOptions} [options.esbuild]
 * @returns {Promise<string[]>} the bundles of the tests, absolute
 */
export async function bundleTests({ from, to, filters = [], also = [], esbuild = {} }) {
  const wanted = await findFiles(from, '.test.ts', filters);
  await rm(path.join(root, to), { recursive: true, force: true });
  if (wanted.length === 0) return [];
  await build({
    absWorkingDir: root,
    entryPoints: [...also.map((file) => path.join(from, file)), ...wanted],
    outbase: from,
    outdir: to,
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node22',
    packages: 'external',
    sourcemap: true,
    define: { BACKLINE_DEBUG: 'true' },
    logLevel: 'warning',
    ...esbuild,
  });
  const extension = esbuild.outExtension?.['.js'] ?? '.js';
  return wanted.map((file) => path.join(root, to, path.relative(from, file).replace(/\.ts$/, extension)));
}

/**
 * @param {string} bundle as `bundleTests` returns it
 * @returns {string} the test file that it was made of, e.g. test/page/chat/send.test.ts
 */
export function sourceOf(bundle) {
  return path
    .relative(inRoot('out'), bundle)
    .replaceAll(path.sep, '/')
    .replace(/\.m?js$/, '.ts');
}

/**
 * @param {string} folder relative to the root, like the paths returned
 * @param {string} suffix
 * @param {readonly string[]} filters only files whose path contains one of these; all without any
 * @returns {Promise<string[]>} sorted; empty when there is no such folder
 */
export async function findFiles(folder, suffix, filters) {
  const names = await readdir(path.join(root, folder), { recursive: true }).catch(() => []);
  return names
    .map((name) => path.join(folder, name))
    .filter((file) => file.endsWith(suffix))
    .filter((file) => filters.length === 0 || filters.some((filter) => file.includes(filter)))
    .sort();
}

/**
 * Leaves scripts/lib out of bundles: its files find the repository by where they are.
 * @param {'esm' | 'cjs'} format of the bundle
 * @returns {import('esbuild').Plugin}
 */
export function scriptsStayInPlace(format) {
  return {
    name: 'scripts stay in place',
    setup(build) {
      build.onResolve({ filter: /\/scripts\/lib\// }, ({ resolveDir, path: specifier }) => {
        const file = path.resolve(resolveDir, specifier);
        return { path: format === 'esm' ? pathToFileURL(file).href : file, external: true };
      });
    },
  };
}
