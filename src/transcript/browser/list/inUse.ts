/** What the reader has in hand is not taken from under them. */

export function hasFocus(element: Element): boolean {
  return element.contains(document.activeElement);
}

/** Also when only a part of the selection lies in it. */
export function hasSelection(element: Element): boolean {
  const selection = getSelection();
  return selection !== null && !selection.isCollapsed && selection.containsNode(element, true);
}
