import * as vscode from 'vscode';

/** VS Code is busy then, or shows no list at all. */
const patienceMs = 2000;

interface Given {
  /** What it was asked to highlight, the last one last. */
  readonly asked: vscode.QuickPickItem[];
  readonly timer: NodeJS.Timeout;
}

/**
 * The items of an open pick, which are given anew as more becomes known. What the user has moved to stays highlighted, if it
 * is still among them. Dispose it.
 *
 * VS Code highlights the first row of a new list and then what it was asked to, and tells both some time after, by the place
 * of the row: a move of the user that was under way when the list changed names the row that has that place now. So each
 * list is given only when the one before is settled, and what can only be such a move is looked up in the list before.
 */
export class LiveItems<Item extends vscode.QuickPickItem> implements vscode.Disposable {
  private items: readonly Item[] = [];
  private before: readonly Item[] = [];
  private highlighted: Item | undefined;
  /** Until VS Code has told of the list. */
  private given: Given | undefined;
  private next: (() => void) | undefined;
  private readonly listener: vscode.Disposable;

  constructor(
    private readonly pick: vscode.QuickPick<Item>,
    private readonly isSame: (one: Item, other: Item) => boolean,
  ) {
    this.listener = pick.onDidChangeActive(([active]) => this.follow(active));
  }

  /** Soon; the last ones win. Without `keepsFirst` a highlight that is at the top stays there, whatever comes there. */
  replace(items: readonly Item[], { keepsFirst = true } = {}): void {
    this.next = () => this.give(items, keepsFirst);
    if (!this.given) this.giveNext();
  }

  /** At once, with the first one highlighted: these have nothing to do with those before. */
  reset(items: readonly Item[]): void {
    this.forget();
    this.highlighted = undefined;
    this.give(items, false);
  }

  dispose(): void {
    this.listener.dispose();
    this.forget();
  }

  private give(items: readonly Item[], keepsFirst: boolean): void {
    const { highlighted, pick } = this;
    const isKept = keepsFirst || highlighted !== this.items.find(isRow);
    const same = isKept ? this.counterpart(highlighted, items) : undefined;
    this.before = this.items;
    this.items = items;
    this.highlighted = same ?? items.find(isRow);
    pick.items = items;
    if (same) pick.activeItems = [same];
    // Of a list without rows nothing is told.
    if (!this.highlighted) return;
    this.stopWaiting();
    this.given = { asked: same ? [same] : [], timer: setTimeout(() => this.settle(), patienceMs) };
  }

  private follow(active: Item | undefined): void {
    const { given, items, pick } = this;
    // While the user filters, any row may be the first.
    const isFiltered = pick.value !== '';
    if (!given || (isFiltered && given.asked.length === 0)) {
      this.highlighted = active;
      this.settle();
      return;
    }
    const isTop = active === items.find(isRow);
    if (given.asked.length === 0 ? isTop : active === given.asked.at(-1)) this.settle();
    else if (active && !isTop && !isFiltered && !given.asked.includes(active)) this.moveOn(given, active);
  }

  /** The row is that of the list before which had its place. */
  private moveOn({ asked }: Given, row: Item): void {
    const moved = this.counterpart(this.before[this.items.indexOf(row)], this.items);
    if (!moved) return;
    asked.push(moved);
    this.highlighted = moved;
    this.pick.activeItems = [moved];
  }

  private counterpart(item: Item | undefined, items: readonly Item[]): Item | undefined {
    return item && isRow(item) ? items.find((other) => isRow(other) && this.isSame(other, item)) : undefined;
  }

  private settle(): void {
    this.stopWaiting();
    this.giveNext();
  }

  private giveNext(): void {
    const { next } = this;
    this.next = undefined;
    next?.();
  }

  private forget(): void {
    this.stopWaiting();
    this.next = undefined;
  }

  private stopWaiting(): void {
    clearTimeout(this.given?.timer);
    this.given = undefined;
  }
}

function isRow({ kind }: vscode.QuickPickItem): boolean {
  return kind !== vscode.QuickPickItemKind.Separator;
}
