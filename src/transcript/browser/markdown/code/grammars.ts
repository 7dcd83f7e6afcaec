/** Highlights code in a fixed set of languages. A script of its own, because it is large: see `highlight.ts`. */
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

/** Highlights code. Undefined if the language is unknown. `isComplete`: see `highlightPartialCode`. */
export function highlightWithGrammar(
  code: string,
  language: string,
): { readonly html: string; readonly isComplete: boolean } | undefined {
  if (!hljs.getLanguage(language)) return undefined;
  const { value, _top: open } = hljs.highlight(code, { language, ignoreIllegals: true });
  return { html: value, isComplete: open !== undefined && !('parent' in open && open.parent) };
}
