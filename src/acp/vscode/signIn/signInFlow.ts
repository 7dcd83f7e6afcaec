import * as vscode from 'vscode';
import { isBackendError, type AuthMethod } from '../../../session/common/sessionBackend';
import type { BackendEntry } from '../../../session/common/backendRegistry';
import { withAbortSignal } from '../../../platform/vscode/cancellation';
import type { Messages } from '../../../platform/vscode/messages';
import type { AgentBackend, SignInOverview } from '../../common/agentBackend';
import { isKeyVariable } from '../../common/signIn/agentKeys';
import type { AgentKeyStore } from '../../common/signIn/agentKeyStore';
import { signedInMessage, signInChoices, signInPrompt, type SignInChoice } from '../../common/signIn/signInChoices';
import { keyMethodId } from '../../common/signIn/signInWays';
import { askForKey, askForVariable } from './keyBox';

export interface SignInAgents {
  list(): Promise<readonly BackendEntry[]>;
  /** The backend, if it was used in this window. */
  openBackend(id: string): AgentBackend | undefined;
  /** Stops its processes, with all turns. Never rejects. */
  stop(id: string): Promise<void>;
  /** @throws BackendError */
  open(id: string): Promise<AgentBackend>;
  /** Whether the agent is the user's own, not the workspace's. */
  mayHaveKeys(id: string): boolean;
  /** Whether Backline connects to the agent by a URL, so that keys are sent in HTTP headers. */
  hasUrl(id: string): boolean;
  /** Whether a new session proves that a sign-in works. For other agents, only a prompt proves it. */
  isProvenBySession(id: string): boolean;
}

interface SignInFlowDeps {
  readonly agents: SignInAgents;
  readonly keys: AgentKeyStore;
  readonly messages: Messages;
}

const title = 'Sign In';

/** Leads the user through signing in to an agent. */
export class SignInFlow {
  private readonly agentIdsSigningInWithKey = new Set<string>();

  constructor(private readonly deps: SignInFlowDeps) {}

  /** Runs `backline.acp.signIn`; asks for the agent if `id` is missing. @throws BackendError */
  async signIn(id?: unknown): Promise<void> {
    const agentId = typeof id === 'string' ? id : await this.chooseAgent();
    if (agentId === undefined) return;
    const backend = await this.deps.agents.open(agentId);
    // If a sign-in was missing, the conversation or card that shows this also shows the result.
    const isSilent = backend.state.kind === 'authRequired';
    const choice = await this.chooseWay(backend);
    if (choice) await this.signInBy(backend, choice, isSilent);
  }

  isSigningInWithKey(agentId: string): boolean {
    return this.agentIdsSigningInWithKey.has(agentId);
  }

  /** Says which conversations a restart waits for, and lets the user restart the agent now. @throws BackendError */
  async authenticate(backend: AgentBackend, methodId: string, signal?: AbortSignal): Promise<void> {
    await backend.authenticate?.(methodId, signal, ({ message, restartNow }) =>
      this.deps.messages.warning(message, { label: 'Restart Now', run: restartNow }),
    );
  }

  /** Signs in and reports the result. Never rejects. */
  private async perform(
    backend: AgentBackend,
    method: AuthMethod,
    isSilent: boolean,
  ): Promise<'done' | 'refused' | 'failed'> {
    const { agents, messages } = this.deps;
    try {
      await withProgress(`Signing in to ${backend.title}`, (signal) => this.authenticate(backend, method.id, signal));
    } catch (error) {
      this.reportFailure(backend, error);
      return isBackendError(error) && error.code === 'authRequired' ? 'refused' : 'failed';
    }
    if (!isSilent) messages.info(signedInMessage(backend.title, method.type, agents.isProvenBySession(backend.id)));
    return 'done';
  }

  private async chooseAgent(): Promise<string | undefined> {
    const entries = (await this.deps.agents.list()).filter(
      ({ problem, source }) => problem === undefined && source !== 'demo',
    );
    const needs = (entry: BackendEntry): boolean =>
      this.deps.agents.openBackend(entry.id)?.state.kind === 'authRequired' || entry.needsSignIn === true;
    const waiting = entries.filter(needs);
    if (waiting.length === 1) return waiting[0]?.id;
    if (entries.length === 0) {
      this.deps.messages.info('There is no agent to sign in to.');
      return undefined;
    }
    const items = [...entries]
      .sort((a, b) => Number(needs(b)) - Number(needs(a)))
      .map((entry) => ({
        label: entry.title,
        description: needs(entry) ? 'needs sign-in' : '',
        id: entry.id,
      }));
    return (await vscode.window.showQuickPick(items, { title, placeHolder: 'Select an agent' }))?.id;
  }

