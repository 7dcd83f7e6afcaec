import { systemClock } from './base/node/systemClock';
import { findWindowOfFolder } from './tools/node/clients/windowFiles';
import { OutgoingHttp } from './wire/node/outgoingHttp';
import { McpBridge, type BridgedServer } from './tools/node/clients/mcpBridge';

/**
 * `dist/mcp-bridge.js`: an MCP server on stdio that forwards messages to the MCP server of a VS Code window. The
 * variables `BACKLINE_MCP_URL` and `BACKLINE_MCP_AUTHORIZATION` name the server. Otherwise, it is found by `--windows`
 * and the current folder.
 */
const { BACKLINE_MCP_URL: url, BACKLINE_MCP_AUTHORIZATION: authorization } = process.env;
const option = process.argv.indexOf('--windows');
const windowsFolder = option === -1 ? undefined : process.argv[option + 1];

async function findServer(): Promise<BridgedServer | undefined> {
  if (url !== undefined && authorization !== undefined) return { url, authorization };
  return windowsFolder === undefined ? undefined : await findWindowOfFolder(windowsFolder, process.cwd());
}

// The client has disconnected.
process.stdout.on('error', () => process.exit(0));
const bridge = new McpBridge({
  findServer,
  input: process.stdin,
  write: (line) => void process.stdout.write(line),
  fetch: new OutgoingHttp().fetch,
  clock: systemClock,
});
void bridge.run().finally(() => process.exit(0));
