import * as vscode from 'vscode';
import type { Clock } from '../../base/common/async';
import { DisposableStore, type Disposable } from '../../base/common/disposable';
import { namingHiddenCharacters } from '../../base/common/hiddenCharacters';
import type { Memento } from '../../base/common/memento';
import { commandIds } from '../../manifest';
import type { ThreadLibrary } from '../common/threadLibrary';
import type { SourceProblem } from '../common/threadPorts';
import { filterWords, type ThreadFilters } from '../common/tree/threadFilters';
import { nextMidnight } from '../common/tree/grouping';
import type { ReadMarks } from '../common/tree/readMarks';
import { shownTitle, threadRow, type ThreadRow } from '../common/tree/threadRow';
import {
  noTree,
  threadTree,
  type GroupNode,
  type ProblemNode,
  type ThreadNode,
  type ThreadTree,
} from '../common/tree/threadTree';
import { treeChanges } from '../common/tree/treeChanges';
import { keepFilters, keptFilters, showFilterKeys } from './keptFilters';
import type { ThreadDecorations } from './threadDecorations';

interface ThreadsViewOptions {
  readonly library: ThreadLibrary;
  readonly marks: ReadMarks;
  readonly decorations: ThreadDecorations;
  /** Absolute, of the workspace, with its worktrees. */
  readonly workspaceFolders: () => Promise<readonly string[]>;
  readonly memento: Memento;
  readonly onDidDropFiles: (files: readonly vscode.Uri[]) => void;
  readonly clock: Clock;
}

/** The list of threads. Rows are named, so that what has not changed is not drawn again, and what was open stays open. */
export class ThreadsView implements Disposable, vscode.TreeDataProvider<string> {
  private readonly store = new DisposableStore();
  private readonly changes = new vscode.EventEmitter<string[] | undefined>();
  readonly onDidChangeTreeData = this.changes.event;
  private tree: ThreadTree = noTree;
  private folders: readonly string[] = [];
  private kept: ThreadFilters | undefined;
  private view: vscode.TreeView<string> | undefined;
  private looking: Disposable | undefined;
  private midnight: Disposable | undefined;
  private isShownOnce = false;

  constructor(private readonly options: ThreadsViewOptions) {}

  /** `view` shows its rows; it stays the caller's. */
  start(view: vscode.TreeView<string>): void {
    const { library } = this.options;
    this.view = view;
    this.store.add(this.changes);
    this.store.add(view.onDidChangeVisibility(({ visible }) => this.visibilityChanged(visible)));
    this.store.add(library.onDidChange(() => this.update()));
    this.store.add(vscode.workspace.onDidChangeWorkspaceFolders(() => void this.foldersChanged()));
    this.store.add({ dispose: () => this.looking?.dispose() });
    this.store.add({ dispose: () => this.midnight?.dispose() });
    this.awaitMidnight();
    this.showFilters();
    if (view.visible) this.visibilityChanged(true);
  }

  get filters(): ThreadFilters {
    this.kept ??= keptFilters(this.options.memento);
    return this.kept;
  }

  async filter(part: Partial<ThreadFilters>): Promise<void> {
    this.kept = { ...this.filters, ...part };
    this.showFilters();
    this.update();
    await keepFilters(this.options.memento, this.kept);
  }

  /** Draws what says something else now. */
  update(): void {
    if (!this.options.library.isListed || !this.isShownOnce) return;
    const next = this.treeNow();
    const changed = treeChanges(this.tree, next);
    this.tree = next;
    if (changed === 'all') this.changes.fire(undefined);
    else if (changed.length > 0) this.changes.fire([...changed]);
    this.showState();
  }

  /** The thread that a command means when it is run from the list. */
  threadIdOf(element: unknown): string | undefined {
    const node = typeof element === 'string' ? this.tree.nodes.get(element) : undefined;
    return node?.kind === 'thread' ? node.head.id : undefined;
  }

  async getChildren(element?: string): Promise<string[]> {
    if (element !== undefined) return [...(this.tree.nodes.get(element)?.children ?? [])];
    if (!this.isShownOnce) {
      this.isShownOnce = true;
      const { library, marks, clock, workspaceFolders } = this.options;
      [this.folders] = await Promise.all([workspaceFolders(), library.ready()]);
      marks.begin(clock.now());
      this.tree = this.treeNow();
      this.showState();
    }
    return [...this.tree.roots];
  }

  getParent(element: string): string | undefined {
    return this.tree.nodes.get(element)?.parent;
  }

  getTreeItem(element: string): vscode.TreeItem {
    const node = this.tree.nodes.get(element);
    if (!node) return new vscode.TreeItem('');
    if (node.kind === 'group') return groupItem(node);
    return node.kind === 'problem' ? problemItem(node) : this.threadItem(node);
  }

  handleDrag(source: readonly string[], transfer: vscode.DataTransfer): void {
    const files = source.flatMap((id) => {
      const node = this.tree.nodes.get(id);
      return node?.kind === 'thread' && node.head.path !== undefined
        ? [vscode.Uri.file(node.head.path).toString()]
        : [];
    });
    if (files.length > 0) transfer.set('text/uri-list', new vscode.DataTransferItem(files.join('\r\n')));
  }

