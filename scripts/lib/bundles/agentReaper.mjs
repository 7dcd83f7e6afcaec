import { ownNodeBundle } from '../oldestNode.mjs';

/**
 * The program that ends agents which outlive their window.
 * @returns {import('./workerBundle.mjs').ProgramBundle}
 */
export function agentReaperBundle() {
  return ownNodeBundle({ 'agent-reaper': 'src/agentReaper.ts' });
}
