import * as vscode from 'vscode';
import { countOf } from '../../base/common/countOf';
import { DisposableStore, type Disposable } from '../../base/common/disposable';
import { commandIds } from '../../manifest';
import type { ContextItem } from '../common/items/contextItem';
import { ItemList } from '../common/items/itemList';
import type { DocumentFeed } from './documentFeed';

/** Controls the button in the editor title. */
const contextKey = 'backline.context.wholeFileItems';
const maxNamed = 10;

/** Shows the number of items of the active file in the status bar, and a button in the editor title. */
export class ItemCount implements Disposable {
  private readonly store = new DisposableStore();
  private readonly entry = this.store.add(
    vscode.window.createStatusBarItem('backline.context', vscode.StatusBarAlignment.Right, 99),
  );
  private lastWholeFile = 0;

  constructor(private readonly feed: Pick<DocumentFeed, 'peek' | 'onDidUpdate'>) {}

  start(): void {
    this.entry.name = 'Backline Context Items';
    this.entry.command = commandIds.contextShowItems;
    this.store.add(vscode.window.onDidChangeActiveTextEditor(() => this.render()));
    this.store.add(
      this.feed.onDidUpdate((document) => {
        if (document === vscode.window.activeTextEditor?.document) this.render();
      }),
    );
    this.render();
  }

  dispose(): void {
    this.setKey(0);
    this.store.dispose();
  }

  private render(): void {
    const document = vscode.window.activeTextEditor?.document;
    const items = (document && this.feed.peek(document)?.items) ?? ItemList.empty;
    const wholeFile = items.ofWholeFile();
    this.setKey(wholeFile.length);
    if (items.length === 0) {
      this.entry.hide();
      return;
    }
    this.entry.text = `$(references) ${items.length}`;
    this.entry.tooltip = tooltipOf(items, wholeFile);
    const label = countOf(items.length, 'context item');
    this.entry.accessibilityInformation = { label, role: 'button' };
    this.entry.show();
  }

  private setKey(count: number): void {
    if (count === this.lastWholeFile) return;
    this.lastWholeFile = count;
    void vscode.commands.executeCommand('setContext', contextKey, count);
  }
}

function tooltipOf(items: ItemList, wholeFile: readonly ContextItem[]): vscode.MarkdownString {
  const markdown = new vscode.MarkdownString(countOf(items.length, 'context item'));
  for (const { title, provider } of wholeFile.slice(0, maxNamed))
    markdown.appendMarkdown('\n\n').appendText(`${title} (${provider.title})`);
  return markdown;
}
