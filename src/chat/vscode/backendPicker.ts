import * as vscode from 'vscode';
import { DisposableStore } from '../../base/common/disposable';
import { withoutUndefined } from '../../base/common/withoutUndefined';
import { commandIds, settingIds } from '../../manifest';
import type { Messages } from '../../platform/vscode/messages';
import { LiveQuickPickItems } from '../../platform/vscode/liveQuickPickItems';
import { backendStateLabel, displayedState } from '../common/backendStateLabel';
import type { Chats, ForkAgent } from '../common/chatPorts';
import { agentMark, agentMarkSvg } from '../../webview/common/agentMark';
import type { BackendView } from '../common/chatView';
import { agentPickDetail, agentPicks } from '../common/page/agentPicks';
import type { BackendChoice } from '../common/page/backendChoice';
import { backendRepair, type RepairKind } from '../common/page/backendRepair';
import type { InstallTerminals } from './installTerminals';

interface BackendItem extends vscode.QuickPickItem {
  readonly view?: BackendView;
}

const stateLabels: Record<BackendView['state'], string> = {
  stopped: 'starts with your first prompt',
  starting: 'starting',
  ready: 'running',
  authRequired: 'needs sign-in',
  failed: 'failed',
  unavailable: 'unavailable',
};
const icons: Record<BackendView['state'], string> = {
  stopped: 'circle-outline',
  starting: 'loading~spin',
  ready: 'pass',
  authRequired: 'key',
  failed: 'error',
  unavailable: 'circle-slash',
};

const moreItems: readonly BackendItem[] = [
  { label: '', kind: vscode.QuickPickItemKind.Separator },
  { label: '$(extensions) Agents…', description: 'Install, update and add agents' },
];

/** Lets the user choose the agent for new conversations and repair an agent that is not ready. */
export class BackendPicker {
  constructor(
    private readonly backendChoice: BackendChoice,
    private readonly chats: Pick<Chats, 'rows'>,
    private readonly messages: Messages,
    private readonly installTerminals: Pick<InstallTerminals, 'insertInstallCommand'>,
  ) {}

  async pickBackend(): Promise<BackendView | undefined> {
    await this.backendChoice.refresh();
    const picked = await this.showPicker();
    if (!picked) return undefined;
    if (!picked.view) {
      await vscode.commands.executeCommand(commandIds.agentsShow);
      return undefined;
    }
    this.backendChoice.choose(picked.view.id);
    if (isUsable(picked.view) && vscode.workspace.isTrusted) return picked.view;
    await this.repairBackend(picked.view.id);
    const repaired = this.backendChoice.backendViews.find(({ id }) => id === picked.view?.id);
    return picked.view.needsPermission && repaired && isUsable(repaired) ? repaired : undefined;
  }

  /** Lets the user pick an agent to continue a conversation with. Offers the page of agents, too. */
  async pickOtherAgent(exceptId: string): Promise<ForkAgent | undefined> {
    return await this.pickUsable(
      { title: 'Continue with Another Agent', placeHolder: 'The agent gets a summary of this conversation.' },
      exceptId,
    );
  }

  /** Lets the user pick an agent to review changes. Offers the page of agents, too. */
  async pickReviewer(): Promise<ForkAgent | undefined> {
    return await this.pickUsable({
      title: 'Review Changes with Agent',
      placeHolder: 'The agent gets the changes, and can read but not change anything.',
    });
  }

  private async pickUsable(about: vscode.QuickPickOptions, exceptId?: string): Promise<ForkAgent | undefined> {
    await this.backendChoice.refresh();
    const usable = this.backendChoice.backendViews.filter((view) => view.id !== exceptId && isUsable(view));
    const items = [...usable.map((view) => this.createItem(view, false)), ...moreItems];
    const picked = await vscode.window.showQuickPick(items, about);
    if (picked && !picked.view) await vscode.commands.executeCommand(commandIds.agentsShow);
    return picked?.view && { backendId: picked.view.id, backendTitle: picked.view.title };
  }

