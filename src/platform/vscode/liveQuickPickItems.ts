import * as vscode from 'vscode';

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
 * applied only after the previous one was confirmed, and an unexpected row is looked up in the previous list.
 */
export class LiveQuickPickItems<Item extends vscode.QuickPickItem> implements vscode.Disposable {
  private items: readonly Item[] = [];
  private previousItems: readonly Item[] = [];
  private highlightedItem: Item | undefined;
  private unconfirmedList: PendingList | undefined;
  private nextUpdate: (() => void) | undefined;
  private readonly listener: vscode.Disposable;

  constructor(
    private readonly quickPick: vscode.QuickPick<Item>,
    private readonly isSame: (one: Item, other: Item) => boolean,
  ) {
    this.listener = quickPick.onDidChangeActive(([active]) => this.onActiveChanged(active));
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
    this.listener.dispose();
    this.cancelPendingUpdate();
  }

  private applyItems(items: readonly Item[], keepsHighlightOfFirstItem: boolean): void {
    const { highlightedItem: highlighted, quickPick } = this;
    const isKept = keepsHighlightOfFirstItem || highlighted !== this.items.find(isRow);
    const same = isKept ? this.findSame(highlighted, items) : undefined;
    this.previousItems = this.items;
    this.items = items;
    this.highlightedItem = same ?? items.find(isRow);
    quickPick.items = items;
    if (same) quickPick.activeItems = [same];
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
    const moved = this.findSame(this.previousItems[this.items.indexOf(reportedItem)], this.items);
    if (!moved) return;
    requested.push(moved);
    this.highlightedItem = moved;
    this.quickPick.activeItems = [moved];
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
