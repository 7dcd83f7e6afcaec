import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/common/disposable';
import type { ThreadsView } from './threadsView';

/** The list of threads as VS Code knows it from the start. Who knows its rows is loaded when they are first looked at. */
export class LazyTree implements Disposable, vscode.TreeDataProvider<string>, vscode.TreeDragAndDropController<string> {
  readonly dropMimeTypes = ['text/uri-list'];
  readonly dragMimeTypes = ['text/uri-list'];
  private readonly store = new DisposableStore();
  private readonly changes = this.store.add(new vscode.EventEmitter<string[] | undefined>());
  readonly onDidChangeTreeData = this.changes.event;
  private view: vscode.TreeView<string> | undefined;
  private joined: ThreadsView | undefined;

  constructor(
    private readonly viewId: string,
    private readonly load: () => Promise<ThreadsView>,
  ) {}

  start(): void {
    const options = { treeDataProvider: this, dragAndDropController: this, showCollapseAll: true };
    this.view = this.store.add(vscode.window.createTreeView(this.viewId, options));
  }

  async getChildren(element?: string): Promise<string[]> {
    return await (await this.rows()).getChildren(element);
  }

  async getParent(element: string): Promise<string | undefined> {
    return (await this.rows()).getParent(element);
  }

  async getTreeItem(element: string): Promise<vscode.TreeItem> {
    return (await this.rows()).getTreeItem(element);
  }

  async handleDrag(source: readonly string[], transfer: vscode.DataTransfer): Promise<void> {
    (await this.rows()).handleDrag(source, transfer);
  }

  async handleDrop(target: string | undefined, transfer: vscode.DataTransfer): Promise<void> {
    await (await this.rows()).handleDrop(target, transfer);
  }

  dispose(): void {
    this.store.dispose();
  }

  private async rows(): Promise<ThreadsView> {
    const rows = await this.load();
    if (this.view && this.joined !== rows) {
      this.joined = rows;
      this.store.add(rows.onDidChangeTreeData((ids) => this.changes.fire(ids)));
      rows.start(this.view);
    }
    return rows;
  }
}
