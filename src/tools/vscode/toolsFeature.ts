import * as vscode from 'vscode';
import { DisposableStore } from '../../base/common/disposable';
import { LazyFeature, type Feature, type RunningFeature } from '../../base/common/feature';
import { settingIds } from '../../manifest';
import { chatTools } from '../common/chatTools';
import type { McpAddress } from '../node/mcpServer';
import type { ToolsController, ToolsControllerOptions } from './toolsController';

/** Offers VS Code's knowledge as tools for models. The implementation is a separate bundle, loaded on first use. */
export class ToolsFeature implements Feature {
  readonly id = 'tools';
  readonly title = 'Tools for agents';
  private readonly controller = new LazyFeature<ToolsController>(() => this.open());

  constructor(private readonly options: ToolsControllerOptions) {}

  /** Address of the MCP server for one session; undefined if tools are off. @throws Error if no port is available */
  async mcpServer(): Promise<McpAddress | undefined> {
    if (!this.options.settings.toolsEnabled()) return undefined;
    return await (await this.controller.use()).newAddress();
  }

  start(): Promise<RunningFeature> {
    const store = new DisposableStore();
    store.add(this.controller);
    store.add(this.options.settings.onDidChangeOf([settingIds.toolsEnabled], () => this.showStatus()));
    this.showStatus();
    for (const [name, message] of Object.entries(chatTools)) {
      store.add(
        vscode.lm.registerTool<object>(`backline_${name}`, {
          invoke: async ({ input }, token) => await (await this.controller.use()).invoke(name, input, token),
          prepareInvocation: () => ({ invocationMessage: message }),
        }),
      );
    }
    return Promise.resolve({ stop: () => this.controller.stop(), dispose: () => store.dispose() });
  }

  private showStatus(): void {
    const { settings, status } = this.options;
    const { id, title } = this;
    status.set(
      settings.toolsEnabled()
        ? { id, title, state: 'ready', summary: 'Agents can ask VS Code for symbols, problems and unsaved text.' }
        : { id, title, state: 'off', summary: `Off. Turn them on with the setting ${settingIds.toolsEnabled}.` },
    );
  }

  private async open(): Promise<ToolsController> {
    const { ToolsController } = await import('./toolsController');
    return new ToolsController(this.options);
  }
}
