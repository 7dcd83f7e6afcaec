import * as vscode from 'vscode';

/** Limit for waiting for VS Code's event, which does not come if the list is hidden. */
const settleTimeoutMs = 2000;

/** A list that VS Code has not confirmed with an event yet. */
interface PendingList {
  /** Items that we asked VS Code to highlight, the latest last. */
  readonly requested: vscode.QuickPickItem[];
  readonly timer: NodeJS.Timeout;
}

/**
 * Updates the items of an open quick pick and keeps the highlighted item if it is still in the list.
 *
 * After a new list, VS Code highlights the first row, then the requested one, and reports both later by row index. If the user
 * moves meanwhile, the event refers to the row at the old index in the new list. Therefore, each list is applied only after
 * the previous one is confirmed, and an unexpected row is looked up in the previous list.
 */
export class LiveItems<Item extends vscode.QuickPickItem> implements vscode.Disposable {
  private items: readonly Item[] = [];
  private previousItems: readonly Item[] = [];
  private highlighted: Item | undefined;
  private pending: PendingList | undefined;
  private next: (() => void) | undefined;
  private readonly listener: vscode.Disposable;

  constructor(
    private readonly pick: vscode.QuickPick<Item>,
    private readonly isSame: (one: Item, other: Item) => boolean,
  ) {
    this.listener = pick.onDidChangeActive(([active]) => this.onActiveChanged(active));
  }

  /** Updates the items, with a delay if needed. Without `keepsFirst`, a highlighted first row stays first. */
  replace(items: readonly Item[], { keepsFirst = true } = {}): void {
    this.next = () => this.apply(items, keepsFirst);
    if (!this.pending) this.applyNext();
  }

  /** Replaces the items immediately and highlights the first one. */
  reset(items: readonly Item[]): void {
    this.cancelPending();
    this.highlighted = undefined;
    this.apply(items, false);
  }

  dispose(): void {
    this.listener.dispose();
    this.cancelPending();
  }

  private apply(items: readonly Item[], keepsFirst: boolean): void {
    const { highlighted, pick } = this;
    const isKept = keepsFirst || highlighted !== this.items.find(isRow);
    const same = isKept ? this.counterpart(highlighted, items) : undefined;
    this.previousItems = this.items;
    this.items = items;
    this.highlighted = same ?? items.find(isRow);
    pick.items = items;
    if (same) pick.activeItems = [same];
    // VS Code reports nothing for a list without rows.
    if (!this.highlighted) return;
    this.stopWaiting();
    this.pending = { requested: same ? [same] : [], timer: setTimeout(() => this.settle(), settleTimeoutMs) };
  }

  private onActiveChanged(active: Item | undefined): void {
    const { pending, items, pick } = this;
    // With a filter, any row can be the first visible one.
    const isFiltered = pick.value !== '';
    if (!pending || (isFiltered && pending.requested.length === 0)) {
      this.highlighted = active;
      this.settle();
      return;
    }
    const isTop = active === items.find(isRow);
    if (pending.requested.length === 0 ? isTop : active === pending.requested.at(-1)) this.settle();
    else if (active && !isTop && !isFiltered && !pending.requested.includes(active)) this.restoreMove(pending, active);
  }

  /** Highlights the item that had this row's index in the previous list. */
  private restoreMove({ requested }: PendingList, row: Item): void {
    const moved = this.counterpart(this.previousItems[this.items.indexOf(row)], this.items);
    if (!moved) return;
    requested.push(moved);
    this.highlighted = moved;
    this.pick.activeItems = [moved];
  }

  private counterpart(item: Item | undefined, items: readonly Item[]): Item | undefined {
    return item && isRow(item) ? items.find((other) => isRow(other) && this.isSame(other, item)) : undefined;
  }

  private settle(): void {
    this.stopWaiting();
    this.applyNext();
  }

  private applyNext(): void {
    const { next } = this;
    this.next = undefined;
    next?.();
  }

  private cancelPending(): void {
    this.stopWaiting();
    this.next = undefined;
  }

  private stopWaiting(): void {
    clearTimeout(this.pending?.timer);
    this.pending = undefined;
  }
}

function isRow({ kind }: vscode.QuickPickItem): boolean {
  return kind !== vscode.QuickPickItemKind.Separator;
}
