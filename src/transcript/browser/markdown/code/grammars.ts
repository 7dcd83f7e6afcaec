/** Highlights code in a fixed set of languages, up to a size limit. */
import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import cpp from 'highlight.js/lib/languages/cpp';
import diff from 'highlight.js/lib/languages/diff';
import dockerfile from 'highlight.js/lib/languages/dockerfile';
import go from 'highlight.js/lib/languages/go';
import ini from 'highlight.js/lib/languages/ini';
import java from 'highlight.js/lib/languages/java';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import makefile from 'highlight.js/lib/languages/makefile';
import markdown from 'highlight.js/lib/languages/markdown';
import python from 'highlight.js/lib/languages/python';
import rust from 'highlight.js/lib/languages/rust';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';
import { escapeHtml } from '../../../../base/common/escapeHtml';
import { cssGrammar } from './cssLanguage';

const languages = {
  bash,
  cpp,
  css: cssGrammar,
  diff,
  dockerfile,
  go,
  ini,
  java,
  javascript,
  json,
  makefile,
  markdown,
  python,
  rust,
  sql,
  typescript,
  xml,
  yaml,
};
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language);
hljs.registerAliases(['console', 'shell', 'shellscript', 'terminal'], { languageName: 'bash' });
// Similar languages share a grammar, because grammars are large.
hljs.registerAliases(['c', 'h'], { languageName: 'cpp' });
hljs.registerAliases(['csharp', 'cs', 'kotlin', 'kt'], { languageName: 'java' });
hljs.registerAliases(['vue', 'svelte'], { languageName: 'xml' });
hljs.registerAliases(['scss', 'less'], { languageName: 'css' });

/** Maximum length of code that is highlighted, in UTF-16 units. */
const maxCodeUnits = 48 * 1024;
const maxLineUnits = 2_000;

/** Returns the code as escaped HTML. Not highlighted if the language is unknown or the code is too long. */
export function highlightToHtml(code: string, language: string): string {
  return highlightPartialCode(code, language).html;
}

/** Highlights code. `isComplete`: no construct is open at the end, so following code can be separate. */
export function highlightPartialCode(
  code: string,
  language: string,
): { readonly html: string; readonly isComplete: boolean } {
  if (!canHighlight(code, language)) return { html: escapeHtml(code), isComplete: true };
  const { value, _top: open } = hljs.highlight(code, { language, ignoreIllegals: true });
  return { html: value, isComplete: open !== undefined && !('parent' in open && open.parent) };
}

function canHighlight(code: string, language: string): boolean {
  if (language === '' || code.length > maxCodeUnits || !hljs.getLanguage(language)) return false;
  return !code.split('\n').some((line) => line.length > maxLineUnits);
}
