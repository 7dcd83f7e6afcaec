/**
 * Finds TeX formulas in Markdown: `$…$`, `$$…$$`, `\(…\)` and `\[…\]`. Amounts of money, variables of shells, escaped brackets
 * and code are no formulas. Pure. All offsets and lengths are in UTF-16 units.
 */

/** Maximum length of a formula. Longer ones stay text. */
const maxFormulaUnits = 2_000;

/** What may stand before `$`: not letters, digits and parts of addresses or paths. */
const beforeFormula = /[\s([{"'*_~|>,;:–—-]|[^\x20-\x7e]/;
/** The end of `$…$` is not the start of a variable, as in `$HOME:$PATH` and `$a:${b}`. */
const continuesWord = /[A-Za-z0-9_${(]/;
const letterOrDigit = /[A-Za-z0-9]/;
/** Code, links and addresses. */
const otherMarkup = /`|\]\(|:\/\//;
const mathSign = /[\\^_=+<>|]/;
/** An amount that is followed by a word, as in `$5 for one and 6$ for two`. */
const amount = /^\d[\d.,]*\s*[kKMB]?\s+[A-Za-z]{2}/;
const blockOpener = /^(?:\$\$(?!\$)|\\\[)/;

interface InlineFormula {
  /** The offset after its end mark. */
  readonly end: number;
  /** Whether it has a line of its own. */
  readonly isDisplay: boolean;
}

/** Returns the formula that starts at the offset. A backslash there is not escaped itself. */
export function findInlineFormula(text: string, at: number): InlineFormula | undefined {
  const mark = formulaMark(text, at);
  if (mark === undefined) return undefined;
  const start = at + mark.length;
  const end = findEndMark(text, start, endMarks[mark]);
  if (end === undefined) return undefined;
  const isFormula = isInlineFormula[mark](text.slice(start, end), text.charAt(at - 1), text.charAt(end + mark.length));
  return isFormula ? { end: end + mark.length, isDisplay: mark === '$$' || mark === '\\[' } : undefined;
}

/** `count`: of lines. `open`: the text ends before the formula. */
type BlockFormula = { readonly kind: 'closed'; readonly count: number } | { readonly kind: 'open' };

/**
 * Returns the formula that has whole lines for itself. `lineAt(0)` is its first line; undefined is the end of the text.
 * TeX allows no blank lines in a formula, so a mark that is not closed before one is text.
 */
export function findBlockFormula(lineAt: (index: number) => string | undefined): BlockFormula | undefined {
  const first = lineAt(0)?.trim() ?? '';
  const [mark] = blockOpener.exec(first) ?? [];
  if (mark !== '$$' && mark !== '\\[') return undefined;
  const isAlone = first === mark;
  let content = '';
  let line: string | undefined = first.slice(mark.length);
  for (let count = 1; content.length <= maxFormulaUnits; count++) {
    const end = findEndMark(line, 0, endMarks[mark]);
    if (end !== undefined) {
      content += line.slice(0, end);
      const isWhole = line.slice(end + mark.length).trim() === '' && content.trim() !== '';
      return isWhole && (isAlone || saysMath(content)) ? { kind: 'closed', count } : undefined;
    }
    content += `${line}\n`;
    line = lineAt(count);
    if (line === undefined) return isAlone ? { kind: 'open' } : undefined;
    if (line.trim() === '') return undefined;
  }
  return undefined;
}

/** Whether the text ends within a formula that has whole lines for itself. */
export function endsInOpenFormula(text: string): boolean {
  const tail = text.slice(-2 * maxFormulaUnits).replace(/\n$/, '');
  const all = tail.split('\n');
  const lines = all.slice(all.findLastIndex((line) => line.trim() === '') + 1);
  for (let at = 0; at < lines.length; at++) {
    const found = findBlockFormula((index) => lines[at + index]);
    if (found?.kind === 'open') return true;
    if (found) at += found.count - 1;
  }
  return false;
}

/** Returns the TeX of a formula: its source without the marks. */
export function texOf(source: string): string {
  const units = /^\$(?!\$)/.test(source) ? 1 : 2;
  return source.slice(units, -units);
}

type FormulaMark = '$' | '$$' | '\\(' | '\\[';

const endMarks = { $: '$', $$: '$$', '\\(': '\\)', '\\[': '\\]' } as const satisfies Record<FormulaMark, string>;

/** Decides from the TeX and the characters around the formula, which are empty at the ends of the text. */
const isInlineFormula: Readonly<Record<FormulaMark, (tex: string, before: string, after: string) => boolean>> = {
  $: (tex, before, after) =>
    /^\S(?:[^\n]*\S)?$/.test(tex) &&
    isApart(before) &&
    !continuesWord.test(after) &&
    !amount.test(tex) &&
    !isProse(tex),
  $$: (tex, before, after) => isApart(before) && after !== '$' && saysMath(tex) && !isProse(tex),
  '\\(': (tex, before) => !letterOrDigit.test(before) && before !== ':' && !isProse(tex),
  // Also the way to write brackets in Markdown.
  '\\[': (tex, before, after) =>
    !letterOrDigit.test(before) && !/[\w([]/.test(after) && mathSign.test(tex) && !isProse(tex),
};

function isApart(before: string): boolean {
  return before === '' || beforeFormula.test(before);
}

function saysMath(tex: string): boolean {
  return mathSign.test(tex) || !/[A-Za-z]{2}/.test(tex);
}

function isProse(tex: string): boolean {
  return tex.trim() === '' || otherMarkup.test(tex) || (!mathSign.test(tex) && /\p{Ll}{4}/u.test(tex));
}

function formulaMark(text: string, at: number): FormulaMark | undefined {
  const next = text[at + 1];
  if (text[at] === '$') return next === '$' ? '$$' : '$';
  if (text[at] !== '\\') return undefined;
  return next === '(' ? '\\(' : next === '[' ? '\\[' : undefined;
}

/** Returns the offset of the end mark that no backslash escapes. */
function findEndMark(text: string, from: number, mark: string): number | undefined {
  const limit = Math.min(text.length, from + maxFormulaUnits);
  for (let at = from; at < limit; at += text[at] === '\\' ? 2 : 1) if (text.startsWith(mark, at)) return at;
  return undefined;
}
