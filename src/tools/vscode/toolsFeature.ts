import * as vscode from 'vscode';
import { DisposableStore } from '../../base/common/disposable';
import { LazyFeature, type Feature, type RunningFeature } from '../../base/common/feature';
import { commandIds, settingIds } from '../../manifest';
import { progressMessagesByChatTool } from '../common/chatTools';
import type { ToolCaller } from '../../session/common/toolCaller';
import type { McpAddress } from '../node/mcpServer';
import type { ToolsController, ToolsControllerDeps } from './toolsController';

/**
 * Offers VS Code's language features, tasks and tests as tools for models. The implementation is a separate bundle,
 * loaded on first use.
 */
export class ToolsFeature implements Feature {
  readonly id = 'tools';
  readonly title = 'Tools for agents';
  private readonly controller = new LazyFeature<ToolsController>(() => this.loadController());

  constructor(private readonly deps: ToolsControllerDeps) {}

  /**
   * Returns the address of the MCP server for one session; undefined if tools are off. Without a caller, tools can only read.
   * @throws Error if no port is available
   */
  async createMcpAddress(caller?: ToolCaller): Promise<McpAddress | undefined> {
    if (!this.deps.settings.toolsEnabled()) return undefined;
    return await (await this.controller.getOrLoad()).createSessionAddress(caller);
  }

  start(): Promise<RunningFeature> {
    const disposables = new DisposableStore();
    disposables.add(this.controller);
    const { commands, settings } = this.deps;
    disposables.add(settings.onDidChangeOf([settingIds.toolsEnabled], () => this.showStatus()));
    disposables.add(settings.onDidChangeOf([settingIds.toolsExternalClients], () => this.serveExternalClients()));
    disposables.add(
      commands.setHandler(commandIds.toolsCopyConfiguration, async () =>
        (await this.controller.getOrLoad()).copyConfiguration(),
      ),
    );
    this.showStatus();
    this.serveExternalClients();
    for (const [name, message] of Object.entries(progressMessagesByChatTool)) {
      disposables.add(
        vscode.lm.registerTool<object>(`backline_${name}`, {
          invoke: async ({ input }, token) => await (await this.controller.getOrLoad()).invokeTool(name, input, token),
          prepareInvocation: () => ({ invocationMessage: message }),
        }),
      );
    }
    return Promise.resolve({ stop: () => this.controller.stop(), dispose: () => disposables.dispose() });
  }

  /** The controller follows the setting once it is loaded. */
  private serveExternalClients(): void {
    const { log, settings } = this.deps;
    if (!settings.areExternalToolClientsAllowed()) return;
    this.controller.getOrLoad().catch((error: unknown) => log.error('cannot load the tools', error));
  }

  private showStatus(): void {
    const { settings, status } = this.deps;
    const { id, title } = this;
    status.set(
      settings.toolsEnabled()
        ? { id, title, state: 'ready', summary: 'Agents can use VS Code’s symbols, problems, edits and tasks.' }
        : { id, title, state: 'off', summary: `Off. Turn them on with the setting ${settingIds.toolsEnabled}.` },
    );
  }

  private async loadController(): Promise<ToolsController> {
    const { ToolsController } = await import('./toolsController');
    return new ToolsController(this.deps);
  }
}
