/**
 * The program of the workers that read Amp's threads, as one file beside the extension.
 * @returns {Omit<import('esbuild').BuildOptions, 'entryPoints'> & { entryPoints: Record<string, string> }}
 */
export function threadIndexWorkerBundle() {
  return {
    entryPoints: { 'thread-index-worker': 'src/threads/node/worker/program/threadWorkerMain.ts' },
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node22',
  };
}
