import * as vscode from 'vscode';
import { messageOf } from '../../../base/common/errors';
import { isBackendError, type BackendState } from '../../../session/common/sessionBackend';
import type { BackendEntry } from '../../../session/common/backendRegistry';
import type { Messages } from '../../../platform/vscode/messages';
import type { AgentBackend, LlmProvider } from '../../common/agentBackend';
import { changeProviderAndRestart } from '../../common/providers/changeProviderAndRestart';
import type { ProviderChoice, ProviderChoices } from '../../common/providers/providerChoice';
import {
  actionsOf,
  providerRows,
  shownAddress,
  type ProviderAction,
  type ProviderRow,
} from '../../common/providers/providerRows';
import type { ProviderStore } from '../../common/providers/providerStore';
import type { OutdatedProviderAgentStopper } from '../../common/providers/outdatedProviderAgentStopper';
import {
  llmProviderObstacle,
  type CatalogueEntry,
  type LlmProviderObstacle,
} from '../../node/catalogue/agentCatalogue';
import { withProgress } from '../signIn/signInFlow';
import { askForAddressAndHeaders } from './providerBoxes';

interface ProviderAgents {
  list(): Promise<readonly BackendEntry[]>;
  /** @throws BackendError */
  open(id: string): Promise<Pick<AgentBackend, 'capabilities' | 'llmProviders'>>;
  /** The states of the agent's backends in this window. */
  statesOf(id: string): readonly BackendState[];
  /** Stops all processes of the agent, also those with earlier settings. Never rejects. */
  stop(id: string): Promise<void>;
  entryOf(id: string): CatalogueEntry | undefined;
}

interface ProviderCommandsDeps {
  readonly agents: ProviderAgents;
  readonly store: ProviderStore;
  readonly changeStopper: OutdatedProviderAgentStopper;
  readonly messages: Messages;
  /** Whether a turn of the agent runs in this window. */
  readonly isWorking: (agentId: string) => boolean;
}

const actionLabels: Readonly<Record<ProviderAction, string>> = {
  setAddress: 'Set Address…',
  disable: 'Disable',
  reset: 'Use the Agent’s Own Setting',
};

/** The command that shows and changes the LLM providers of agents. */
export class ProviderCommands {
  constructor(private readonly deps: ProviderCommandsDeps) {}

  /** Runs `backline.acp.manageProviders`; asks for the agent if `id` is missing. @throws BackendError */
  async manageProvidersOf(agentId?: unknown): Promise<void> {
    const agent = await this.chooseAgent(agentId);
    if (!agent) return;
    const obstacle = this.obstacleOf(agent.id);
    if (obstacle) {
      await this.offerRemovalOfUnusable(agent, obstacleMessages[obstacle](agent.title));
      return;
    }
    const choices = await this.readChoicesOrOfferRemoval(agent);
    if (!choices) return;
    const offered = await this.askAgentForProviders(agent, choices);
    const row = offered && (await chooseRow(agent, providerRows(offered.providers, choices), offered.problem));
    if (row) await this.chooseAndApplyAction(agent, row);
  }

  /** Why the user cannot choose the LLM providers of an agent. */
  private obstacleOf(id: string): LlmProviderObstacle | undefined {
    const entry = this.deps.agents.entryOf(id);
    return entry && llmProviderObstacle(entry);
  }

  private async chooseAgent(id: unknown): Promise<BackendEntry | undefined> {
    const entries = await this.deps.agents.list();
    if (typeof id === 'string') return entries.find((entry) => entry.id === id);
    const changed = new Set(this.deps.store.agentIds);
    const items = entries
      .filter((entry) => changed.has(entry.id) || !this.obstacleOf(entry.id))
      .map((entry) => ({ label: entry.title, description: changed.has(entry.id) ? 'changed by you' : '', entry }))
      .sort((a, b) => Number(changed.has(b.entry.id)) - Number(changed.has(a.entry.id)));
    const options = { title: 'Manage LLM Providers', placeHolder: 'Select an agent' };
    return (await vscode.window.showQuickPick(items, options))?.entry;
  }

  /** Offers to remove choices that cannot be read. */
  private async readChoicesOrOfferRemoval(agent: BackendEntry): Promise<ProviderChoices | undefined> {
    try {
      return await this.deps.store.choicesOf(agent.id);
    } catch (error) {
      await this.offerRemoval(agent, messageOf(error));
      return undefined;
    }
  }

  /** Choices of an agent that cannot take them, for example because its dialect was changed. @throws Error */
  private async offerRemovalOfUnusable(agent: BackendEntry, message: string): Promise<void> {
    if (!this.deps.store.agentIds.includes(agent.id)) throw new Error(message);
    await this.offerRemoval(agent, `${message} You have set some for it.`);
  }

