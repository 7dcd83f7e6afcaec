/**
 * The program that connects an MCP client on stdio to the MCP server of a window.
 * @returns {import('esbuild').BuildOptions & { entryPoints: Record<string, string> }}
 */
export function mcpBridgeBundle() {
  return {
    entryPoints: { 'mcp-bridge': 'src/mcpBridge.ts' },
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
  };
}
