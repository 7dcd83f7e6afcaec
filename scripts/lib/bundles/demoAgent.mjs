import { ownNodeBundle } from '../oldestNode.mjs';

/**
 * The demo agent as one file. It runs on the Node.js of whoever starts it, which may be older than the editor's.
 * @returns {import('./workerBundle.mjs').ProgramBundle}
 */
export function demoAgentBundle() {
  return ownNodeBundle({ 'demo-agent': 'src/acp/demo/main.ts' });
}
