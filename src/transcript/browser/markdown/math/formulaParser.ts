/** Adds formulas to the parser. Each is an element with its source, which `drawFormulas` draws. */
import type { Env, MarkdownIt, StateBlock, StateInline } from 'markdown-it';
import { escapeHtml } from '../../../../base/common/text/escapeHtml';
import { findBlockFormula, findInlineFormula } from './formulaRules';

/** Key in the parser's environment. Its value is true while more text may follow: an open formula is shown as source. */
const textMayGrowKey = 'textMayGrow';

/** An environment for text that may grow. */
export function growingTextEnv(env: Env = {}): Env {
  return { ...env, [textMayGrowKey]: true };
}

export function addFormulas(markdown: MarkdownIt): void {
  markdown.inline.ruler.before('escape', 'formula', parseInlineFormula);
  markdown.block.ruler.before('fence', 'formula', parseBlockFormula, {
    alt: ['paragraph', 'reference', 'blockquote', 'list'],
  });
  const { rules } = markdown.renderer;
  rules['formula'] = (tokens, at) => formulaHtml(tokens[at]?.content ?? '', '');
  rules['display_formula'] = (tokens, at) => formulaHtml(tokens[at]?.content ?? '', ' md-display');
  rules['formula_block'] = rules['display_formula'];
  // What is not closed yet is not drawn.
  rules['open_formula_block'] = (tokens, at) => formulaHtml(tokens[at]?.content ?? '', ' md-display md-as-source');
}

function formulaHtml(source: string, kind: string): string {
  return `<span class="md-formula${kind}"><span class="md-formula-source">${escapeHtml(source.trimEnd())}</span></span>`;
}

function parseInlineFormula(state: StateInline, isSilent: boolean): boolean {
  const found = findInlineFormula(state.src.slice(0, state.posMax), state.pos);
  if (!found) return false;
  if (!isSilent) {
    const token = state.push(found.isDisplay ? 'display_formula' : 'formula', 'span', 0);
    token.content = state.src.slice(state.pos, found.end);
  }
  state.pos = found.end;
  return true;
}

function parseBlockFormula(state: StateBlock, startLine: number, endLine: number, isSilent: boolean): boolean {
  if (indentOf(state, startLine) >= 4) return false;
  const found = findBlockFormula((index) => {
    const line = startLine + index;
    if (line >= endLine) return undefined;
    // The list item or quote ends here, and the formula with it.
    return indentOf(state, line) < 0 ? '' : state.getLines(line, line + 1, state.blkIndent, false);
  });
  if (!found || (found.kind === 'open' && state.env[textMayGrowKey] !== true)) return false;
  if (isSilent) return true;
  const end = found.kind === 'open' ? endLine : startLine + found.count;
  const token = state.push(found.kind === 'open' ? 'open_formula_block' : 'formula_block', 'span', 0);
  token.content = state.getLines(startLine, end, state.sCount[startLine] ?? 0, false);
  token.map = [startLine, end];
  state.line = end;
  return true;
}

function indentOf(state: StateBlock, line: number): number {
  return (state.sCount[line] ?? 0) - state.blkIndent;
}