  async handleDrop(_target: string | undefined, transfer: vscode.DataTransfer): Promise<void> {
    const list = (await transfer.get('text/uri-list')?.asString()) ?? '';
    const lines = list.split(/\r?\n/).filter((line) => line !== '' && !line.startsWith('#'));
    const own = new Set(this.options.library.heads.map(({ path }) => path));
    const others = lines.map((line) => vscode.Uri.parse(line)).filter(({ fsPath }) => !own.has(fsPath));
    if (others.length > 0) this.options.onDidDropFiles(others);
  }

  dispose(): void {
    this.store.dispose();
  }

  private treeNow(): ThreadTree {
    const { library, marks, clock } = this.options;
    const { filters, folders } = this;
    const { isUnread } = marks;
    return threadTree(library.heads, {
      filters,
      folders,
      nowMs: clock.now(),
      isUnread,
      problems: library.sourceProblems,
    });
  }

  private threadItem(node: ThreadNode): vscode.TreeItem {
    const { head, children } = node;
    const row = threadRow(node, this.options.clock.now());
    const item = new vscode.TreeItem(row.label, collapsible(children.length, false));
    item.id = node.id;
    item.description = row.description;
    item.tooltip = new vscode.MarkdownString(row.tooltip, true);
    item.iconPath = new vscode.ThemeIcon(row.icon, iconColor(row));
    item.resourceUri = this.options.decorations.uriOf(head.id, row.state);
    item.accessibilityInformation = { label: row.spoken };
    item.contextValue = contextOf(node);
    item.command = { command: commandIds.threadsOpen, title: 'Open', arguments: [head.id] };
    return item;
  }

  private visibilityChanged(isVisible: boolean): void {
    this.looking?.dispose();
    this.looking = isVisible ? this.options.library.look() : undefined;
  }

  /** Days and times of all rows are said from today. */
  private awaitMidnight(): void {
    const { clock } = this.options;
    const nowMs = clock.now();
    this.midnight = clock.setTimer(nextMidnight(nowMs) - nowMs, () => {
      this.update();
      this.changes.fire(undefined);
      this.awaitMidnight();
    });
  }

  private async foldersChanged(): Promise<void> {
    this.folders = await this.options.workspaceFolders();
    this.update();
  }

  private showFilters(): void {
    const { filters } = this;
    if (this.view) this.view.description = filterWords(filters).join(', ');
    showFilterKeys(filters);
  }

  /** What there is to say beside the rows. */
  private showState(): void {
    if (!this.view) return;
    const { library } = this.options;
    // Its row says it; an empty list has none.
    const isEmpty = this.tree.roots.length === 0;
    this.view.message = isEmpty ? library.sourceProblems.map(problemLine).join('\n') : '';
    const unread = [...this.tree.nodes.values()].flatMap((node) =>
      node.kind === 'thread' && node.isUnread ? [shownTitle(node.head)] : [],
    );
    const tooltip = unread.length === 1 ? `New in "${unread[0] ?? ''}"` : `New in ${unread.length} threads`;
    this.view.badge = unread.length === 0 ? undefined : { value: unread.length, tooltip };
  }
}

function groupItem({ id, label, description, children, isOpen }: GroupNode): vscode.TreeItem {
  const item = new vscode.TreeItem(namingHiddenCharacters(label), collapsible(children.length, isOpen));
  item.id = id;
  if (description !== undefined) item.description = namingHiddenCharacters(description);
  item.contextValue = 'group';
  return item;
}

function problemLine({ title, summary }: SourceProblem): string {
  return `${title}: ${summary}`;
}

/** One quiet line; all that there is to say when it is pointed at or chosen. */
function problemItem({ id, problem }: ProblemNode): vscode.TreeItem {
  const item = new vscode.TreeItem(problem.title);
  item.id = id;
  item.description = problem.summary;
  item.tooltip = namingHiddenCharacters(problem.message);
  item.iconPath = new vscode.ThemeIcon('info', new vscode.ThemeColor('descriptionForeground'));
  item.accessibilityInformation = { label: `${problemLine(problem)}. ${problem.message}` };
  item.contextValue = 'problem';
  item.command = { command: commandIds.showStatus, title: 'Show Status' };
  return item;
}

function collapsible(childCount: number, isOpen: boolean): vscode.TreeItemCollapsibleState {
  if (childCount === 0) return vscode.TreeItemCollapsibleState.None;
  return isOpen ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.Collapsed;
}

/** What the menus of package.json look for. */
function contextOf({ head }: ThreadNode): string {
  const hasFile = head.path !== undefined;
  return [head.problem === undefined ? 'thread' : 'broken', ...(hasFile ? ['file'] : []), head.source].join(' ');
}

function iconColor({ state, icon }: ThreadRow): vscode.ThemeColor | undefined {
  if (state === 'attention' || state === 'waiting') return new vscode.ThemeColor('list.warningForeground');
  if (state === 'unread') return new vscode.ThemeColor('charts.blue');
  return icon === 'error' ? new vscode.ThemeColor('list.errorForeground') : undefined;
}
