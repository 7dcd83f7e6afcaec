import * as vscode from 'vscode';
import { countWithNoun } from '../../base/common/text/countWithNoun';
import { DisposableStore, type Disposable } from '../../base/common/disposable';
import { commandIds } from '../../manifest';
import type { ContextItem } from '../common/items/contextItem';
import { ItemList } from '../common/items/itemList';
import type { DocumentItemsFeed } from './documentItemsFeed';

/** Context key that shows or hides the button in the editor title. */
const contextKey = 'backline.context.wholeFileItems';
const maxNamed = 10;

/** Shows the number of items of the active file in the status bar. Also controls the button in the editor title. */
export class ItemCountStatus implements Disposable {
  private readonly disposables = new DisposableStore();
  private readonly statusBarItem = this.disposables.add(
    vscode.window.createStatusBarItem('backline.context', vscode.StatusBarAlignment.Right, 99),
  );
  private wholeFileCount = 0;

  constructor(private readonly feed: Pick<DocumentItemsFeed, 'knownItems' | 'onDidUpdate'>) {}

  start(): void {
    this.statusBarItem.name = 'Backline Context Items';
    this.statusBarItem.command = commandIds.contextShowItems;
    this.disposables.add(vscode.window.onDidChangeActiveTextEditor(() => this.render()));
    this.disposables.add(
      this.feed.onDidUpdate((document) => {
        if (document === vscode.window.activeTextEditor?.document) this.render();
      }),
    );
    this.render();
  }

  dispose(): void {
    this.setWholeFileCount(0);
    this.disposables.dispose();
  }

  private render(): void {
    const document = vscode.window.activeTextEditor?.document;
    const items = (document && this.feed.knownItems(document)?.items) ?? ItemList.empty;
    const wholeFile = items.wholeFileItems();
    this.setWholeFileCount(wholeFile.length);
    if (items.length === 0) {
      this.statusBarItem.hide();
      return;
    }
    this.statusBarItem.text = `$(references) ${items.length}`;
    this.statusBarItem.tooltip = tooltipOf(items, wholeFile);
    const label = countWithNoun(items.length, 'context item');
    this.statusBarItem.accessibilityInformation = { label, role: 'button' };
    this.statusBarItem.show();
  }

  private setWholeFileCount(count: number): void {
    if (count === this.wholeFileCount) return;
    this.wholeFileCount = count;
    void vscode.commands.executeCommand('setContext', contextKey, count);
  }
}

function tooltipOf(items: ItemList, wholeFile: readonly ContextItem[]): vscode.MarkdownString {
  const markdown = new vscode.MarkdownString(countWithNoun(items.length, 'context item'));
  for (const { title, provider } of wholeFile.slice(0, maxNamed))
    markdown.appendMarkdown('\n\n').appendText(`${title} (${provider.title})`);
  return markdown;
}
