import type * as vscode from 'vscode';

/** VS Code is busy then, or shows no list at all. */
const patienceMs = 2000;

/**
 * The items of an open pick, which are given anew as more becomes known. What the user has moved to stays highlighted, if it
 * is still among them. Dispose it.
 *
 * VS Code names rows by their place, highlights the first of a new list and then what it was asked to, and says both some time
 * after. What it says of one list must not be taken for another, so each list is given only when the one before is settled.
 */
export class LiveItems<Item extends vscode.QuickPickItem> implements vscode.Disposable {
  /** What VS Code was asked to highlight and has not said yet that it does. */
  private asked: { readonly item: Item; readonly timer: NodeJS.Timeout } | undefined;
  private next: (() => void) | undefined;
  private readonly listener: vscode.Disposable;

  constructor(
    private readonly pick: vscode.QuickPick<Item>,
    private readonly isSame: (one: Item, other: Item) => boolean,
  ) {
    this.listener = pick.onDidChangeActive(([active]) => {
      if (active && this.asked && isSame(active, this.asked.item)) this.settle();
    });
  }

  /** Soon; the last ones win. Without `keepsFirst` a highlight that is at the top stays there, whatever comes there. */
  replace(items: readonly Item[], { keepsFirst = true } = {}): void {
    this.next = () => this.give(items, keepsFirst);
    if (!this.asked) this.giveNext();
  }

  /** At once, with the first one highlighted: these have nothing to do with those before. */
  reset(items: readonly Item[]): void {
    this.forget();
    this.pick.items = items;
  }

  dispose(): void {
    this.listener.dispose();
    this.forget();
  }

  private give(items: readonly Item[], keepsFirst: boolean): void {
    const { isSame, pick } = this;
    const [active] = pick.activeItems;
    const isKept = active !== undefined && (keepsFirst || active !== pick.items[0]);
    const same = isKept ? items.find((item) => isSame(item, active)) : undefined;
    pick.items = items;
    if (!same) return;
    pick.activeItems = [same];
    this.asked = { item: same, timer: setTimeout(() => this.settle(), patienceMs) };
  }

  private settle(): void {
    this.stopAsking();
    this.giveNext();
  }

  private giveNext(): void {
    const { next } = this;
    this.next = undefined;
    next?.();
  }

  private forget(): void {
    this.stopAsking();
    this.next = undefined;
  }

  private stopAsking(): void {
    clearTimeout(this.asked?.timer);
    this.asked = undefined;
  }
}
