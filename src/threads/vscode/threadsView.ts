import * as vscode from 'vscode';
import type { Clock } from '../../base/common/async';
import { DisposableStore, type Disposable } from '../../base/common/disposable';
import { showHiddenCharacters } from '../../base/common/text/hiddenCharacters';
import type { Memento } from '../../base/common/memento';
import { commandIds } from '../../manifest';
import type { ThreadLibrary } from '../common/threadLibrary';
import type { SourceProblem } from '../common/threadPorts';
import { describeFilters, type ThreadFilters } from '../common/tree/threadFilters';
import { nextMidnight } from '../common/tree/grouping';
import type { ReadMarks } from '../common/tree/readMarks';
import { displayTitle, threadRow, type ThreadRow } from '../common/tree/threadRow';
import {
  emptyTree,
  buildThreadTree,
  type GroupNode,
  type ProblemNode,
  type ThreadNode,
  type ThreadTree,
} from '../common/tree/threadTree';
import { findRowsToRefresh } from '../common/tree/treeChanges';
import { loadFilters, setFilterContextKeys, storeFilters } from './storedFilters';
import type { ThreadDecorations } from './threadDecorations';

interface ThreadsViewDeps {
  readonly library: ThreadLibrary;
  readonly marks: ReadMarks;
  readonly decorations: ThreadDecorations;
  /** Absolute paths of the workspace folders and their worktrees. */
  readonly workspaceFolders: () => Promise<readonly string[]>;
  readonly memento: Memento;
  readonly onDidDropFiles: (files: readonly vscode.Uri[]) => void;
  readonly clock: Clock;
}

/** The list of threads. Rows have stable ids, so unchanged rows are not refreshed and groups stay expanded. */
export class ThreadsView implements Disposable, vscode.TreeDataProvider<string> {
  private readonly disposables = new DisposableStore();
  private readonly changeEmitter = new vscode.EventEmitter<string[] | undefined>();
  readonly onDidChangeTreeData = this.changeEmitter.event;
  private threadTree: ThreadTree = emptyTree;
  private workspaceFolders: readonly string[] = [];
  private cachedFilters: ThreadFilters | undefined;
  private view: vscode.TreeView<string> | undefined;
  private libraryPolling: Disposable | undefined;
  private midnightTimer: Disposable | undefined;
  private hasBeenShown = false;

  constructor(private readonly deps: ThreadsViewDeps) {}

  /** Fills a view. The caller owns `view`. */
  start(view: vscode.TreeView<string>): void {
    const { library } = this.deps;
    this.view = view;
    this.disposables.add(this.changeEmitter);
    this.disposables.add(view.onDidChangeVisibility(({ visible }) => this.onVisibilityChange(visible)));
    this.disposables.add(library.onDidChange(() => this.refreshChangedRows()));
    this.disposables.add(vscode.workspace.onDidChangeWorkspaceFolders(() => void this.updateFolders()));
    this.disposables.add({ dispose: () => this.libraryPolling?.dispose() });
    this.disposables.add({ dispose: () => this.midnightTimer?.dispose() });
    this.scheduleMidnightRefresh();
    this.updateFilterKeysAndMessage();
    if (view.visible) this.onVisibilityChange(true);
  }

  get filters(): ThreadFilters {
    this.cachedFilters ??= loadFilters(this.deps.memento);
    return this.cachedFilters;
  }

  async setFilters(changes: Partial<ThreadFilters>): Promise<void> {
    this.cachedFilters = { ...this.filters, ...changes };
    this.updateFilterKeysAndMessage();
    this.refreshChangedRows();
    await storeFilters(this.deps.memento, this.cachedFilters);
  }

  /** Refreshes the changed rows. */
  refreshChangedRows(): void {
    if (!this.deps.library.isListed || !this.hasBeenShown) return;
    const next = this.buildTree();
    const changed = findRowsToRefresh(this.threadTree, next);
    this.threadTree = next;
    if (changed === 'all') this.changeEmitter.fire(undefined);
    else if (changed.length > 0) this.changeEmitter.fire([...changed]);
    this.updateMessageAndBadge();
  }

  /** Returns the thread id of a row. Undefined for other rows. */
  threadIdOf(element: unknown): string | undefined {
    const node = typeof element === 'string' ? this.threadTree.nodes.get(element) : undefined;
    return node?.kind === 'thread' ? node.head.id : undefined;
  }

  async getChildren(element?: string): Promise<string[]> {
    if (element !== undefined) return [...(this.threadTree.nodes.get(element)?.children ?? [])];
    if (!this.hasBeenShown) {
      this.hasBeenShown = true;
      const { library, marks, clock, workspaceFolders } = this.deps;
      [this.workspaceFolders] = await Promise.all([workspaceFolders(), library.waitForFirstList()]);
      marks.startTracking(clock.now());
      this.threadTree = this.buildTree();
      this.updateMessageAndBadge();
    }
    return [...this.threadTree.roots];
  }

  getParent(element: string): string | undefined {
    return this.threadTree.nodes.get(element)?.parent;
  }

  getTreeItem(element: string): vscode.TreeItem {
    const node = this.threadTree.nodes.get(element);
    if (!node) return new vscode.TreeItem('');
    if (node.kind === 'group') return groupItem(node);
    return node.kind === 'problem' ? problemItem(node) : this.threadItem(node);
  }

  handleDrag(source: readonly string[], transfer: vscode.DataTransfer): void {
    const files = source.flatMap((id) => {
      const node = this.threadTree.nodes.get(id);
      return node?.kind === 'thread' && node.head.path !== undefined
        ? [vscode.Uri.file(node.head.path).toString()]
        : [];
    });
    if (files.length > 0) transfer.set('text/uri-list', new vscode.DataTransferItem(files.join('\r\n')));
  }

