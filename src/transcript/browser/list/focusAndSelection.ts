export function hasFocus(element: Element): boolean {
  return element.contains(document.activeElement);
}

/** Entries that are farther from the screen than this may be unloaded. */
const maxScreensAway = 3;

/** Whether an entry far from the screen has the focus or an end of the selection, which would be lost without the entry. */
export function isFarEntryInUse(scroller: Element): boolean {
  const { top, bottom, height } = scroller.getBoundingClientRect();
  return nodesInUse().some((node) => {
    const entry = scroller.contains(node) ? entryOf(node) : null;
    if (!entry) return false;
    const place = entry.getBoundingClientRect();
    return place.bottom < top - maxScreensAway * height || place.top > bottom + maxScreensAway * height;
  });
}

/** The ids of the entries that have the focus or an end of the selection, and of the calls that contain these. */
export function entryIdsInUse(): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const node of nodesInUse()) {
    for (let at = entryOf(node); at; at = at.parentElement && entryOf(at.parentElement)) {
      if (at.dataset['entry'] !== undefined) ids.add(at.dataset['entry']);
    }
  }
  return ids;
}

function nodesInUse(): Node[] {
  const selection = getSelection();
  const ends = selection?.isCollapsed === false ? [selection.anchorNode, selection.focusNode] : [];
  return [document.activeElement, ...ends].filter((node) => node !== null);
}

/** Shows an entry that is folded into a run, as the browser's own find does. */
export function unfold(element: Element | null | undefined): void {
  const folded = element?.closest('.entry[hidden]');
  folded?.dispatchEvent(new Event('beforematch'));
  folded?.removeAttribute('hidden');
}

function entryOf(node: Node): HTMLElement | null {
  return (node instanceof Element ? node : node.parentElement)?.closest<HTMLElement>('.entry') ?? null;
}

/** Whether any part of the selection is inside the element. */
export function hasSelection(element: Element): boolean {
  const selection = getSelection();
  return selection !== null && !selection.isCollapsed && selection.containsNode(element, true);
}
