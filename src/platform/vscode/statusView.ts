import * as vscode from 'vscode';
import { Coalescer, type Clock } from '../../base/common/async';
import { DisposableStore } from '../../base/common/disposable';
import type { FeatureStatus, StatusAction, StatusBoard } from '../../base/common/feature';
import { commandIds } from '../../manifest';
import {
  featureStateIcon,
  featureStateLabels,
  createStatusBarContent,
  inMenuOrder,
  type StatusBarContent,
} from '../common/statusText';
import type { Commands } from './commands';
import { LiveQuickPickItems } from './liveQuickPickItems';

interface StatusPick extends vscode.QuickPickItem {
  /** Identifies the row, even if its text has changed. */
  readonly key?: string;
  readonly action?: StatusAction;
}

/** VS Code parses the tooltip in the extension host, which takes longer than a feature needs to start. */
const renderDelayMs = 50;

/** The status bar item, and the quick pick that shows the status and actions of all features. */
export class StatusView implements vscode.Disposable {
  private readonly disposables = new DisposableStore();
  private readonly statusBarItem = this.disposables.add(
    vscode.window.createStatusBarItem('backline.status', vscode.StatusBarAlignment.Right, 100),
  );

  constructor(
    private readonly statusBoard: StatusBoard,
    private readonly commands: Commands,
    private readonly clock: Clock,
  ) {}

  start(): void {
    this.statusBarItem.name = 'Backline';
    const rendering = this.disposables.add(new Coalescer(this.clock, renderDelayMs, () => this.render()));
    this.disposables.add(this.statusBoard.onDidChange(() => rendering.schedule()));
    this.disposables.add(this.commands.setHandler(commandIds.showStatus, () => this.showQuickPick()));
    rendering.schedule();
  }

  dispose(): void {
    this.disposables.dispose();
  }

  private render(): void {
    const content = createStatusBarContent(this.statusBoard.featureStatuses);
    const { command = commandIds.showStatus, label, severity, text } = content;
    this.statusBarItem.text = text;
    this.statusBarItem.command = command;
    this.statusBarItem.tooltip = createTooltip(content);
    this.statusBarItem.accessibilityInformation = { label, role: 'button' };
    this.statusBarItem.backgroundColor =
      severity === 'none' ? undefined : new vscode.ThemeColor(`statusBarItem.${severity}Background`);
    this.statusBarItem.show();
  }

  /** Shows the list and updates it while it is open. Resolves when it is closed. */
  private async showQuickPick(): Promise<void> {
    const store = new DisposableStore();
    const pick = store.add(vscode.window.createQuickPick<StatusPick>());
    pick.title = 'Backline Status';
    pick.placeholder = 'Select an action';
    pick.matchOnDetail = true;
    pick.keepScrollPosition = true;
    // The highlighted row stays highlighted when the list changes, so that Enter runs the expected action.
    const items = store.add(new LiveQuickPickItems(pick, (one, other) => one.key === other.key));
    const refresh = (): void =>
      items.replace([...inMenuOrder(this.statusBoard.featureStatuses).flatMap(createPicks), ...commonPicks]);
    refresh();
    store.add(this.statusBoard.onDidChange(refresh));
    this.statusBoard.requestRefresh();
    try {
      const chosen = await new Promise<StatusPick | undefined>((resolve) => {
        items.onDidAccept(resolve);
        store.add(pick.onDidHide(() => resolve(undefined)));
        pick.show();
      });
      pick.hide();
      if (chosen?.action) {
        await vscode.commands.executeCommand(chosen.action.command, ...(chosen.action.arguments ?? []));
      }
    } finally {
      store.dispose();
    }
  }
}

const showTraffic: StatusAction = { label: 'Show Traffic', command: commandIds.showTraffic };
const showLog: StatusAction = { label: 'Show Log', command: commandIds.showLog };

function createTooltip({ command, highlights, tooltip }: StatusBarContent): vscode.MarkdownString {
  const markdown = new vscode.MarkdownString(undefined, true);
  for (const line of highlights) markdown.appendText(line).appendMarkdown('\n\n');
  if (highlights.length > 0) markdown.appendMarkdown('---\n\n');
  for (const { icon, title, summary } of tooltip) {
    markdown.appendMarkdown(`${icon} **`).appendText(title).appendMarkdown('**: ');
    markdown.appendText(summary).appendMarkdown('\n\n');
  }
  return markdown.appendMarkdown(
    command === undefined ? 'Click for details and actions.' : 'Click to show the conversation.',
  );
}

function createPicks(status: FeatureStatus): StatusPick[] {
  const [first = showLog] = status.actions ?? [];
  return [
    { label: status.title, kind: vscode.QuickPickItemKind.Separator },
    {
      key: status.id,
      label: `${featureStateIcon(status.state)} ${status.title}`,
      description: featureStateLabels[status.state],
      detail: status.summary,
      action: first,
    },
    ...(status.actions ?? []).map((action) => ({
      key: `${status.id} ${action.label}`,
      label: `$(chevron-right) ${action.label}`,
      action,
    })),
  ];
}

const commonPicks: readonly StatusPick[] = [
  { label: 'Backline', kind: vscode.QuickPickItemKind.Separator },
  { key: 'traffic', label: '$(list-unordered) Show Traffic', action: showTraffic },
  { key: 'log', label: '$(output) Show Log', action: showLog },
];
