import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/common/disposable';
import type { ThreadsView } from './threadsView';

/** Registers the view of the threads list. The code for its rows is loaded when the view is first shown. */
export class LazyTree implements Disposable, vscode.TreeDataProvider<string>, vscode.TreeDragAndDropController<string> {
  readonly dropMimeTypes = ['text/uri-list'];
  readonly dragMimeTypes = ['text/uri-list'];
  private readonly disposables = new DisposableStore();
  private readonly changeEmitter = this.disposables.add(new vscode.EventEmitter<string[] | undefined>());
  readonly onDidChangeTreeData = this.changeEmitter.event;
  private view: vscode.TreeView<string> | undefined;
  private loadedView: ThreadsView | undefined;

  constructor(
    private readonly viewId: string,
    private readonly loadThreadsView: () => Promise<ThreadsView>,
  ) {}

  start(): void {
    const options = { treeDataProvider: this, dragAndDropController: this, showCollapseAll: true };
    this.view = this.disposables.add(vscode.window.createTreeView(this.viewId, options));
  }

  async getChildren(element?: string): Promise<string[]> {
    return await (await this.loadAndStartView()).getChildren(element);
  }

  async getParent(element: string): Promise<string | undefined> {
    return (await this.loadAndStartView()).getParent(element);
  }

  async getTreeItem(element: string): Promise<vscode.TreeItem> {
    return (await this.loadAndStartView()).getTreeItem(element);
  }

  async handleDrag(source: readonly string[], transfer: vscode.DataTransfer): Promise<void> {
    (await this.loadAndStartView()).handleDrag(source, transfer);
  }

  async handleDrop(target: string | undefined, transfer: vscode.DataTransfer): Promise<void> {
    await (await this.loadAndStartView()).handleDrop(target, transfer);
  }

  dispose(): void {
    this.disposables.dispose();
  }

  private async loadAndStartView(): Promise<ThreadsView> {
    const loaded = await this.loadThreadsView();
    if (this.view && this.loadedView !== loaded) {
      this.loadedView = loaded;
      this.disposables.add(loaded.onDidChangeTreeData((ids) => this.changeEmitter.fire(ids)));
      loaded.start(this.view);
    }
    return loaded;
  }
}
