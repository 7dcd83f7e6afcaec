import * as vscode from 'vscode';
import type { BackendState, SessionBackend } from '../../session/common/sessionBackend';
import { findAgentToRestart } from '../common/catalogue/agentToRestart';
import type { AgentBackendRegistry } from '../node/catalogue/agentBackendRegistry';
import type { Messages } from '../../platform/vscode/messages';

interface AgentCommandsDeps {
  readonly agents: Pick<AgentBackendRegistry, 'backends' | 'open' | 'stop'>;
  readonly messages: Messages;
  /** Whether a turn of the agent runs in this window. */
  readonly isWorking: (agentId: string) => boolean;
}

export class AgentCommands {
  constructor(private readonly deps: AgentCommandsDeps) {}

  /** Runs `backline.acp.restartAgent`; asks for the agent if `id` is missing. @throws BackendError */
  async restart(id?: unknown): Promise<void> {
    const which = findAgentToRestart(this.deps.agents.backends, id);
    if (which.kind === 'none') {
      this.deps.messages.info(which.message);
      return;
    }
    const backend =
      which.kind === 'one'
        ? which.backend
        : await pickAgent(which.backends, 'Restart Agent', 'Select an agent to restart');
    if (!backend || (this.deps.isWorking(backend.id) && !(await confirmRestart(backend.title)))) return;
    await withProgress(`Restarting ${backend.title}`, async () => {
      backend.forgetFailures?.();
      await this.deps.agents.stop(backend.id);
      // Its settings may have changed.
      await (await this.deps.agents.open(backend.id)).capabilities();
    });
  }
}

/** All conversations with an agent share its process. */
async function confirmRestart(agentTitle: string): Promise<boolean> {
  const restart = 'Restart';
  const detail = 'The agent is still working. The restart stops its work in all conversations of this window.';
  const options = { modal: true, detail };
  return (await vscode.window.showWarningMessage(`Restart ${agentTitle}?`, options, restart)) === restart;
}

async function pickAgent(
  backends: readonly SessionBackend[],
  title: string,
  placeHolder: string,
): Promise<SessionBackend | undefined> {
  const items = backends.map((backend) => ({ label: backend.title, ...stateDescription(backend.state), backend }));
  return (await vscode.window.showQuickPick(items, { title, placeHolder }))?.backend;
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
      return { description: 'needs sign-in' };
    case 'failed':
      return { description: 'failed', detail: state.message };
  }
}

async function withProgress(title: string, work: () => Promise<void>): Promise<void> {
  await vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title }, work);
}
