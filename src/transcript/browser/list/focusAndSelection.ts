export function hasFocus(element: Element): boolean {
  return element.contains(document.activeElement);
}

/** Entries that are farther from the screen than this may be unloaded. */
const maxScreensAway = 3;

/** Whether an entry far from the screen has the focus or an end of the selection, which would be lost without the entry. */
export function isFarEntryInUse(scroller: Element): boolean {
  const selection = getSelection();
  const { top, bottom, height } = scroller.getBoundingClientRect();
  const ends = selection?.isCollapsed === false ? [selection.anchorNode, selection.focusNode] : [];
  return [document.activeElement, ...ends].some((node) => {
    const entry = node && scroller.contains(node) ? entryOf(node) : undefined;
    if (!entry) return false;
    const place = entry.getBoundingClientRect();
    return place.bottom < top - maxScreensAway * height || place.top > bottom + maxScreensAway * height;
  });
}

function entryOf(node: Node): Element | null | undefined {
  return (node instanceof Element ? node : node.parentElement)?.closest('.entry');
}

/** Whether any part of the selection is inside the element. */
export function hasSelection(element: Element): boolean {
  const selection = getSelection();
  return selection !== null && !selection.isCollapsed && selection.containsNode(element, true);
}