  private async chooseWay(backend: AgentBackend): Promise<SignInChoice | undefined> {
    const { agents, messages } = this.deps;
    const { accounts, isSignedIn: hasSession, methods } = await this.methodsOf(backend);
    const isSignedIn = hasSession && agents.isProvenBySession(backend.id);
    const choices = signInChoices(methods);
    if (choices.length === 0) {
      if (hasSession) messages.info(`${backend.title} works without a sign-in, or you are signed in already.`);
      else messages.warning(`${backend.title} offers no way to sign in here. Use its own command to sign in.`);
      return undefined;
    }
    if (choices.length === 1 && !isSignedIn) return choices[0];
    return await vscode.window.showQuickPick(choices, {
      title: `Sign In to ${backend.title}`,
      placeHolder: signInPrompt(isSignedIn, accounts),
    });
  }

  /** Returns the ways to sign in. Asks the agent for them unless it is known to require a sign-in. */
  private async methodsOf(backend: AgentBackend): Promise<Pick<SignInOverview, 'accounts' | 'isSignedIn' | 'methods'>> {
    const { state } = backend;
    if (state.kind === 'authRequired' && state.methods.length > 0) return { isSignedIn: false, methods: state.methods };
    if (!backend.signInMethods) return { isSignedIn: true, methods: [] };
    const ask = async (signal: AbortSignal) => await backend.signInMethods?.(signal);
    const found = await withProgress(`Checking the sign-in to ${backend.title}`, ask);
    return found ?? { isSignedIn: true, methods: [] };
  }

  private async signInBy(backend: AgentBackend, { key, method }: SignInChoice, isSilent: boolean): Promise<void> {
    const { agents, keys } = this.deps;
    if (!key) {
      await this.perform(backend, method, isSilent);
      return;
    }
    if (!agents.mayHaveKeys(backend.id)) throw new Error(noKeysForWorkspaceAgentMessage(backend.title));
    const owner = { title: backend.title, hasUrl: agents.hasUrl(backend.id) };
    const entered = await askForKey(owner, key);
    if (entered === undefined) return;
    this.agentIdsSigningInWithKey.add(backend.id);
    try {
      const { [key.variable]: earlier } = await keys.keysOf(backend.id);
      await keys.set(backend.id, key.variable, entered);
      if ((await this.perform(backend, method, isSilent)) !== 'refused') return;
      // A refused key must not replace another sign-in of the agent.
      if (earlier === undefined) await keys.delete(backend.id, key.variable);
      else await keys.set(backend.id, key.variable, earlier);
    } finally {
      this.agentIdsSigningInWithKey.delete(backend.id);
    }
  }

  private reportFailure(backend: AgentBackend, error: unknown): void {
    if (isBackendError(error) && error.code === 'cancelled') return;
    const message = error instanceof Error ? error.message : `Signing in to ${backend.title} failed.`;
    this.deps.messages.error(message, { label: 'Try Again', run: () => this.signIn(backend.id) });
  }

  /** Asks for any variable and its key. Resolves with whether a key was stored. */
  async enterOtherKey(agentId: string, agentTitle: string): Promise<string | undefined> {
    const owner = { title: agentTitle, hasUrl: this.deps.agents.hasUrl(agentId) };
    const variable = await askForVariable(owner, isKeyVariable);
    if (variable === undefined) return undefined;
    const key = await askForKey(owner, { variable, name: variable });
    if (key === undefined) return undefined;
    await this.deps.keys.set(agentId, variable, key);
    return keyMethodId(variable);
  }
}

export function noKeysForWorkspaceAgentMessage(agentTitle: string): string {
  return `Only agents in your user settings can receive keys. Add ${agentTitle} there to store a key for it.`;
}

export async function withProgress<T>(text: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const options = { location: vscode.ProgressLocation.Notification, title: text, cancellable: true };
  return await vscode.window.withProgress(options, (_progress, token) => withAbortSignal(token, work));
}
