import type * as vscode from 'vscode';

/** Gives an open pick other items. What the user has moved to stays chosen, if `isSame` finds it among them. */
export function replaceItems<Item extends vscode.QuickPickItem>(
  pick: vscode.QuickPick<Item>,
  items: readonly Item[],
  isSame: (one: Item, other: Item) => boolean,
): void {
  const [active] = pick.activeItems;
  pick.items = items;
  const same = active && items.find((item) => isSame(item, active));
  if (same) pick.activeItems = [same];
}
