/**
 * The program of the workers that context providers run in, as one file beside the extension.
 * @returns {Omit<import('esbuild').BuildOptions, 'entryPoints'> & { entryPoints: Record<string, string> }}
 */
export function contextWorkerBundle() {
  return {
    entryPoints: { 'context-worker': 'src/context/node/worker/contextWorkerMain.ts' },
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node22',
  };
}
