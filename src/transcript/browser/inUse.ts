/** Whether the reader has the focus or a selection in an element: it is not to be taken from under them. */
export function isInUse(element: Element): boolean {
  if (element.contains(document.activeElement)) return true;
  const selection = getSelection();
  if (selection === null || selection.isCollapsed) return false;
  return selection.containsNode(element, true);
}
