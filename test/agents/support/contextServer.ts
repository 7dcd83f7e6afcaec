import { pathToFileURL } from 'node:url';
import { nullLogger } from '../../../src/base/common/log';
import { systemClock } from '../../../src/base/node/systemClock';
import type { ContextClient } from '../../../src/context/common/contextClient';
import { ContextReader } from '../../../src/context/common/ai/contextReader';
import { runContextTool, agentContextTool } from '../../../src/context/common/ai/contextTool';
import { McpServer, type McpAddress } from '../../../src/tools/node/mcpServer';
import {
  clientOf,
  documentOf,
  FakeProvider,
  noLookups,
  provided,
  providedItem,
} from '../../unit/context/support/contextHarness';

/** The window's MCP server, with one provider that knows who owns the first line of one file. */
export class ContextServer {
  private constructor(
    readonly address: McpAddress,
    private readonly server: McpServer,
    private readonly client: ContextClient,
  ) {}

  /** `path`: absolute. The caller stops it. */
  static async start(path: string): Promise<ContextServer> {
    const item = { ...providedItem('Owned by Alice', 0), aiContent: 'Ask her.' };
    const client = clientOf(systemClock, { 'https://example.com/owners': new FakeProvider(() => provided(item)) });
    const file = { path, name: 'old.txt', document: documentOf('one\n', 1, pathToFileURL(path).href) };
    const reader = new ContextReader({
      client,
      openFile: () => Promise.resolve(file),
      activeFile: () => Promise.resolve(undefined),
      readablePath: () => Promise.resolve(undefined),
    });
    const run = (input: unknown, signal: AbortSignal): Promise<string> =>
      runContextTool({ reader, lookups: noLookups }, input, signal);
    const options = { name: 'backline', version: '0.0.0', clock: systemClock, log: nullLogger };
    const server = new McpServer({ ...options, providers: [{ tools: [{ definition: agentContextTool, run }] }] });
    await server.start();
    return new ContextServer(server.createAddress(), server, client);
  }

  async stop(): Promise<void> {
    await this.server.stop();
    this.client.dispose();
  }
}
