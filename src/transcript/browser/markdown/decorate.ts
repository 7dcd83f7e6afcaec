/** Adds headers and buttons to code blocks, after the sanitizer and before the nodes are inserted. */
import { splitIntoPieces } from './code/codePieces';
import { showHiddenCharacters } from '../../../base/common/text/hiddenCharacters';
import type { LinkAndCodeActions } from './linkAndCodeActions';

/** The buttons in the order in which they are shown. Style sheets and listeners use `name`. */
const codeButtons = [
  { name: 'apply', label: 'Apply in Editor', action: 'applyCode' },
  { name: 'insert', label: 'Insert at Cursor', action: 'insertAtCursor' },
  { name: 'open', label: 'Open in New File', action: 'openAsNewFile' },
  { name: 'copy', label: 'Copy', action: 'copy' },
] as const satisfies readonly CodeButton[];

/** Amp writes HTML documents into blocks of this language, which its own client shows in a frame. */
const viewLanguage = 'amp-view';
const viewButtons = [
  { name: 'view', label: 'Open in Browser', action: 'openView' },
  { name: 'copy', label: 'Copy', action: 'copy' },
] as const satisfies readonly CodeButton[];
const maxTitleSourceUnits = 32_768;
const maxTitleUnits = 80;

interface CodeButton {
  readonly name: string;
  readonly label: string;
  readonly action: keyof LinkAndCodeActions;
}

/** Size of the pieces in which long plain text is laid out, in UTF-16 units. */
export const maxPlainPieceUnits = 8_192;

export function decorateCodeBlocks(fragment: DocumentFragment, actions: LinkAndCodeActions): void {
  for (const pre of fragment.querySelectorAll('pre')) decorateCode(pre, actions);
}

function decorateCode(pre: HTMLPreElement, actions: LinkAndCodeActions): void {
  const { language = '', path } = pre.dataset;
  const isPlain = pre.classList.contains('md-plain');
  const isView = language === viewLanguage && !isPlain && actions.openView !== undefined;
  const named = isView ? viewTitle(pre.textContent) : (path ?? language);
  const title = isPlain ? 'Too long to format, shown as plain text' : showHiddenCharacters(named);
  const block = createElement('div', isPlain ? 'md-code md-plain' : isView ? 'md-code md-view' : 'md-code');
  if (language !== '') block.dataset['language'] = language;
  if (path !== undefined) block.dataset['path'] = path;
  const head = createElement('div', 'md-code-head');
  head.append(createTitle(title, path), createActions(actions, isView ? viewButtons : codeButtons));
  const bare = createElement('pre', '');
  bare.tabIndex = 0;
  bare.role = 'group';
  bare.ariaLabel = title === '' ? 'Code' : `Code, ${title}`;
  pre.replaceWith(block);
  bare.append(...pre.childNodes);
  if (isPlain) splitPlainText(bare);
  else splitCode(bare);
  block.append(head, isView ? createSource(bare) : bare);
}

/** Finds the title in the source, which is parsed as text and never becomes a part of the page. */
function viewTitle(source: string): string {
  const start = source.slice(0, maxTitleSourceUnits);
  const [, found = ''] =
    /<title[^>]*>([^<]+)/i.exec(start) ??
    /<h1[^>]*>([^<]+)/i.exec(start) ??
    /class=["']?ui-title[^>]*>([^<]+)/i.exec(start) ??
    [];
  const title = found.replaceAll(/\s+/g, ' ').trim().slice(0, maxTitleUnits);
  return title === '' ? 'View' : `View: ${title}`;
}

function createSource(pre: HTMLElement): HTMLElement {
  const source = createElement('details', 'md-view-source');
  const summary = createElement('summary', '');
  summary.textContent = 'HTML source';
  source.append(summary, pre);
  return source;
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

function createActions(actions: LinkAndCodeActions, buttons: readonly CodeButton[]): HTMLElement {
  const bar = createElement('span', 'md-actions');
  for (const { name, label, action } of buttons) {
    if (!actions[action]) continue;
    const button = createElement('button', `md-action md-action-${name}`);
    button.setAttribute('type', 'button');
    button.dataset['action'] = name;
    button.title = label;
    button.ariaLabel = label;
    if (name === 'view') button.textContent = label;
    bar.append(button);
  }
  return bar;
}

function createElement(
  tag: 'div' | 'span' | 'a' | 'pre' | 'button' | 'details' | 'summary',
  className: string,
): HTMLElement {
  const made = document.createElement(tag);
  if (className !== '') made.className = className;
  return made;
}
