import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../../base/common/disposable';
import { messageOf } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';
import { commandIds } from '../../../manifest';
import type { Commands } from '../../../platform/vscode/commands';
import type { Messages } from '../../../platform/vscode/messages';
import { formatChoices, type ProviderChoices } from '../../common/providers/providerChoice';
import { ProviderStore } from '../../common/providers/providerStore';
import type { AgentSecretStoreDeps } from '../../common/signIn/agentSecretStore';
import type { AgentRegistry } from '../../node/catalogue/agentRegistry';
import { ProviderCommands } from './providerCommands';

interface ProviderServicesDeps extends AgentSecretStoreDeps {
  readonly log: Logger;
  /** Whether a turn of the agent runs in this window. */
  readonly isWorking: (agentId: string) => boolean;
}

/** The user's choices for the LLM providers of agents, and the command for them. */
export class ProviderServices {
  readonly store: ProviderStore;
  /** What each agent was given at its last start in this window. */
  private readonly givenByAgent = new Map<string, string | undefined>();

  constructor(private readonly deps: ProviderServicesDeps) {
    this.store = new ProviderStore(deps);
  }

  /** For an agent that starts. @throws Error if choices are stored that cannot be read */
  async choicesForStart(agentId: string): Promise<ProviderChoices> {
    const choices = await this.store.choicesOf(agentId).catch((error: unknown) => {
      const advice = 'Run "Backline: Manage LLM Providers…" to remove them, then set them again.';
      throw new Error(`${messageOf(error)} ${advice}`, { cause: error });
    });
    this.givenByAgent.set(agentId, formatChoices(choices));
    return choices;
  }

  start(registry: AgentRegistry, commands: Commands, messages: Messages): Disposable {
    const { store } = this;
    const { isWorking, log } = this.deps;
    const agents = {
      list: () => registry.list(),
      open: (id: string) => registry.open(id),
      mayHaveProviders: (id: string) => {
        const entry = registry.catalogue?.agents.find((agent) => agent.id === id);
        return entry !== undefined && !entry.workspaceDefinition && (entry.url !== undefined || entry.dialect === 'v1');
      },
    };
    const providerCommands = new ProviderCommands({ agents, store, messages, isWorking });
    const disposables = new DisposableStore();
    disposables.add(store);
    store.start();
    disposables.add(
      store.onDidChange((id) => {
        if (providerCommands.isChanging(id)) return;
        this.restartIfChanged(registry, messages, id).catch((error: unknown) => {
          log.warn(`Could not apply changed LLM providers: ${messageOf(error)}`);
        });
      }),
    );
    disposables.add(commands.setHandler(commandIds.acpManageProviders, (id) => providerCommands.manage(id)));
    return disposables;
  }

  /** Stops an agent that runs with other choices than those that another window has stored. The next prompt starts it. */
  private async restartIfChanged(registry: AgentRegistry, messages: Messages, agentId: string): Promise<void> {
    const backend = registry.backends.find(({ id }) => id === agentId);
    if (backend?.state.kind !== 'ready') return;
    if (formatChoices(await this.store.choicesOf(agentId)) === this.givenByAgent.get(agentId)) return;
    if (!this.deps.isWorking(agentId)) {
      await backend.stop();
      return;
    }
    messages.warning(`The LLM providers of ${backend.title} were changed. Restart it to use them.`, {
      label: 'Restart',
      run: () => vscode.commands.executeCommand(commandIds.acpRestartAgent, agentId),
    });
  }
}
