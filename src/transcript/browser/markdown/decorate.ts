/** Adds headers and buttons to code blocks, after the sanitizer and before the nodes are inserted. */
import { splitIntoPieces } from './code/codePieces';
import { showHiddenCharacters } from '../../../base/common/hiddenCharacters';
import type { LinkAndCodeActions } from './linkAndCodeActions';

/** The buttons in the order in which they are shown. Style sheets and listeners use `name`. */
const codeButtons = [
  { name: 'apply', label: 'Apply in Editor', action: 'applyCode' },
  { name: 'insert', label: 'Insert at Cursor', action: 'insertAtCursor' },
  { name: 'open', label: 'Open in New File', action: 'openAsNewFile' },
  { name: 'copy', label: 'Copy', action: 'copy' },
] as const satisfies readonly { name: string; label: string; action: keyof LinkAndCodeActions }[];

/** Size of the pieces in which long plain text is laid out, in UTF-16 units. */
export const maxPlainPieceUnits = 8_192;

export function decorateCodeBlocks(fragment: DocumentFragment, actions: LinkAndCodeActions): void {
  for (const pre of fragment.querySelectorAll('pre')) decorateCode(pre, actions);
}

function decorateCode(pre: HTMLPreElement, actions: LinkAndCodeActions): void {
  const { language = '', path } = pre.dataset;
  const isPlain = pre.classList.contains('md-plain');
  const title = isPlain ? 'Too long to format, shown as plain text' : showHiddenCharacters(path ?? language);
  const block = createElement('div', isPlain ? 'md-code md-plain' : 'md-code');
  if (language !== '') block.dataset['language'] = language;
  if (path !== undefined) block.dataset['path'] = path;
  const head = createElement('div', 'md-code-head');
  head.append(createTitle(title, path), createActions(actions));
  const bare = createElement('pre', '');
  bare.tabIndex = 0;
  bare.role = 'group';
  bare.ariaLabel = title === '' ? 'Code' : `Code, ${title}`;
  pre.replaceWith(block);
  bare.append(...pre.childNodes);
  if (isPlain) splitPlainText(bare);
  else splitCode(bare);
  block.append(head, bare);
}

function splitCode(pre: HTMLElement): void {
  const code = pre.querySelector('code');
  code?.append(...splitIntoPieces(code).pieces);
}

function splitPlainText(pre: HTMLElement): void {
  const code = pre.querySelector('code');
  const text = code?.textContent ?? '';
  const pieces: HTMLElement[] = [];
  for (let at = 0; at < text.length;) {
    const end = at + maxPlainPieceUnits;
    // Does not split a surrogate pair.
    const cut = /[\ud800-\udbff]/.test(text.charAt(end - 1)) ? end - 1 : end;
    const piece = createElement('span', 'md-piece');
    piece.textContent = text.slice(at, cut);
    pieces.push(piece);
    at = cut;
  }
  code?.replaceChildren(...pieces);
}

function createTitle(title: string, path: string | undefined): HTMLElement {
  const shown = createElement(path === undefined ? 'span' : 'a', 'md-code-title');
  shown.textContent = title;
  if (path === undefined) return shown;
  shown.role = 'link';
  shown.tabIndex = 0;
  shown.title = title;
  shown.dataset['target'] = path;
  return shown;
}

function createActions(actions: LinkAndCodeActions): HTMLElement {
  const bar = createElement('span', 'md-actions');
  for (const { name, label, action } of codeButtons) {
    if (!actions[action]) continue;
    const button = createElement('button', `md-action md-action-${name}`);
    button.setAttribute('type', 'button');
    button.dataset['action'] = name;
    button.title = label;
    button.ariaLabel = label;
    bar.append(button);
  }
  return bar;
}

function createElement(tag: 'div' | 'span' | 'a' | 'pre' | 'button', className: string): HTMLElement {
  const made = document.createElement(tag);
  if (className !== '') made.className = className;
  return made;
}