  async handleDrop(_target: string | undefined, transfer: vscode.DataTransfer): Promise<void> {
    const list = (await transfer.get('text/uri-list')?.asString()) ?? '';
    const lines = list.split(/\r?\n/).filter((line) => line !== '' && !line.startsWith('#'));
    const listedPaths = new Set(this.deps.library.heads.map(({ path }) => path));
    const newFiles = lines.map((line) => vscode.Uri.parse(line)).filter(({ fsPath }) => !listedPaths.has(fsPath));
    if (newFiles.length > 0) this.deps.onDidDropFiles(newFiles);
  }

  dispose(): void {
    this.disposables.dispose();
  }

  private buildTree(): ThreadTree {
    const { library, marks, clock } = this.deps;
    const { filters, workspaceFolders } = this;
    const nowMs = clock.now();
    const { isUnread } = marks;
    return buildThreadTree(library.heads, {
      filters,
      folders: workspaceFolders,
      nowMs,
      isUnread,
      problems: library.sourceProblems,
    });
  }

  private threadItem(node: ThreadNode): vscode.TreeItem {
    const { head, children } = node;
    const row = threadRow(node, this.deps.clock.now());
    const item = new vscode.TreeItem(row.label, collapsible(children.length, false));
    item.id = node.id;
    item.description = row.description;
    item.tooltip = new vscode.MarkdownString(row.tooltip, true);
    item.iconPath = new vscode.ThemeIcon(row.icon, iconColor(row));
    item.resourceUri = this.deps.decorations.uriOf(head.id, row.state);
    item.accessibilityInformation = { label: row.accessibleLabel };
    item.contextValue = contextValueOf(node);
    item.command = { command: commandIds.threadsOpen, title: 'Open', arguments: [head.id] };
    return item;
  }

  private onVisibilityChange(isVisible: boolean): void {
    this.libraryPolling?.dispose();
    this.libraryPolling = isVisible ? this.deps.library.keepUpToDate() : undefined;
  }

  /** Refreshes all rows at midnight, because their groups and times depend on the current day. */
  private scheduleMidnightRefresh(): void {
    const { clock } = this.deps;
    const nowMs = clock.now();
    this.midnightTimer = clock.setTimer(nextMidnight(nowMs) - nowMs, () => {
      this.refreshChangedRows();
      this.changeEmitter.fire(undefined);
      this.scheduleMidnightRefresh();
    });
  }

  private async updateFolders(): Promise<void> {
    this.workspaceFolders = await this.deps.workspaceFolders();
    this.refreshChangedRows();
  }

  private updateFilterKeysAndMessage(): void {
    const { filters } = this;
    setFilterContextKeys(filters);
    this.updateMessageAndBadge();
  }

  /** Updates the message and the badge of the view. */
  private updateMessageAndBadge(): void {
    if (!this.view) return;
    const { library } = this.deps;
    // In a list with rows, problems have their own rows.
    const isEmpty = this.threadTree.roots.length === 0;
    const problems = isEmpty ? library.sourceProblems.map(problemLine) : [];
    // Filters are not shown in the description, because VS Code hides it while the view is the only one in its
    // container.
    const filters = describeFilters(this.filters).join(', ');
    this.view.message = [...(filters === '' ? [] : [`Filter: ${filters}`]), ...problems].join('\n');
    const unread = [...this.threadTree.nodes.values()].flatMap((node) =>
      node.kind === 'thread' && node.isUnread ? [displayTitle(node.head)] : [],
    );
    const tooltip =
      unread.length === 1 ? `New messages in "${unread[0] ?? ''}"` : `New messages in ${unread.length} threads`;
    this.view.badge = unread.length === 0 ? undefined : { value: unread.length, tooltip };
  }
}

function groupItem({ id, label, description, children, isExpanded }: GroupNode): vscode.TreeItem {
  const item = new vscode.TreeItem(showHiddenCharacters(label), collapsible(children.length, isExpanded));
  item.id = id;
  if (description !== undefined) item.description = showHiddenCharacters(description);
  item.contextValue = 'group';
  return item;
}

function problemLine({ title, summary }: SourceProblem): string {
  return `${title}: ${summary}`;
}

/** Returns a row with a short text. The tooltip and the command show details. */
function problemItem({ id, problem }: ProblemNode): vscode.TreeItem {
  const item = new vscode.TreeItem(problem.title);
  item.id = id;
  item.description = problem.summary;
  item.tooltip = showHiddenCharacters(problem.message);
  item.iconPath = new vscode.ThemeIcon('info', new vscode.ThemeColor('descriptionForeground'));
  item.accessibilityInformation = { label: `${problemLine(problem)}. ${problem.message}` };
  item.contextValue = 'problem';
  item.command = { command: commandIds.showStatus, title: 'Show Status' };
  return item;
}

function collapsible(childCount: number, isExpanded: boolean): vscode.TreeItemCollapsibleState {
  if (childCount === 0) return vscode.TreeItemCollapsibleState.None;
  return isExpanded ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.Collapsed;
}

/** Returns the value that `when` clauses of menus in package.json compare. */
function contextValueOf({ head }: ThreadNode): string {
  const hasFile = head.path !== undefined;
  return [head.problem === undefined ? 'thread' : 'broken', ...(hasFile ? ['file'] : []), head.source].join(' ');
}

function iconColor({ state, icon }: ThreadRow): vscode.ThemeColor | undefined {
  if (state === 'attention' || state === 'waiting') return new vscode.ThemeColor('list.warningForeground');
  if (state === 'unread') return new vscode.ThemeColor('charts.blue');
  return icon === 'error' ? new vscode.ThemeColor('list.errorForeground') : undefined;
}
