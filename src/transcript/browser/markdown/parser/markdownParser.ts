/** The Markdown parser with our rules, and rendering to DOM nodes. Stateless. */
import createMarkdown, { type Env, type MarkdownIt, type Token } from 'markdown-it';
import { blocksOf, keepLargeBlocksPlain, markTasks, rendererRules, type Block } from './blockRules';
import { decorateBlocks } from '../decorate';
import { showHiddenCharacters } from '../hiddenCharacters';
import { rewriteLinks } from './linkRules';
import { linkTarget, readableAddress } from './linkTarget';
import { isRasterImage, sanitized } from '../sanitize';
import type { CodeActions } from '../code/codeActions';

/** Longer texts are not parsed, in UTF-16 units. */
export const maxParsed = 1_000_000;

const parser = configured();

/** `env` carries link references from one part of a text to the next. */
export function parseBlocks(text: string, env: Env): Block[] {
  return blocksOf(parser.parse(text, env));
}

/** Renders blocks to sanitized nodes with our decorations. */
export function nodesOf(blocks: readonly Block[], env: Env, actions: CodeActions): DocumentFragment {
  return nodesOfTokens(
    blocks.flatMap(({ tokens }) => tokens),
    env,
    actions,
  );
}

export function nodesOfText(text: string, env: Env, actions: CodeActions): DocumentFragment {
  return nodesOfTokens(text.length > maxParsed ? plainTokens(text) : parser.parse(text, env), env, actions);
}

/** Renders text without parsing it. */
export function plainNodesOf(text: string, actions: CodeActions): DocumentFragment {
  return nodesOfTokens(plainTokens(text), {}, actions);
}

/** Renders highlighted code. Its nodes are the children of the result. */
export function codeNodesOf(html: string): Node {
  const fragment = sanitized(`<pre><code>${html}</code></pre>`);
  showHiddenCharacters(fragment);
  return fragment.querySelector('code') ?? fragment;
}

function nodesOfTokens(tokens: Token[], env: Env, actions: CodeActions): DocumentFragment {
  const fragment = sanitized(parser.renderer.render(tokens, parser.options, env));
  for (const node of [...fragment.childNodes]) if (!(node instanceof Element)) node.remove();
  decorateBlocks(fragment, actions);
  showHiddenCharacters(fragment);
  return fragment;
}

function plainTokens(text: string): Token[] {
  const [token] = parser.parse('-', {}).slice(0, 1);
  return token ? [Object.assign(token, { type: 'plain_block', content: text })] : [];
}

function configured(): MarkdownIt {
  const markdown = new createMarkdown({ html: false, linkify: true, breaks: false });
  markdown.validateLink = (href) => linkTarget(href) !== undefined || isRasterImage(href);
  // Link targets stay as written.
  markdown.normalizeLink = (href) => href;
  markdown.normalizeLinkText = readableAddress;
  markdown.core.ruler.after('block', 'large_blocks', keepLargeBlocksPlain);
  markdown.core.ruler.push('links', rewriteLinks);
  markdown.core.ruler.push('tasks', markTasks);
  Object.assign(markdown.renderer.rules, rendererRules);
  return markdown;
}
