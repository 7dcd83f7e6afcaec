import ts from 'typescript';
import * as z from 'zod';

/**
 * @typedef {object} ScreenText
 * @property {string} file with `/` between names
 * @property {number} line 1-based
 * @property {string} text with `${…}` for what is filled in when it is shown
 */

/** Attributes and properties whose values users read or hear, however short they are. */
const shownNames = new Set([
  'alt',
  'aria-label',
  'description',
  'detail',
  'label',
  'message',
  'placeHolder',
  'placeholder',
  'prompt',
  'title',
  'tooltip',
]);

/** Calls whose texts go to the log only. */
const logCalls = new Set(['debug', 'error', 'info', 'trace', 'warn']);

/**
 * The texts of a source that users may read: sentences, and whatever stands where a label does. Some of them go to agents
 * or to other programs; only a reader can tell.
 * @param {string} file decides by its name whether JSX is read
 * @param {string} source
 * @returns {ScreenText[]}
 */
export function screenTextsOf(file, source) {
  /** @type {ScreenText[]} */
  const texts = [];
  const kind = file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true, kind);

  /** @param {ts.Node} node */
  const visit = (node) => {
    const text = textOf(node);
    if (text !== undefined && isShown(node, text)) {
      const { line } = tree.getLineAndCharacterOfPosition(node.getStart(tree));
      texts.push({ file, line: line + 1, text });
    }
    if (!isForPrograms(node)) ts.forEachChild(node, visit);
  };
  visit(tree);
  return texts;
}

/**
 * The texts of `package.nls.json`.
 * @param {string} file
 * @param {string} source
 * @returns {ScreenText[]}
 */
export function manifestTextsOf(file, source) {
  const lines = source.split('\n');
  const texts = z.record(z.string(), z.string()).parse(JSON.parse(source));
  return Object.entries(texts).map(([key, text]) => ({
    file,
    line: lines.findIndex((line) => line.trimStart().startsWith(`${JSON.stringify(key)}:`)) + 1,
    text,
  }));
}

/**
 * @param {ts.Node} node
 * @returns {string | undefined}
 */
function textOf(node) {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (ts.isJsxText(node)) return node.text.replaceAll(/\s+/g, ' ').trim();
  if (!ts.isTemplateExpression(node)) return undefined;
  const pieces = node.templateSpans.map(({ expression, literal }) => `\${${expression.getText()}}${literal.text}`);
  return node.head.text + pieces.join('');
}

/**
 * @param {ts.Node} node
 * @param {string} text
 */
function isShown(node, text) {
  const words = text.replaceAll(/\$\{[^}]*\}/g, '').trim();
  if (!/\p{L}{2}/u.test(words)) return false;
  if (ts.isJsxAttribute(node.parent) && !isLabel(node.parent)) return false;
  if (ts.isJsxText(node) || isLabel(node.parent)) return !/^[a-z]+(?:[A-Z.:-]\w*)*$/.test(words);
  // A sentence or a title; names, paths, classes and patterns have no such beginning or no second word.
  return /^\p{Lu}.* /u.test(words) || /\p{L}{2,} \p{L}{2,} \p{L}/u.test(words);
}

/** @param {ts.Node} parent */
function isLabel(parent) {
  if (ts.isJsxAttribute(parent)) return shownNames.has(parent.name.getText());
  return ts.isPropertyAssignment(parent) && shownNames.has(parent.name.getText().replaceAll("'", ''));
}

/**
 * Imports, types, and what is logged.
 * @param {ts.Node} node
 */
function isForPrograms(node) {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isTypeNode(node)) return true;
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return false;
  const { expression, name } = node.expression;
  return logCalls.has(name.text) && /(?:^|\.)(?:log|logger)$/.test(expression.getText());
}
