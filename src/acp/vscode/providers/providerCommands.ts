import * as vscode from 'vscode';
import { messageOf } from '../../../base/common/errors';
import { isBackendError, type LlmProvider, type SessionBackend } from '../../../session/common/sessionBackend';
import type { BackendEntry } from '../../../session/common/backendRegistry';
import type { Messages } from '../../../platform/vscode/messages';
import type { ProviderChoice, ProviderChoices } from '../../common/providers/providerChoice';
import {
  actionsOf,
  providerRows,
  shownAddress,
  type ProviderAction,
  type ProviderRow,
} from '../../common/providers/providerRows';
import type { ProviderStore } from '../../common/providers/providerStore';
import { withProgress } from '../signIn/signInFlow';
import { askForAddress } from './providerBoxes';

interface ProviderAgents {
  list(): Promise<readonly BackendEntry[]>;
  /** @throws BackendError */
  open(id: string): Promise<SessionBackend>;
  /** Whether the agent is the user's own, not the workspace's, and speaks a protocol that has LLM providers. */
  mayHaveProviders(id: string): boolean;
}

interface ProviderCommandsDeps {
  readonly agents: ProviderAgents;
  readonly store: ProviderStore;
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
  private readonly changingIds = new Set<string>();

  constructor(private readonly deps: ProviderCommandsDeps) {}

  /** Whether the agent is being restarted with a change. */
  isChanging(agentId: string): boolean {
    return this.changingIds.has(agentId);
  }

  /** Runs `backline.acp.manageProviders`; asks for the agent if `id` is missing. @throws BackendError */
  async manage(id?: unknown): Promise<void> {
    const agent = await this.chooseAgent(id);
    if (!agent) return;
    if (!this.deps.agents.mayHaveProviders(agent.id)) throw new Error(workspaceAgentMessage(agent.title));
    const choices = await this.readChoices(agent);
    if (!choices) return;
    const offered = await this.askAgent(agent, choices);
    const row = offered && (await chooseRow(agent, providerRows(offered.providers, choices), offered.problem));
    if (row) await this.changeRow(agent, row);
  }

  private async chooseAgent(id: unknown): Promise<BackendEntry | undefined> {
    const entries = await this.deps.agents.list();
    if (typeof id === 'string') return entries.find((entry) => entry.id === id);
    const changed = new Set(this.deps.store.agentIds);
    const items = entries
      .filter((entry) => this.deps.agents.mayHaveProviders(entry.id))
      .map((entry) => ({ label: entry.title, description: changed.has(entry.id) ? 'changed by you' : '', entry }))
      .sort((a, b) => Number(changed.has(b.entry.id)) - Number(changed.has(a.entry.id)));
    const options = { title: 'Manage LLM Providers', placeHolder: 'Select an agent' };
    return (await vscode.window.showQuickPick(items, options))?.entry;
  }

  /** Offers to remove choices that cannot be read. */
  private async readChoices(agent: BackendEntry): Promise<ProviderChoices | undefined> {
    try {
      return await this.deps.store.choicesOf(agent.id);
    } catch (error) {
      const remove = 'Remove Them';
      const options = { modal: true, detail: `${agent.title} will use its own LLM providers.` };
      if ((await vscode.window.showWarningMessage(messageOf(error), options, remove)) === remove)
        await this.deps.store.deleteAll(agent.id);
      return undefined;
    }
  }

  /** An agent that does not start, perhaps because of a choice, still has its choices. */
  private async askAgent(agent: BackendEntry, choices: ProviderChoices): Promise<Offered | undefined> {
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

  private async changeRow(agent: BackendEntry, row: ProviderRow): Promise<void> {
    const title = titleOf(agent, row);
    const items = actionsOf(row).map((action) => ({ label: actionLabels[action], action }));
    const chosen = await vscode.window.showQuickPick(items, {
      title,
      placeHolder: `${row.description}. ${row.detail}`,
      ignoreFocusOut: true,
    });
    switch (chosen?.action) {
      case 'setAddress': {
        const choice = row.provider && (await askForAddress(title, row.provider, row.choice));
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
    const { isWorking, messages } = this.deps;
    if (isWorking(agent.id) && !(await confirmRestart(agent.title))) return;
    this.changingIds.add(agent.id);
    try {
      await this.storeAndRestart(agent, row, choice);
    } finally {
      this.changingIds.delete(agent.id);
    }
    messages.info(doneMessage(agent, row, choice));
  }

  /** Takes a choice back that the agent does not accept. @throws Error in a sentence */
  private async storeAndRestart(
    agent: BackendEntry,
    row: ProviderRow,
    choice: ProviderChoice | undefined,
  ): Promise<void> {
    const { agents, store } = this.deps;
    const backend = await agents.open(agent.id);
    await store.set(agent.id, row.id, choice);
    try {
      await withProgress(`Restarting ${agent.title}`, async (signal) => {
        await backend.stop();
        await backend.capabilities(signal);
      });
    } catch (error) {
      // To use the agent's own setting is nothing that it could refuse.
      if (!choice) throw error;
      await store.set(agent.id, row.id, row.choice);
      await backend.stop();
      throw new Error(`${messageOf(error)} Your change was not kept.`, { cause: error });
    }
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
  const options = { modal: true, detail: 'It is working on an answer, which will be stopped.' };
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

function workspaceAgentMessage(agentTitle: string): string {
  return `Only the LLM providers of agents in your user settings can be changed. Add ${agentTitle} there first.`;
}
