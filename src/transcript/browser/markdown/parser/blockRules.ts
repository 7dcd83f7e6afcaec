/** Rules for blocks that differ from plain Markdown: code, tables, task lists and blocks too large to format. */
import type { RendererRule, StateCore, Token } from 'markdown-it';
import { escapeHtml } from '../../../../base/common/text/escapeHtml';
import { parseFenceInfo } from '../code/fenceInfo';
import { highlightToHtml } from '../code/highlight';

/** Maximum size of a block other than code, in UTF-16 units. Larger blocks are shown as source. */
const maxBlockUnits = 32 * 1024;
/** Nesting above which blocks are shown as source, because the parser drops content deeper than 100 levels. */
const maxLevel = 90;
/** Maximum number of tokens in a block. A table has three tokens for each cell, including missing cells. */
const maxTokens = 12_000;

/** Key in the parser's environment. Its value is true while the last line is incomplete. */
export const lastLineMayGrowKey = 'unfinished';

export interface TopLevelBlock {
  readonly firstLine: number;
  readonly endLine: number;
  readonly tokens: Token[];
}

export function groupTokensByBlock(tokens: readonly Token[]): TopLevelBlock[] {
  const blocks: TopLevelBlock[] = [];
  for (const token of tokens) {
    if (token.level === 0 && token.nesting >= 0) {
      const [firstLine, endLine] = token.map ?? [0, 0];
      blocks.push({ firstLine, endLine, tokens: [] });
    }
    blocks.at(-1)?.tokens.push(token);
  }
  return blocks;
}

/** Whether following text cannot change the block. The block is the last one in these lines. */
export function isBlockComplete(
  { firstLine, endLine, tokens: [first] }: TopLevelBlock,
  lines: readonly string[],
): boolean {
  switch (first?.type) {
    case 'fence':
      return endLine - firstLine > 1 && isClosingFence(lines[endLine - 1] ?? '', first.markup);
    case 'heading_open':
    case 'hr':
    case 'formula_block':
      return true;
    case 'paragraph_open':
    case 'table_open':
      return lines[endLine]?.trim() === '';
    default:
      return false;
  }
}

function isClosingFence(line: string, markup: string): boolean {
  const [, marks = ''] = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line) ?? [];
  return marks.startsWith(markup);
}

/** Runs after the block parser and before the inline parser, so that the inline parser skips large blocks. */
export function showLargeBlocksAsPlainText(state: StateCore): void {
  if (state.src.length <= maxBlockUnits && state.tokens.length <= maxTokens && !state.tokens.some(isTooDeep)) return;
  const starts = findLineStarts(state.src);
  state.tokens = groupTokensByBlock(state.tokens).flatMap(({ tokens }) => {
    const [first] = tokens;
    if (!first?.map || first.type === 'fence' || first.type === 'code_block') return tokens;
    const [from, to] = first.map.map((line) => starts[line] ?? state.src.length);
    const text = state.src.slice(from, to);
    if (text.length <= maxBlockUnits && tokens.length <= maxTokens && !tokens.some(isTooDeep)) return tokens;
    const plain = new state.Token('plain_block', '', 0);
    plain.content = text;
    plain.map = first.map;
    return [plain];
  });
}

function isTooDeep({ level }: Token): boolean {
  return level >= maxLevel;
}

function findLineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

/** Marks `[ ]` and `[x]` at the start of list items. */
export function insertTaskMarks(state: StateCore): void {
  for (const [at, token] of state.tokens.entries()) {
    const [first] = token.children ?? [];
    const isItem = state.tokens[at - 1]?.type === 'paragraph_open' && state.tokens[at - 2]?.type === 'list_item_open';
    const box = isItem && first?.type === 'text' ? /^\[([ xX])\]\s+/.exec(first.content) : null;
    if (!box || !first) continue;
    first.content = first.content.slice(box[0].length);
    const mark = new state.Token('task_mark', 'span', 0);
    mark.content = box[1] === ' ' ? '' : 'x';
    token.children?.unshift(mark);
    state.tokens[at - 2]?.attrJoin('class', 'md-task');
  }
}

const codeRule: RendererRule = (tokens, at, _options, env) => {
  const token = tokens[at];
  if (!token) return '';
  const { language, path } = parseFenceInfo(token.info);
  const { content } = token;
  // The last line is not highlighted while it is incomplete.
  const end = env?.[lastLineMayGrowKey] === true ? content.lastIndexOf('\n') + 1 : content.length;
  const code = highlightToHtml(content.slice(0, end), language.toLowerCase()) + escapeHtml(content.slice(end));
  const attributes = [`data-language="${escapeHtml(language)}"`];
  if (path !== undefined) attributes.push(`data-path="${escapeHtml(path)}"`);
  return `<pre ${attributes.join(' ')}><code class="hljs">${code}</code></pre>`;
};

/** Lowers the level of headings, so that they are below those of the page. */
const headingRule: RendererRule = (tokens, at) => {
  const token = tokens[at];
  if (!token) return '';
  const level = Math.min(6, Number(token.tag.slice(1)) + 2);
  return token.nesting === 1 ? `<h${level}>` : `</h${level}>`;
};

const alignmentClasses: Readonly<Record<string, string>> = {
  'text-align:left': 'md-left',
  'text-align:center': 'md-center',
  'text-align:right': 'md-right',
};

/** Aligns cells with classes: the page's content security policy forbids the parser's style attributes. */
const cellRule: RendererRule = (tokens, at) => {
  const token = tokens[at];
  if (!token) return '';
  const alignment = alignmentClasses[String(token.attrGet('style') ?? '')];
  return alignment ? `<${token.tag} class="${alignment}">` : `<${token.tag}>`;
};

export const rendererRules: Readonly<Record<string, RendererRule>> = {
  fence: codeRule,
  code_block: codeRule,
  plain_block: (tokens, at) => `<pre class="md-plain"><code>${escapeHtml(tokens[at]?.content ?? '')}</code></pre>`,
  heading_open: headingRule,
  heading_close: headingRule,
  table_open: () => '<div class="md-table" role="group" aria-label="Table" tabindex="0"><table>',
  table_close: () => '</table></div>',
  th_open: cellRule,
  td_open: cellRule,
  task_mark: (tokens, at) => {
    const isDone = tokens[at]?.content === 'x';
    return `<span class="md-task-mark${isDone ? ' md-done' : ''}" role="img" aria-label="${isDone ? 'Done' : 'To do'}"></span>`;
  },
};
