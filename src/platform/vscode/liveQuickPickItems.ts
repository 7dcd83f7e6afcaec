import * as vscode from 'vscode';
import { DisposableStore } from '../../base/common/disposable';

/** Maximum time to wait for VS Code's event, in milliseconds. VS Code does not fire it for a hidden list. */
const settleTimeoutMs = 2000;

/** A list that an event of VS Code has not confirmed yet. */
interface PendingList {
  /** The items that VS Code was asked to highlight, in this order. */
  readonly requested: vscode.QuickPickItem[];
  readonly timer: NodeJS.Timeout;
}

/**
 * Updates the items of an open quick pick. If the highlighted item is still in the list, it stays highlighted. After a
 * new list, VS Code highlights the first row and then the requested row. Later, it reports both by row index. If the
 * user moves in the meantime, the event refers to the row at the old index in the new list. Therefore, each list is
 * applied only after the previous one was confirmed, and an unexpected row is looked up in the list that VS Code has shown.
 * The same holds for the row that the user chooses.
 */
export class LiveQuickPickItems<Item extends vscode.QuickPickItem> implements vscode.Disposable {
  private items: readonly Item[] = [];
  /** The newest list that VS Code has certainly received. */
  private receivedItems: readonly Item[] = [];
  private highlightedItem: Item | undefined;
  private selectedItem: Item | undefined;
  private unconfirmedList: PendingList | undefined;
  private nextUpdate: (() => void) | undefined;
  private readonly disposables = new DisposableStore();

  constructor(
    private readonly quickPick: vscode.QuickPick<Item>,
    private readonly isSame: (one: Item, other: Item) => boolean,
  ) {
    this.disposables.add(quickPick.onDidChangeActive(([active]) => this.onActiveChanged(active)));
    this.disposables.add(
      quickPick.onDidChangeSelection(([selected]) => {
        this.selectedItem = selected && this.seenAs(selected);
      }),
    );
  }

  /** Calls the listener with the item that the user saw in the row and accepted, until this object is disposed. */
  onDidAccept(listener: (item: Item) => void): void {
    this.disposables.add(
      this.quickPick.onDidAccept(() => {
        if (this.selectedItem) listener(this.selectedItem);
      }),
    );
  }

  /** Returns the item that the user saw in the row for which VS Code reports this item. */
  seenAs(reportedItem: Item): Item | undefined {
    return this.receivedItems[this.items.indexOf(reportedItem)];
  }

  /** Updates the items, if needed later. Without `keepsHighlightOnFirstItem`, a highlight in the first row stays in that row. */
  replace(items: readonly Item[], { keepsHighlightOnFirstItem = true } = {}): void {
    this.nextUpdate = () => this.applyItems(items, keepsHighlightOnFirstItem);
    if (!this.unconfirmedList) this.applyNext();
  }

  /** Replaces the items immediately, and highlights the first one. */
  replaceAndHighlightFirst(items: readonly Item[]): void {
    this.cancelPendingUpdate();
    this.highlightedItem = undefined;
    this.applyItems(items, false);
  }

  dispose(): void {
    this.disposables.dispose();
    this.cancelPendingUpdate();
  }

  private applyItems(items: readonly Item[], keepsHighlightOfFirstItem: boolean): void {
    const { highlightedItem: highlighted, quickPick } = this;
    const isKept = keepsHighlightOfFirstItem || highlighted !== this.items.find(isRow);
    const same = isKept ? this.findSame(highlighted, items) : undefined;
    this.items = items;
    // In an empty list, nobody can choose anything.
    if (this.receivedItems.length === 0) this.receivedItems = items;
    this.highlightedItem = same ?? items.find(isRow);
    quickPick.items = items;
    if (same) quickPick.activeItems = [same];
    this.noteWhenReceived(items);
    // VS Code fires no event for a list without rows.
    if (!this.highlightedItem) return;
    this.forgetUnconfirmedList();
    this.unconfirmedList = {
      requested: same ? [same] : [],
      timer: setTimeout(() => this.onListConfirmed(), settleTimeoutMs),
    };
  }

  private onActiveChanged(active: Item | undefined): void {
    const { unconfirmedList, items, quickPick } = this;
    // With a filter, the first visible row can be any row of the list.
    const isFiltered = quickPick.value !== '';
    if (!unconfirmedList || (isFiltered && unconfirmedList.requested.length === 0)) {
      this.highlightedItem = active;
      this.onListConfirmed();
      return;
    }
    const isTop = active === items.find(isRow);
    if (unconfirmedList.requested.length === 0 ? isTop : active === unconfirmedList.requested.at(-1))
      this.onListConfirmed();
    else if (active && !isTop && !isFiltered && !unconfirmedList.requested.includes(active))
      this.correctHighlightAfterMove(unconfirmedList, active);
  }

  /** Highlights the item that was at this row's index in the previous list. */
  private correctHighlightAfterMove({ requested }: PendingList, reportedItem: Item): void {
    const moved = this.findSame(this.seenAs(reportedItem), this.items);
    if (!moved) return;
    requested.push(moved);
    this.highlightedItem = moved;
    this.quickPick.activeItems = [moved];
  }

  /** VS Code's window handles messages in their order, and what it reports arrives in its order. */
  private noteWhenReceived(items: readonly Item[]): void {
    const onReceived = (): void => {
      this.receivedItems = items;
    };
    // VS Code sends the list in a timer that was started before this one. It answers this question at once, while it may wait
    // for other extensions before it runs a command.
    setTimeout(() => {
      vscode.commands.getCommands().then(onReceived, onReceived);
    }, 0);
  }

  private findSame(item: Item | undefined, items: readonly Item[]): Item | undefined {
    return item && isRow(item) ? items.find((other) => isRow(other) && this.isSame(other, item)) : undefined;
  }

  private onListConfirmed(): void {
    this.forgetUnconfirmedList();
    this.applyNext();
  }

  private applyNext(): void {
    const { nextUpdate } = this;
    this.nextUpdate = undefined;
    nextUpdate?.();
  }

  private cancelPendingUpdate(): void {
    this.forgetUnconfirmedList();
    this.nextUpdate = undefined;
  }

  private forgetUnconfirmedList(): void {
    clearTimeout(this.unconfirmedList?.timer);
    this.unconfirmedList = undefined;
  }
}

function isRow({ kind }: vscode.QuickPickItem): boolean {
  return kind !== vscode.QuickPickItemKind.Separator;
}
