import * as vscode from 'vscode';
import { withoutUndefined } from '../../base/common/withoutUndefined';
import type { AuthMethod, BackendState, SessionBackend } from '../../session/common/sessionBackend';
import { findAgentToRestart } from '../common/catalogue/agentToRestart';
import type { Messages } from '../../platform/vscode/messages';

interface AgentCommandsDeps {
  readonly backends: () => readonly SessionBackend[];
  readonly messages: Messages;
}

export class AgentCommands {
  constructor(private readonly options: AgentCommandsDeps) {}

  /** Runs `backline.acp.restartAgent`; asks for the agent if `id` is missing. @throws BackendError */
  async restart(id?: unknown): Promise<void> {
    const which = findAgentToRestart(this.options.backends(), id);
    if (which.kind === 'none') {
      this.options.messages.info(which.message);
      return;
    }
    const backend =
      which.kind === 'one'
        ? which.backend
        : await pickAgent(which.backends, 'Restart Agent', 'Select an agent to restart. This stops its current turn');
    if (!backend) return;
    await withProgress(`Restarting ${backend.title}`, async () => {
      await backend.stop();
      await backend.capabilities();
    });
  }

  /** Runs `backline.acp.signIn`. @throws BackendError */
  async signIn(): Promise<void> {
    const waiting = this.options.backends().filter(({ state }) => state.kind === 'authRequired');
    if (waiting.length === 0) {
      this.options.messages.info('No agent requires you to sign in.');
      return;
    }
    const backend = waiting.length === 1 ? waiting[0] : await pickAgent(waiting, 'Sign In', 'Select an agent');
    if (backend?.state.kind !== 'authRequired') return;
    const { methods, message } = backend.state;
    if (methods.length === 0 || !backend.authenticate) throw new Error(message);
    const method = await pickMethod(backend.title, methods);
    if (!method) return;
    await withProgress(`Signing in to ${backend.title}`, async () => backend.authenticate?.(method.id));
    this.options.messages.info(`You are signed in to ${backend.title}.`);
  }
}

async function pickAgent(
  backends: readonly SessionBackend[],
  title: string,
  placeHolder: string,
): Promise<SessionBackend | undefined> {
  const items = backends.map((backend) => ({ label: backend.title, ...stateDescription(backend.state), backend }));
  return (await vscode.window.showQuickPick(items, { title, placeHolder }))?.backend;
}

async function pickMethod(agentTitle: string, methods: readonly AuthMethod[]): Promise<AuthMethod | undefined> {
  const items = methods.map((method) => ({
    label: method.name,
    method,
    ...(method.type === 'terminal' ? { description: 'in a terminal' } : {}),
    ...withoutUndefined({ detail: method.description }),
  }));
  const picked = await vscode.window.showQuickPick(items, {
    title: `Sign in to ${agentTitle}`,
    placeHolder: 'Select a sign-in method',
  });
  return picked?.method;
}

function stateDescription(state: BackendState): Pick<vscode.QuickPickItem, 'description' | 'detail'> {
  switch (state.kind) {
    case 'stopped':
      return { description: 'stopped' };
    case 'ready':
      return { description: state.version === undefined ? 'running' : `running, version ${state.version}` };
    case 'starting':
      return { description: 'starting' };
    case 'authRequired':
      return { description: 'sign-in required' };
    case 'failed':
      return { description: 'failed', detail: state.message };
  }
}

async function withProgress(title: string, work: () => Promise<void>): Promise<void> {
  await vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title }, work);
}
