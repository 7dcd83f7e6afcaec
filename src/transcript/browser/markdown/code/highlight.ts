/** Highlights code, up to a size limit. The first code with a language loads the grammars; until then, code is plain. */
import { escapeHtml } from '../../../../base/common/text/escapeHtml';
import { LateFunction } from '../../../../webview/browser/lateScript';
import type { highlightWithGrammar } from './grammars';

declare global {
  interface Window {
    /** Set by the script `code.js`. */
    highlightWithGrammar?: typeof highlightWithGrammar;
  }
}

/** Maximum length of code that is highlighted, in UTF-16 units. */
const maxCodeUnits = 48 * 1024;
const maxLineUnits = 2_000;

const lateHighlight = new LateFunction('code.js', () => window.highlightWithGrammar);

/** Fires when code that is shown plain can be highlighted. */
export const onDidLoadGrammars = lateHighlight.onDidLoad;

/** Returns the code as escaped HTML. Not highlighted if the language is unknown or the code is too long. */
export function highlightToHtml(code: string, language: string): string {
  return highlightPartialCode(code, language).html;
}

/** Highlights code. `isComplete`: no construct is open at the end, so following code can be separate. */
export function highlightPartialCode(
  code: string,
  language: string,
): { readonly html: string; readonly isComplete: boolean } {
  // If the grammars can't be loaded, code stays plain.
  const highlighted = canHighlight(code, language) ? lateHighlight.get()?.(code, language) : undefined;
  return highlighted ?? { html: escapeHtml(code), isComplete: true };
}

function canHighlight(code: string, language: string): boolean {
  if (language === '' || code.length > maxCodeUnits) return false;
  return !code.split('\n').some((line) => line.length > maxLineUnits);
}
