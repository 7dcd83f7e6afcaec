import { ownNodeBundle } from '../oldestNode.mjs';

/**
 * The program that connects an MCP client on stdio to the MCP server of a window.
 * @returns {import('./workerBundle.mjs').ProgramBundle}
 */
export function mcpBridgeBundle() {
  return ownNodeBundle({ 'mcp-bridge': 'src/mcpBridge.ts' });
}
