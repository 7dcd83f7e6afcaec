/**
 * The program that ends agents which outlive their window.
 * @returns {import('esbuild').BuildOptions & { entryPoints: Record<string, string> }}
 */
export function agentReaperBundle() {
  return {
    entryPoints: { 'agent-reaper': 'src/agentReaper.ts' },
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
  };
}
