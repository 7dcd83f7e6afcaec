export function hasFocus(element: Element): boolean {
  return element.contains(document.activeElement);
}

/** Whether any part of the selection is inside the element. */
export function hasSelection(element: Element): boolean {
  const selection = getSelection();
  return selection !== null && !selection.isCollapsed && selection.containsNode(element, true);
}
