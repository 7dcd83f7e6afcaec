/**
 * Characters that cannot be seen but change what is read: the order of the text around them, or what a word is. They are
 * shown by their code point. The character itself is no longer in the text of the element; `textWithHidden` has it.
 */

/** Joiners are part of emoji and of scripts; between ASCII they only hide. */
const hidden =
  /[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]|(?<![^\p{ASCII}])[\u200c\u200d]/u;
const everyHidden = new RegExp(hidden, 'gu');
const attribute = 'data-character';

export function showHiddenCharacters(root: Node): void {
  if (!hidden.test(root.textContent ?? '')) return;
  const walker = root.ownerDocument?.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const found: Text[] = [];
  while (walker?.nextNode()) {
    const { currentNode } = walker;
    if (currentNode instanceof Text && hidden.test(currentNode.data)) found.push(currentNode);
  }
  for (const text of found) text.replaceWith(...piecesOf(text.data));
}

/** For titles, which are text only. */
export function namingHiddenCharacters(text: string): string {
  return text.replace(everyHidden, (character) => `[${codePointOf(character)}]`);
}

/** The text of an element as it was written. */
export function textWithHidden(root: Node): string {
  if (root instanceof Element && root.hasAttribute(attribute)) return characterOf(root.getAttribute(attribute) ?? '');
  if (root instanceof Text) return root.data;
  return Array.from(root.childNodes, textWithHidden).join('');
}

function piecesOf(text: string): (string | Element)[] {
  const pieces: (string | Element)[] = [];
  let shownTo = 0;
  for (const { 0: character, index } of text.matchAll(everyHidden)) {
    pieces.push(text.slice(shownTo, index), markOf(character));
    shownTo = index + character.length;
  }
  return [...pieces, text.slice(shownTo)].filter((piece) => piece !== '');
}

/** The style sheet shows the attribute. */
function markOf(character: string): Element {
  const mark = document.createElement('span');
  const code = codePointOf(character);
  mark.className = 'md-hidden-character';
  mark.setAttribute(attribute, code);
  mark.title = `An invisible character, ${code}`;
  return mark;
}

function codePointOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

function characterOf(code: string): string {
  return String.fromCodePoint(Number.parseInt(code.slice(2), 16));
}
