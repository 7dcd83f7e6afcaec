import * as vscode from 'vscode';
import type { BackendEntry } from '../../../session/common/backendRegistry';
import type { AuthKeyVariable } from '../../../session/common/sessionBackend';
import type { Messages } from '../../../platform/vscode/messages';
import type { AgentKeyStore } from '../../common/signIn/agentKeyStore';
import { keyTexts } from '../../common/signIn/keyTexts';
import { askForKey } from './keyBox';
import { withProgress, noKeysForWorkspaceAgentMessage, type SignInAgents, type SignInFlow } from './signInFlow';

export interface KeyCommandsDeps {
  readonly agents: SignInAgents;
  readonly keys: AgentKeyStore;
  readonly flow: SignInFlow;
  readonly messages: Messages;
  /** The keys that an agent is known to accept. */
  readonly knownKeys: (agentId: string) => readonly AuthKeyVariable[];
}

interface KeyItem extends vscode.QuickPickItem {
  readonly key?: AuthKeyVariable;
}

const remove = 'Remove';
const replace = 'Replace…';

/** The commands that manage the stored keys of agents, and the command that signs out. */
export class KeyCommands {
  constructor(private readonly deps: KeyCommandsDeps) {}

  /** Runs `backline.acp.manageKeys`; asks for the agent if `id` is missing. */
  async manageKeys(id?: unknown): Promise<void> {
    const agent = await this.chooseAgent(id, 'Manage Agent Keys', () => true);
    if (!agent) return;
    if (!this.deps.agents.mayHaveKeys(agent.id)) throw new Error(noKeysForWorkspaceAgentMessage(agent.title));
    const stored = await this.deps.keys.variablesOf(agent.id);
    const item = await this.chooseKey(agent, stored);
    if (!item) return;
    if (item.key === undefined) {
      const methodId = await this.deps.flow.enterOtherKey(agent.id, agent.title);
      if (methodId !== undefined) this.showStored(agent);
      return;
    }
    if (stored.includes(item.key.variable)) await this.changeKey(agent, item.key);
    else await this.enterKey(agent, item.key);
  }

  /** Runs `backline.acp.signOut`; asks for the agent if `id` is missing. @throws BackendError */
  async signOut(id?: unknown): Promise<void> {
    const withKeys = new Set(this.deps.keys.agentIds);
    const isUsed = (entry: BackendEntry): boolean =>
      withKeys.has(entry.id) || this.deps.agents.openBackend(entry.id) !== undefined;
    const agent = await this.chooseAgent(id, 'Sign Out', isUsed);
    if (!agent || !(await confirmSignOut(agent.title, withKeys.has(agent.id)))) return;
    const { keys, messages } = this.deps;
    const hasSignedOut = await withProgress(`Signing out of ${agent.title}`, (signal) =>
      this.signOutOfAgent(agent, signal),
    ).finally(() => keys.deleteAll(agent.id));
    await this.deps.agents.stop(agent.id);
    const without = withKeys.has(agent.id)
      ? `The keys for ${agent.title} were removed.`
      : `You can’t sign out of ${agent.title} here. Use its own command.`;
    messages.info(hasSignedOut ? `You are signed out of ${agent.title}.` : without);
  }

  private async signOutOfAgent({ id }: BackendEntry, signal: AbortSignal): Promise<boolean> {
    const backend = await this.deps.agents.open(id);
    return (await backend.signOut?.(signal)) === true;
  }

  private async chooseAgent(
    id: unknown,
    title: string,
    isOffered: (entry: BackendEntry) => boolean,
  ): Promise<BackendEntry | undefined> {
    const entries = await this.deps.agents.list();
    if (typeof id === 'string') return entries.find((entry) => entry.id === id);
    const withKeys = new Set(this.deps.keys.agentIds);
    const offered = entries.filter((entry) => entry.source !== 'demo' && isOffered(entry));
    if (offered.length === 0) {
      this.deps.messages.info('You are not signed in to an agent, and no key is stored.');
      return undefined;
    }
    const items = offered
      .map((entry) => ({
        label: entry.title,
        description: withKeys.has(entry.id) ? 'key stored' : '',
        entry,
      }))
      .sort((a, b) => Number(withKeys.has(b.entry.id)) - Number(withKeys.has(a.entry.id)));
    return (await vscode.window.showQuickPick(items, { title, placeHolder: 'Select an agent' }))?.entry;
  }

  private async chooseKey(agent: BackendEntry, stored: readonly string[]): Promise<KeyItem | undefined> {
    const known = this.deps.knownKeys(agent.id);
    const others = stored.filter((variable) => !known.some((key) => key.variable === variable));
    const all: readonly AuthKeyVariable[] = [...known, ...others.map((variable) => ({ variable, name: variable }))];
    const items: KeyItem[] = [
      ...all.map((key) => ({
        label: key.name,
        description: stored.includes(key.variable) ? `${key.variable}, stored` : key.variable,
        key,
      })),
      keyTexts(this.deps.agents.hasUrl(agent.id)).otherName,
    ];
    return await vscode.window.showQuickPick(items, { title: `Keys for ${agent.title}`, placeHolder: 'Select a key' });
  }

  private async changeKey(agent: BackendEntry, key: AuthKeyVariable): Promise<void> {
    const action = await vscode.window.showQuickPick([replace, remove], { title: `${key.name} for ${agent.title}` });
    if (action === replace) await this.enterKey(agent, key);
    if (action !== remove) return;
    await this.deps.keys.delete(agent.id, key.variable);
    this.deps.messages.info(`The ${key.name} for ${agent.title} was removed. ${this.restartAdvice(agent)}`.trim());
  }

  private async enterKey(agent: BackendEntry, key: AuthKeyVariable): Promise<void> {
    const entered = await askForKey({ title: agent.title, hasUrl: this.deps.agents.hasUrl(agent.id) }, key);
    if (entered === undefined) return;
    await this.deps.keys.set(agent.id, key.variable, entered);
    this.showStored(agent);
  }

  private showStored(agent: BackendEntry): void {
    this.deps.messages.info(`The key for ${agent.title} is stored. ${this.restartAdvice(agent)}`.trim());
  }

  private restartAdvice({ id }: BackendEntry): string {
    const kind = this.deps.agents.openBackend(id)?.state.kind ?? 'stopped';
    return kind === 'ready' ? 'It applies when the agent is restarted.' : '';
  }
}

async function confirmSignOut(agentTitle: string, hasKeys: boolean): Promise<boolean> {
  const signOut = 'Sign Out';
  const detail = [
    ...(hasKeys ? ['Its keys are removed from VS Code’s secret storage.'] : []),
    'The agent is stopped, which ends its current turns in all conversations of this window.',
  ].join(' ');
  const options = { modal: true, detail };
  return (await vscode.window.showWarningMessage(`Sign out of ${agentTitle}?`, options, signOut)) === signOut;
}
