import { existsSync } from 'node:fs';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { DisposableStore } from '../../base/common/disposable';
import { Emitter, type Event } from '../../base/common/event';
import { LazyFeature, type Feature, type RunningFeature } from '../../base/common/feature';
import { commandIds, panelTypes } from '../../manifest';
import type { AgentOrAccount } from '../common/agentAccounts';
import type { AgentsControllerDeps, RunningAgentsFeature } from './agentsController';

type AgentsFeatureDeps = Omit<AgentsControllerDeps, 'onDidChangeInstalled'>;

/** Registers the page of agents. The installer is loaded on first use. */
export class AgentsFeature implements Feature {
  readonly id = 'agents';
  readonly title = 'Installed agents';
  private readonly changeEmitter = new Emitter<void>((error) =>
    this.deps.log.error('a listener of the installed agents failed', error),
  );
  /** Fires when an agent was installed, updated or removed. */
  readonly onDidChange: Event<void> = this.changeEmitter.event;
  private readonly lazyController: LazyFeature<RunningAgentsFeature>;

  constructor(private readonly deps: AgentsFeatureDeps) {
    this.lazyController = new LazyFeature(async () => {
      const { startAgentsController } = await import('./agentsController');
      return await startAgentsController({ ...deps, onDidChangeInstalled: () => this.changeEmitter.fire() });
    });
  }

  start(): Promise<RunningFeature> {
    const { commands, status } = this.deps;
    const store = new DisposableStore();
    store.add(this.lazyController);
    store.add(this.changeEmitter);
    store.add(commands.setHandler(commandIds.agentsShow, async () => (await this.lazyController.getOrLoad()).show()));
    store.add(
      vscode.window.registerWebviewPanelSerializer(panelTypes.agents, {
        deserializeWebviewPanel: async (panel) => (await this.lazyController.getOrLoad()).restore(panel),
      }),
    );
    // Running agents have their own status.
    status.remove(this.id);
    return Promise.resolve({ stop: () => this.lazyController.stop(), dispose: () => store.dispose() });
  }

  /**
   * The agents that Backline has installed, and their further accounts. Loads no code if there are none. Never rejects.
   */
  async installedAgents(): Promise<readonly AgentOrAccount[]> {
    const { log, storageFolder } = this.deps;
    if (!this.lazyController.featureIfLoaded && !existsSync(path.join(storageFolder, 'installed.json'))) return [];
    try {
      return (await this.lazyController.getOrLoad()).installed();
    } catch (error) {
      log.error('the installed agents cannot be loaded', error);
      return [];
    }
  }
}
