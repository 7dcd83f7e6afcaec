import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../../base/common/disposable';
import { messageOf } from '../../../base/common/errors';
import type { Event } from '../../../base/common/event';
import { commandIds } from '../../../manifest';
import type { Commands } from '../../../platform/vscode/commands';
import type { Messages } from '../../../platform/vscode/messages';
import type { ProviderChoices } from '../../common/providers/providerChoice';
import { ProviderStore } from '../../common/providers/providerStore';
import { OutdatedProviderAgentStopper } from '../../common/providers/outdatedProviderAgentStopper';
import type { AgentSecretStoreDeps } from '../../common/signIn/agentSecretStore';
import type { AgentBackendRegistry } from '../../node/catalogue/agentBackendRegistry';

interface ProviderServicesDeps extends AgentSecretStoreDeps {
  /** Whether a turn of the agent runs in this window. */
  readonly isWorking: (agentId: string) => boolean;
  /** Fires when a turn has ended. */
  readonly onDidEndTurn: Event<void>;
}

/** The user's choices for the LLM providers of agents, and the command for them. */
export class LlmProviderServices {
  readonly store: ProviderStore;
  private changeStopper: OutdatedProviderAgentStopper | undefined;

  constructor(private readonly deps: ProviderServicesDeps) {
    this.store = new ProviderStore(deps);
  }

  /** For an agent that starts. @throws Error if choices are stored that cannot be read */
  async choicesForStart(agentId: string): Promise<ProviderChoices> {
    if (!this.changeStopper) throw new Error('Backline is still starting.');
    return await this.changeStopper.choicesForStart(agentId).catch((error: unknown) => {
      const advice = 'Run "Backline: Manage LLM Providers…" to remove them, then set them again.';
      throw new Error(`${messageOf(error)} ${advice}`, { cause: error });
    });
  }

  start(registry: AgentBackendRegistry, commands: Commands, messages: Messages): Disposable {
    const { store } = this;
    const { isWorking, onDidEndTurn } = this.deps;
    const tellPostponed = (id: string): void => {
      const title = registry.entryOf(id)?.title ?? id;
      const message = `The LLM providers of ${title} were changed. It uses them after it has completed its answer. Restart Now stops the answer.`;
      messages.warning(message, {
        label: 'Restart Now',
        run: () => vscode.commands.executeCommand(commandIds.acpRestartAgent, id),
      });
    };
    const changeStopper = new OutdatedProviderAgentStopper({
      ...this.deps,
      store,
      agents: registry,
      onDidPostpone: tellPostponed,
    });
    this.changeStopper = changeStopper;
    const manageProvidersOf = async (id: unknown): Promise<void> => {
      const { ProviderCommands } = await import('../accountDialogs');
      await new ProviderCommands({ agents: registry, store, changeStopper, messages, isWorking }).manageProvidersOf(id);
    };
    const disposables = new DisposableStore();
    disposables.add(store);
    store.start();
    disposables.add(store.onDidChange((id) => void changeStopper.handleChange(id)));
    disposables.add(onDidEndTurn(() => void changeStopper.handleEndOfTurn()));
    disposables.add(registry.onDidChange(() => changeStopper.forgetStoppedAgents()));
    disposables.add(commands.setHandler(commandIds.acpManageProviders, manageProvidersOf));
    return disposables;
  }
}
