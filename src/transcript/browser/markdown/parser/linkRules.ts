/** Changes the parser's links and images. Links get no `href`, and images are shown only if they contain their data. */
import type { StateCore, Token } from 'markdown-it';
import { parseLinkTarget, parsePathInCode, linkTitle, type LinkTarget } from './linkTarget';
import { showHiddenCharacters } from '../../../../base/common/text/hiddenCharacters';
import { isRasterImage } from '../sanitize';

type CreateToken = (type: string, tag: string, nesting: -1 | 0 | 1) => Token;

/** Matches `src/a.ts:12` and `a.ts#L3-L5` in text. */
const fileLinePattern =
  /(?<![\w/\\.@:~+-])(?:[a-z]:[\\/])?[\w@.~/\\+-]*\w\.[a-z]\w{0,7}(?::\d{1,7}(?:[:-]\d{1,7})*|#L\d{1,7}(?:-L?\d{1,7})?)(?![\w/])/gi;
const lineSuffix = /:\d|#L\d/;
const hostLikeName = /\.(?:com|org|net|io|dev|local)$/i;

/** A core rule that must run after the rules of the parser. */
export function rewriteLinks(state: StateCore): void {
  const make: CreateToken = (type, tag, nesting) => new state.Token(type, tag, nesting);
  for (const token of state.tokens)
    if (token.type === 'inline' && token.children) token.children = rewriteTokens(token.children, make);
}

function rewriteTokens(children: readonly Token[], make: CreateToken): Token[] {
  const result: Token[] = [];
  /** For each open link, whether it is shown as a link. */
  const open: boolean[] = [];
  for (const token of children) {
    const isInLink = open.includes(true);
    if (token.type === 'link_open') {
      const target = parseLinkTarget(String(token.attrGet('href') ?? ''));
      open.push(target !== undefined);
      if (target) result.push(createLinkOpen(target, make));
    } else if (token.type === 'link_close') {
      if (open.pop()) result.push(token);
    } else if (token.type === 'image') {
      result.push(...imageTokens(token, isInLink, make));
    } else if (token.type === 'code_inline' && !isInLink) {
      result.push(...wrapInLink(token, parsePathInCode(token.content), make));
    } else if (token.type === 'text' && !isInLink && lineSuffix.test(token.content)) {
      result.push(...textTokens(token.content, make));
    } else {
      result.push(token);
    }
  }
  return result;
}

/** Stores the address in an attribute that browsers do not follow. */
function createLinkOpen(found: LinkTarget, make: CreateToken): Token {
  const token = make('link_open', 'a', 1);
  token.attrs = [
    ['role', 'link'],
    ['tabindex', '0'],
    ['title', showHiddenCharacters(linkTitle(found))],
    ['data-target', found.target],
  ];
  if (found.line !== undefined) token.attrs.push(['data-line', found.line]);
  if (found.column !== undefined) token.attrs.push(['data-column', found.column]);
  return token;
}

function wrapInLink(token: Token, target: LinkTarget | undefined, make: CreateToken): Token[] {
  return target ? [createLinkOpen(target, make), token, make('link_close', 'a', -1)] : [token];
}

function imageTokens(image: Token, isInLink: boolean, make: CreateToken): Token[] {
  const source = String(image.attrGet('src') ?? '');
  if (isRasterImage(source)) {
    image.attrs = [
      ['src', source],
      ['alt', ''],
    ];
    return [image];
  }
  const text = make('text', '', 0);
  text.content = image.content || 'image';
  return isInLink ? [text] : wrapInLink(text, parseLinkTarget(source), make);
}

function textTokens(text: string, make: CreateToken): Token[] {
  const tokens: Token[] = [];
  const add = (content: string, target?: LinkTarget): void => {
    const token = make('text', '', 0);
    token.content = content;
    if (content !== '') tokens.push(...wrapInLink(token, target, make));
  };
  let shownTo = 0;
  for (const { 0: found, index } of text.matchAll(fileLinePattern)) {
    const target = parseLinkTarget(found);
    if (!target || hostLikeName.test(target.target)) continue;
    add(text.slice(shownTo, index));
    add(found, target);
    shownTo = index + found.length;
  }
  add(text.slice(shownTo));
  return tokens;
}
