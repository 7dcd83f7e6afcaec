/**
 * The embedded Amplifier server as a program of its own, for the Node.js of whoever starts it.
 * @returns {import('esbuild').BuildOptions & { entryPoints: Record<string, string> }}
 */
export function amplifierServerBundle() {
  return {
    entryPoints: { 'amplifier-server': 'src/amplifierServer.ts' },
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
  };
}
