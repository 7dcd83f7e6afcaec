import type { RunningFeature } from '../../base/common/feature';
import type { Tool } from '../common/toolProvider';
import { McpServer, type McpAddress } from '../node/mcpServer';
import type { ToolsFeatureOptions } from './toolsFeature';

/** Joins the tools with the window and the server that offers them. */
export class ToolsRoom implements RunningFeature {
  private starting: Promise<McpServer> | undefined;
  private isStopped = false;

  constructor(private readonly options: ToolsFeatureOptions) {}

  /** Starts the server when it is first asked for. @throws Error when no port can be had */
  async newAddress(): Promise<McpAddress> {
    const starting = (this.starting ??= this.startServer());
    try {
      return (await starting).newAddress();
    } catch (error) {
      if (this.starting === starting) this.starting = undefined;
      throw error;
    }
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    await (await this.starting?.catch(() => undefined))?.stop();
  }

  dispose(): void {
    void this.stop();
  }

  /** Nothing while the user has them off: sessions know the server still. */
  private get tools(): readonly Tool[] {
    const { providers, settings } = this.options;
    return settings.toolsEnabled() ? providers.flatMap(({ tools }) => tools) : [];
  }

  private async startServer(): Promise<McpServer> {
    if (this.isStopped) throw new Error('Backline has stopped in this window.');
    const { clock, log, version } = this.options;
    const tools = (): readonly Tool[] => this.tools;
    const provider = {
      get tools() {
        return tools();
      },
    };
    const server = new McpServer({ name: 'backline', version, providers: [provider], clock, log });
    await server.start();
    return server;
  }
}