  /** Starts the suitable remedy, or the wanted one: trust, sign-in, restart, installation or settings. */
  async repairBackend(id: string, wanted?: RepairKind): Promise<void> {
    const view = this.backendChoice.backendViews.find((known) => known.id === id);
    const repair = backendRepair(view, vscode.workspace.isTrusted, wanted);
    switch (repair.kind) {
      case 'command':
        await vscode.commands.executeCommand(repair.command, ...(repair.id === undefined ? [] : [repair.id]));
        break;
      case 'install':
        this.installTerminals.insertInstallCommand(repair.title, repair.command);
        break;
      case 'offer':
        this.offerRepair(repair.view);
        break;
      case 'editSettings':
        await openAgentSettings();
    }
    await this.backendChoice.refresh();
  }

  private offerRepair({ id, install: command, problem = '', title }: BackendView): void {
    const edit = { label: 'Edit', run: () => this.repairBackend(id, 'edit') };
    const actions =
      command === undefined ? [] : [{ label: 'Install in Terminal…', run: () => this.repairBackend(id, 'install') }];
    this.messages.error(`${title}: ${problem}`, ...actions, edit);
  }

  /** Shows the list of agents. The list changes while it is open, for example when a server responds. */
  private async showPicker(): Promise<BackendItem | undefined> {
    const store = new DisposableStore();
    const pick = store.add(vscode.window.createQuickPick<BackendItem>());
    pick.title = 'Choose Agent';
    pick.placeholder = 'Select the agent for new conversations';
    pick.matchOnDetail = true;
    pick.keepScrollPosition = true;
    const idOf = ({ label, view }: BackendItem): string => view?.id ?? label;
    const items = store.add(new LiveQuickPickItems(pick, (one, other) => idOf(one) === idOf(other)));
    let shownIds: readonly string[] = [];
    const show = (): void => {
      const created = this.createItems(shownIds);
      shownIds = created.flatMap(({ view }) => view?.id ?? []);
      items.replace(created);
    };
    try {
      return await new Promise((resolve) => {
        store.add(this.backendChoice.onDidChange(show));
        items.onDidAccept(resolve);
        store.add(pick.onDidHide(() => resolve(undefined)));
        show();
        pick.show();
      });
    } finally {
      store.dispose();
    }
  }

  private createItems(shownIds: readonly string[]): BackendItem[] {
    const { chosenBackend, backendViews } = this.backendChoice;
    return [
      ...agentPicks(backendViews, this.chats.rows, chosenBackend?.id, shownIds).map((view) =>
        this.createItem(view, view.id === chosenBackend?.id),
      ),
      ...moreItems,
    ];
  }

  private createItem(view: BackendView, isChosen: boolean): BackendItem {
    const state = `${backendStateLabel(view, stateLabels)}${isChosen ? ', selected' : ''}`;
    const detail = agentPickDetail(view);
    return {
      label: view.title,
      iconPath: markUri(view),
      description: `$(${iconOf(view)}) ${state}`,
      ...withoutUndefined({ detail }),
      view,
    };
  }
}

async function openAgentSettings(): Promise<void> {
  const revealSetting = { key: settingIds.acpAgents, edit: true };
  await vscode.commands.executeCommand('workbench.action.openSettingsJson', { revealSetting });
}

function markUri({ id, title }: BackendView): vscode.Uri {
  const svg = agentMarkSvg(agentMark(id, title));
  return vscode.Uri.parse(`data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`);
}

function iconOf(view: BackendView): string {
  const isLocked = view.needsPermission === true || view.health?.kind === 'needsToken';
  return icons[isLocked ? 'authRequired' : displayedState(view)];
}

function isUsable({ health, state }: BackendView): boolean {
  if (health?.kind === 'needsToken') return false;
  return state === 'ready' || state === 'stopped' || state === 'starting';
}
