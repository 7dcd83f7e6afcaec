/** Focuses the item of the tree that Tab goes to. Returns whether there is one. */
export function focusActiveItem(): boolean {
  const item = document.querySelector('.tree-item[tabindex="0"]');
  if (!(item instanceof HTMLElement)) return false;
  item.focus();
  return true;
}
