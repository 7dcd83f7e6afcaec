import {
  hasHiddenCharacters,
  splitAtHiddenCharacters,
  type HiddenCharacter,
} from '../../../base/common/text/hiddenCharacters';

const codeAttribute = 'data-character';

/** Replaces hidden characters in the DOM with marks. `originalTextOf` returns the original text. */
export function markHiddenCharacters(root: Node): void {
  if (!hasHiddenCharacters(root.textContent ?? '')) return;
  const walker = root.ownerDocument?.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const found: Text[] = [];
  while (walker?.nextNode()) {
    const { currentNode } = walker;
    if (currentNode instanceof Text && hasHiddenCharacters(currentNode.data)) found.push(currentNode);
  }
  for (const text of found) {
    text.replaceWith(
      ...splitAtHiddenCharacters(text.data).map((piece) => (typeof piece === 'string' ? piece : createMark(piece))),
    );
  }
}

export function originalTextOf(root: Node): string {
  if (root instanceof Element && root.hasAttribute(codeAttribute))
    return decodeCharacters(root.getAttribute(codeAttribute) ?? '');
  if (root instanceof Text) return root.data;
  return Array.from(root.childNodes, originalTextOf).join('');
}

/** Creates a mark. The style sheet shows its attribute. */
function createMark({ codePoint: code, title }: HiddenCharacter): Element {
  const mark = document.createElement('span');
  mark.className = 'md-hidden-character';
  mark.setAttribute(codeAttribute, code);
  mark.title = title;
  return mark;
}

function decodeCharacters(code: string): string {
  const [, point = '0', count = '1'] = /^U\+([\dA-F]+)(?: ×(\d+))?$/.exec(code) ?? [];
  return String.fromCodePoint(Number.parseInt(point, 16)).repeat(Number(count));
}
