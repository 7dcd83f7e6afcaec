/**
 * Characters that cannot be seen but change what is read: the order of the text around them, or what a word is. They are
 * shown by their code point. The character itself is no longer in the text of the element; `textWithHidden` has it.
 */

/** Joiners are part of emoji and of scripts; between ASCII they only hide. Tags after a black flag make it a country's. */
const hidden =
  /(?![\t\n\r\u200c\u200d\ufe00-\ufe0f]|(?<=\u{1f3f4}[\u{e0020}-\u{e007e}]{0,8})[\u{e0020}-\u{e007f}])[\p{Cc}\p{DI}\u2028\u2029]|(?<![^\p{ASCII}])[\u200c\u200d]/u;
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
  for (const text of found) {
    text.replaceWith(...piecesOf(text.data).map((piece) => (typeof piece === 'string' ? piece : markOf(piece))));
  }
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

interface HiddenCharacter {
  /** For example `U+202E`. */
  readonly code: string;
  readonly title: string;
}

/** What stands between hidden characters, and those, in their order. */
export function piecesOf(text: string): (string | HiddenCharacter)[] {
  const pieces: (string | HiddenCharacter)[] = [];
  let shownTo = 0;
  for (const { 0: character, index } of text.matchAll(everyHidden)) {
    const code = codePointOf(character);
    pieces.push(text.slice(shownTo, index), { code, title: `An invisible character, ${code}` });
    shownTo = index + character.length;
  }
  return [...pieces, text.slice(shownTo)].filter((piece) => piece !== '');
}

/** The style sheet shows the attribute. */
function markOf({ code, title }: HiddenCharacter): Element {
  const mark = document.createElement('span');
  mark.className = 'md-hidden-character';
  mark.setAttribute(attribute, code);
  mark.title = title;
  return mark;
}

function codePointOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

function characterOf(code: string): string {
  return String.fromCodePoint(Number.parseInt(code.slice(2), 16));
}
