/**
 * The demo agent as one file. It runs on the Node.js of whoever starts it, which may be older than the editor's.
 * @returns {import('esbuild').BuildOptions & { entryPoints: Record<string, string> }}
 */
export function demoAgentBundle() {
  return {
    entryPoints: { 'demo-agent': 'src/acp/demo/main.ts' },
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
  };
}
