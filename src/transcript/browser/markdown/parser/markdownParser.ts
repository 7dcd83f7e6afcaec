/** Parses Markdown with Backline's additional rules and renders it to DOM nodes. Keeps no state. */
import createMarkdown, { type Env, type MarkdownIt, type Token } from 'markdown-it';
import {
  groupTokensByBlock,
  showLargeBlocksAsPlainText,
  insertTaskMarks,
  rendererRules,
  type TopLevelBlock,
} from './blockRules';
import { decorateCodeBlocks } from '../decorate';
import { markHiddenCharacters } from '../hiddenCharacters';
import { drawFormulas } from '../math/drawFormulas';
import { addFormulas } from '../math/formulaParser';
import { rewriteLinks } from './linkRules';
import { parseLinkTarget, toReadableAddress } from './linkTarget';
import { isRasterImage, sanitizeHtml } from '../sanitize';
import type { LinkAndCodeActions } from '../linkAndCodeActions';

/** Maximum length of a text that is parsed, in UTF-16 units. */
export const maxMarkdownUnits = 1_000_000;

const parser = createParser();

/** Parses a text. `env` passes link references from one part of a text to the next. */
export function parseBlocks(text: string, env: Env): TopLevelBlock[] {
  return groupTokensByBlock(parser.parse(text, env));
}

/** Renders blocks to sanitized nodes with headers and buttons for code. */
export function renderBlocks(
  blocks: readonly TopLevelBlock[],
  env: Env,
  actions: LinkAndCodeActions,
): DocumentFragment {
  return renderTokens(
    blocks.flatMap(({ tokens }) => tokens),
    env,
    actions,
  );
}

export function renderText(text: string, env: Env, actions: LinkAndCodeActions): DocumentFragment {
  return renderTokens(text.length > maxMarkdownUnits ? createPlainTokens(text) : parser.parse(text, env), env, actions);
}

export function renderPlainText(text: string, actions: LinkAndCodeActions): DocumentFragment {
  return renderTokens(createPlainTokens(text), {}, actions);
}

/** Returns a node whose children are the rendered, highlighted code. */
export function renderHighlightedHtml(html: string): Node {
  const fragment = sanitizeHtml(`<pre><code>${html}</code></pre>`);
  markHiddenCharacters(fragment);
  return fragment.querySelector('code') ?? fragment;
}

function renderTokens(tokens: Token[], env: Env, actions: LinkAndCodeActions): DocumentFragment {
  const fragment = sanitizeHtml(parser.renderer.render(tokens, parser.options, env));
  for (const node of [...fragment.childNodes]) if (!(node instanceof Element)) node.remove();
  setDirections(fragment);
  decorateCodeBlocks(fragment, actions);
  markHiddenCharacters(fragment);
  drawFormulas(fragment);
  return fragment;
}

/** Each block gets the direction of its own text. A list item has that of its first paragraph. */
function setDirections(fragment: DocumentFragment): void {
  const blocks = 'p:not(li > p:first-child), li, h3, h4, h5, h6, th, td';
  for (const block of fragment.querySelectorAll<HTMLElement>(blocks)) block.dir = 'auto';
  // A formula says nothing of the direction of its block.
  for (const formula of fragment.querySelectorAll<HTMLElement>('.md-formula')) formula.dir = 'ltr';
}

function createPlainTokens(text: string): Token[] {
  const [token] = parser.parse('-', {}).slice(0, 1);
  return token ? [Object.assign(token, { type: 'plain_block', content: text })] : [];
}

function createParser(): MarkdownIt {
  const markdown = new createMarkdown({ html: false, linkify: true, breaks: false });
  markdown.validateLink = (href) => parseLinkTarget(href) !== undefined || isRasterImage(href);
  // Link targets are not changed by the parser.
  markdown.normalizeLink = (href) => href;
  markdown.normalizeLinkText = toReadableAddress;
  markdown.core.ruler.after('block', 'large_blocks', showLargeBlocksAsPlainText);
  markdown.core.ruler.push('links', rewriteLinks);
  markdown.core.ruler.push('tasks', insertTaskMarks);
  Object.assign(markdown.renderer.rules, rendererRules);
  addFormulas(markdown);
  return markdown;
}
