/** Changes nodes of the page to the wanted ones. Equal nodes stay, so that selection, focus and hover are kept. */

/**
 * Replaces the children of `parent`, starting at `first`, with the children of `wanted`, which is then empty. If
 * `first` is null, appends them.
 */
export function morphChildren(parent: Node, first: ChildNode | null, wanted: Node): void {
  let live = first;
  let next = wanted.firstChild;
  while (next) {
    const node = next;
    next = node.nextSibling;
    if (!live) {
      parent.appendChild(node);
      continue;
    }
    const after: ChildNode | null = live.nextSibling;
    if (!morphNode(live, node)) live.replaceWith(node);
    live = after;
  }
  while (live) {
    const after: ChildNode | null = live.nextSibling;
    live.remove();
    live = after;
  }
}

function morphNode(live: Node, wanted: Node): boolean {
  if (live instanceof Text && wanted instanceof Text) {
    morphText(live, wanted.data);
    return true;
  }
  if (!(live instanceof Element) || !(wanted instanceof Element) || live.nodeName !== wanted.nodeName) return false;
  // The page's CSP ignores a style attribute that is set by name. The wanted node has its style, so it takes this one's place.
  if (live.getAttribute('style') !== wanted.getAttribute('style')) return false;
  morphAttributes(live, wanted);
  morphChildren(live, live.firstChild, wanted);
  return true;
}

function morphText(live: Text, wanted: string): void {
  if (live.data === wanted) return;
  // Appending to a text node keeps selections in it.
  if (wanted.startsWith(live.data)) live.appendData(wanted.slice(live.length));
  else live.data = wanted;
}

function morphAttributes(live: Element, wanted: Element): void {
  for (const { name } of [...live.attributes]) if (!wanted.hasAttribute(name)) live.removeAttribute(name);
  for (const { name, value } of wanted.attributes)
    if (live.getAttribute(name) !== value) live.setAttribute(name, value);
}