  private async offerRemoval(agent: BackendEntry, message: string): Promise<void> {
    const remove = 'Remove Them';
    const options = { modal: true, detail: `${agent.title} will use its own LLM providers.` };
    if ((await vscode.window.showWarningMessage(message, options, remove)) === remove)
      await this.deps.store.deleteAll(agent.id);
  }

  /** An agent that does not start, perhaps because of a choice, still has its choices. */
  private async askAgentForProviders(agent: BackendEntry, choices: ProviderChoices): Promise<Offered | undefined> {
    try {
      const backend = await this.deps.agents.open(agent.id);
      const ask = async (signal: AbortSignal) => await backend.llmProviders?.(signal);
      const providers = await withProgress(`Asking ${agent.title} for its LLM providers`, ask);
      if (providers || choices.size > 0) return { providers: providers ?? [], problem: undefined };
      const advice = 'If it has settings of its own for that, use them.';
      this.deps.messages.info(`${agent.title} doesn’t let Backline choose its LLM providers. ${advice}`);
      return undefined;
    } catch (error) {
      if (isBackendError(error) && error.code === 'cancelled') return undefined;
      if (choices.size === 0) throw error;
      return { providers: [], problem: messageOf(error) };
    }
  }

  private async chooseAndApplyAction(agent: BackendEntry, row: ProviderRow): Promise<void> {
    const title = titleOf(agent, row);
    const items = actionsOf(row).map((action) => ({ label: actionLabels[action], action }));
    const chosen = await vscode.window.showQuickPick(items, {
      title,
      placeHolder: `${row.description}. ${row.detail}`,
      ignoreFocusOut: true,
    });
    switch (chosen?.action) {
      case 'setAddress': {
        const choice = row.provider && (await askForAddressAndHeaders(title, row.provider, row.choice));
        if (choice) await this.apply(agent, row, choice);
        return;
      }
      case 'disable':
        await this.apply(agent, row, { kind: 'disabled' });
        return;
      case 'reset':
        await this.apply(agent, row, undefined);
        return;
      case undefined:
    }
  }

  private async apply(agent: BackendEntry, row: ProviderRow, choice: ProviderChoice | undefined): Promise<void> {
    const { agents, isWorking, messages, store, changeStopper } = this.deps;
    if (isWorking(agent.id) && !(await confirmRestart(agent.title))) return;
    const restart = async (id: string): Promise<void> => {
      await withProgress(`Restarting ${agent.title}`, async (signal) => {
        await agents.stop(id);
        await (await agents.open(id)).capabilities(signal);
      });
    };
    const change = { agentId: agent.id, providerId: row.id, choice };
    await changeStopper.whileRestarting(agent.id, () =>
      changeProviderAndRestart(
        {
          store,
          open: (id) => agents.open(id),
          isOpen: (id) => agents.statesOf(id).length > 0,
          stop: (id) => agents.stop(id),
          restart,
        },
        change,
      ),
    );
    messages.info(doneMessage(agent, row, choice));
  }
}

interface Offered {
  readonly providers: readonly LlmProvider[];
  /** Why the agent could not be asked. */
  readonly problem: string | undefined;
}

async function chooseRow(
  agent: BackendEntry,
  rows: readonly ProviderRow[],
  problem: string | undefined,
): Promise<ProviderRow | undefined> {
  const items = rows.map((row) => ({ label: row.name, description: row.description, detail: row.detail, row }));
  const placeHolder = problem ?? 'Select where the agent sends its requests';
  // The window may move the focus meanwhile, for example when the agent has been started.
  const options = { title: `LLM Providers of ${agent.title}`, placeHolder, ignoreFocusOut: true };
  return (await vscode.window.showQuickPick(items, options))?.row;
}

async function confirmRestart(agentTitle: string): Promise<boolean> {
  const restart = 'Restart';
  const options = { modal: true, detail: 'The agent is still answering. The restart stops the answer.' };
  const message = `Restart ${agentTitle} to change its LLM provider?`;
  return (await vscode.window.showWarningMessage(message, options, restart)) === restart;
}

function doneMessage({ title }: BackendEntry, { name }: ProviderRow, choice: ProviderChoice | undefined): string {
  if (!choice) return `${title} uses its own setting for the LLM provider “${name}” again.`;
  if (choice.kind === 'disabled') return `${title} no longer uses the LLM provider “${name}”.`;
  return `${title} sends its requests for “${name}” to ${shownAddress(choice.baseUrl)}.`;
}

function titleOf({ title }: BackendEntry, { name }: ProviderRow): string {
  return `LLM Provider “${name}” of ${title}`;
}

const obstacleMessages: Readonly<Record<LlmProviderObstacle, (agentTitle: string) => string>> = {
  workspace: (title) =>
    `Only the LLM providers of agents in your user settings can be changed. Add ${title} there first.`,
  dialect: (title) => `${title} uses the draft dialect, which has no requests for LLM providers.`,
};
