import { ownNodeBundle } from '../oldestNode.mjs';

/**
 * The program that ends agents which outlive their window.
 * @returns {Omit<import('esbuild').BuildOptions, 'entryPoints'> & { entryPoints: Record<string, string> }}
 */
export function agentReaperBundle() {
  return ownNodeBundle({ 'agent-reaper': 'src/agentReaper.ts' });
}
