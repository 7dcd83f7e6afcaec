/**
 * Grammar of CSS, Sass and Less. It recognizes properties and elements by their position. The grammar of highlight.js
 * lists all names, which makes it large.
 */
import type { HLJSApi, Language, Mode } from 'highlight.js';

const lineComment: Mode = { scope: 'comment', match: /(?<=^|\s)\/\/.*/ };
const stringMode: Mode = { scope: 'string', match: /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/ };
const numberMode: Mode = { scope: 'number', match: /(?<![\w#.-])[-+]?(?:\d*\.)?\d+(?:e[-+]?\d+)?(?:%|[a-z]+\b)?/ };

const valueModes: Mode[] = [
  lineComment,
  stringMode,
  { scope: { 1: 'built_in', 3: 'string' }, match: [/\burl/, /\(\s*/, /[^\s"')][^)\n]*/] },
  { scope: 'number', match: /#(?:[\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})\b|\bu\+[\da-f?]+(?:-[\da-f]+)?/ },
  { scope: 'meta', match: /!important\b/ },
  { scope: 'variable', match: /(?:--|\$)[a-z_][\w-]*/ },
  { scope: 'built_in', match: /(?<![\w-])[a-z-][\w-]*(?=\()/ },
  numberMode,
];

export function cssGrammar({ C_BLOCK_COMMENT_MODE: blockComment }: HLJSApi): Language {
  const declaration: Mode = {
    // Distinguishes `color: red` from `a:hover {`. In the latter, no space follows the colon, and `{` comes before any
    // `;` or `}`.
    begin: [/(?<![\w$-])[\w$-]+/, /\s*:(?=\s|[^;{}]{0,200}[;}])/],
    beginScope: { 1: 'attribute' },
    end: /[;{}]/,
    contains: [blockComment, ...valueModes],
  };
  const atRule: Mode = {
    begin: /@[\w-]+/,
    beginScope: 'keyword',
    end: /[;{}]/,
    contains: [
      blockComment,
      { scope: 'keyword', match: /\b(?:and|not|only|or)\b/ },
      { scope: 'attribute', match: /[\w$-]+(?=\s*:)/ },
      ...valueModes,
    ],
  };
  const attributeSelector: Mode = { scope: 'selector-attr', begin: /\[/, end: /\]|$/, contains: [stringMode] };
  return {
    name: 'CSS',
    case_insensitive: true,
    contains: [
      blockComment,
      lineComment,
      atRule,
      declaration,
      attributeSelector,
      numberMode,
      { scope: 'selector-id', match: /#[a-z_-][\w-]*/ },
      { scope: 'selector-class', match: /\.[a-z_-][\w-]*/ },
      { scope: 'selector-pseudo', match: /::?[a-z-]+/ },
      { scope: 'selector-tag', match: /(?<![\w$%&-])[a-z][\w-]*/ },
    ],
  };
}
