import * as vscode from 'vscode';
import { commandIds } from '../../manifest';
import type { BackendView } from '../common/chatView';
import type { BackendChoice } from '../common/page/backendChoice';

interface BackendPick extends vscode.QuickPickItem {
  readonly view?: BackendView;
}

const words: Record<BackendView['state'], string> = {
  stopped: 'starts with the first prompt',
  starting: 'starting',
  ready: 'running',
  authRequired: 'needs you to sign in',
  failed: 'failed',
  unavailable: 'not ready',
};
const icons: Record<BackendView['state'], string> = {
  stopped: 'circle-outline',
  starting: 'loading~spin',
  ready: 'pass',
  authRequired: 'key',
  failed: 'error',
  unavailable: 'circle-slash',
};

/** Lets the user choose what new conversations are with, and mends what cannot be used. */
export class BackendPicker {
  constructor(private readonly backends: BackendChoice) {}

  /** The one that was chosen and can be used; undefined otherwise. */
  async pick(): Promise<BackendView | undefined> {
    await this.backends.refresh();
    const { chosen, views } = this.backends;
    const items: BackendPick[] = [
      ...views.map((view) => this.item(view, view.id === chosen?.id)),
      { label: '', kind: vscode.QuickPickItemKind.Separator },
      { label: '$(add) Add an agent…', description: 'opens the setting backline.acp.agents' },
    ];
    const options = {
      title: 'Agent of New Conversations',
      placeHolder: 'Who do you want to talk to?',
      matchOnDetail: true,
    };
    const picked = await vscode.window.showQuickPick(items, options);
    if (!picked) return undefined;
    if (!picked.view) {
      await vscode.commands.executeCommand('workbench.action.openSettings', 'backline.acp.agents');
      return undefined;
    }
    this.backends.choose(picked.view.id);
    if (isUsable(picked.view) && vscode.workspace.isTrusted) return picked.view;
    await this.repair(picked.view.id);
    return undefined;
  }

  /** Does what helps: trust, signing in, a restart, the settings. */
  async repair(id: string): Promise<void> {
    const view = this.backends.views.find((known) => known.id === id);
    const run = (command: string, ...args: readonly unknown[]): Thenable<unknown> =>
      vscode.commands.executeCommand(command, ...args);
    if (!vscode.workspace.isTrusted) await run('workbench.trust.manage');
    else if (view?.state === 'authRequired') await run(commandIds.acpSignIn);
    else if (view?.source === 'server') await run(commandIds.showStatus);
    else if (view?.state === 'failed') await run(commandIds.acpRestartAgent);
    else await run('workbench.action.openSettings', 'backline.acp.agents');
    await this.backends.refresh();
  }

  private item(view: BackendView, isChosen: boolean): BackendPick {
    const state = `${words[view.state]}${isChosen ? ', chosen' : ''}`;
    const detail = view.problem ?? view.description;
    return { label: `$(${icons[view.state]}) ${view.title}`, description: state, detail, view };
  }
}

function isUsable({ state }: BackendView): boolean {
  return state === 'ready' || state === 'stopped' || state === 'starting';
}
