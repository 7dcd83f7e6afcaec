import * as vscode from 'vscode';
import { DisposableStore } from '../../base/common/disposable';
import type { FeatureStatus, StatusAction, StatusBoard } from '../../base/common/feature';
import { commandIds } from '../../manifest';
import { stateIcon, stateWord, statusBarText, type StatusBarText } from '../common/statusText';
import type { Commands } from './commands';
import { LiveItems } from './quickPickItems';

interface StatusPick extends vscode.QuickPickItem {
  /** The same for the same row after a change of its text. */
  readonly key?: string;
  readonly action?: StatusAction;
}

/** The status bar item, and behind it the list of what is running with what to do about what is not. */
export class StatusView implements vscode.Disposable {
  private readonly store = new DisposableStore();
  private readonly item = this.store.add(
    vscode.window.createStatusBarItem('backline.status', vscode.StatusBarAlignment.Right, 100),
  );

  constructor(
    private readonly board: StatusBoard,
    private readonly commands: Commands,
  ) {}

  start(): void {
    this.item.name = 'Backline';
    this.item.command = commandIds.showStatus;
    this.store.add(this.board.onDidChange(() => this.render()));
    this.store.add(this.commands.handle(commandIds.showStatus, () => this.pick()));
    this.render();
    this.item.show();
  }

  dispose(): void {
    this.store.dispose();
  }

  private render(): void {
    const { text, label, tooltip, severity } = statusBarText(this.board.all);
    this.item.text = text;
    this.item.tooltip = tooltipOf(tooltip);
    this.item.accessibilityInformation = { label, role: 'button' };
    this.item.backgroundColor =
      severity === 'none' ? undefined : new vscode.ThemeColor(`statusBarItem.${severity}Background`);
  }

  /** Stays up to date while it is open; resolves when it is closed. */
  private async pick(): Promise<void> {
    const store = new DisposableStore();
    const pick = store.add(vscode.window.createQuickPick<StatusPick>());
    pick.title = 'Backline Status';
    pick.placeholder = 'What is running, and what you can do about it';
    pick.matchOnDetail = true;
    pick.keepScrollPosition = true;
    // New items move the highlight to the first row, where Enter would do something else than the user reads.
    const items = store.add(new LiveItems(pick, (one, other) => one.key === other.key));
    const refresh = (): void => items.replace([...this.board.all.flatMap(picksOf), ...commonPicks]);
    refresh();
    store.add(this.board.onDidChange(refresh));
    this.board.look();
    try {
      const chosen = await new Promise<StatusPick | undefined>((resolve) => {
        store.add(pick.onDidAccept(() => resolve(pick.selectedItems[0])));
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

const showTraffic: StatusAction = { label: 'Show traffic', command: commandIds.showTraffic };
const showLog: StatusAction = { label: 'Show log', command: commandIds.showLog };

function tooltipOf(lines: StatusBarText['tooltip']): vscode.MarkdownString {
  const markdown = new vscode.MarkdownString(undefined, true);
  for (const { icon, title, summary } of lines) {
    markdown.appendMarkdown(`${icon} **`).appendText(title).appendMarkdown('**: ');
    markdown.appendText(summary).appendMarkdown('\n\n');
  }
  return markdown.appendMarkdown('Click to see what is running and what to do.');
}

function picksOf(status: FeatureStatus): StatusPick[] {
  const [first = showLog] = status.actions ?? [];
  return [
    { label: status.title, kind: vscode.QuickPickItemKind.Separator },
    {
      key: status.id,
      label: `${stateIcon(status.state)} ${status.title}`,
      description: stateWord(status.state),
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
  { key: 'traffic', label: '$(list-unordered) Show traffic', action: showTraffic },
  { key: 'log', label: '$(output) Show log', action: showLog },
];
