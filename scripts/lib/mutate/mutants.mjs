// Finds what can be changed in a source so that a good test must fail. Pure: text in, mutants out.
import ts from 'typescript';

/**
 * @typedef {'guard' | 'condition' | 'operand' | 'boundary' | 'result'} MutantKind
 * `guard`: an `if` whose branch leaves is never taken; `condition`: of any other `if` or of `? :`, it has one outcome only;
 * `operand`: one side of `&&` or `||` is gone; `boundary`: `<` for `<=` and the like; `result`: a boolean is returned
 * whatever was asked.
 */

/**
 * @typedef {object} Mutant
 * @property {string} file as it was given
 * @property {MutantKind} kind
 * @property {number} start offset of the text that is replaced, in UTF-16 units
 * @property {number} end exclusive
 * @property {number} line 1-based
 * @property {string} original the text between `start` and `end`
 * @property {string} replacement an expression, like what it replaces
 */

/** @type {ReadonlyMap<ts.SyntaxKind, string>} */
const otherBoundary = new Map([
  [ts.SyntaxKind.LessThanToken, '<='],
  [ts.SyntaxKind.LessThanEqualsToken, '<'],
  [ts.SyntaxKind.GreaterThanToken, '>='],
  [ts.SyntaxKind.GreaterThanEqualsToken, '>'],
]);

const comparisons = new Set([
  ...otherBoundary.keys(),
  ts.SyntaxKind.EqualsEqualsEqualsToken,
  ts.SyntaxKind.ExclamationEqualsEqualsToken,
  ts.SyntaxKind.InstanceOfKeyword,
  ts.SyntaxKind.InKeyword,
]);

/** Methods of the language that answer with a boolean. */
const predicates = new Set([
  'includes',
  'startsWith',
  'endsWith',
  'some',
  'every',
  'test',
  'has',
  'isArray',
  'isInteger',
]);

/**
 * @param {string} file
 * @param {string} text TypeScript without JSX
 * @returns {Mutant[]} in the order of the text; all of one text are different
 */
export function findMutants(file, text) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TS);
  /** @type {Map<string, Mutant>} */
  const found = new Map();

  /**
   * @param {MutantKind} kind
   * @param {ts.Expression} node
   * @param {readonly string[]} replacements
   */
  const add = (kind, node, replacements) => {
    const [start, end] = [node.getStart(source), node.getEnd()];
    const original = text.slice(start, end);
    const line = source.getLineAndCharacterOfPosition(start).line + 1;
    for (const replacement of replacements) {
      const key = `${start}:${end}:${replacement}`;
      if (replacement === original || found.has(key)) continue;
      found.set(key, { file, kind, start, end, line, original, replacement });
    }
  };

  /** @param {ts.Node} node */
  const visit = (node) => {
    if (ts.isIfStatement(node)) {
      if (node.elseStatement) add('condition', node.expression, ['true', 'false']);
      else add(leaves(node.thenStatement) ? 'guard' : 'condition', node.expression, ['false']);
    } else if (ts.isConditionalExpression(node)) {
      add('condition', node.condition, ['true', 'false']);
    } else if (ts.isBinaryExpression(node)) {
      add('operand', node, withoutOneOperand(node, source));
      const operator = otherBoundary.get(node.operatorToken.kind);
      if (operator !== undefined)
        add('boundary', node, [`${node.left.getText(source)} ${operator} ${node.right.getText(source)}`]);
    } else if (ts.isReturnStatement(node) && node.expression) {
      add('result', node.expression, otherResults(node.expression));
    } else if (ts.isArrowFunction(node) && !ts.isBlock(node.body)) {
      add('result', node.body, otherResults(node.body));
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return [...found.values()].sort((a, b) => a.start - b.start || b.end - a.end);
}

/**
 * @param {string} text
 * @param {Mutant} mutant of this text
 */
export function applyMutant(text, { start, end, replacement }) {
  return `${text.slice(0, start)}(${replacement})${text.slice(end)}`;
}

/**
 * Whether nothing after the statement runs.
 * @param {ts.Statement} statement
 * @returns {boolean}
 */
function leaves(statement) {
  if (ts.isBlock(statement)) {
    const last = statement.statements.at(-1);
    return last !== undefined && leaves(last);
  }
  return (
    ts.isReturnStatement(statement) ||
    ts.isThrowStatement(statement) ||
    ts.isContinueStatement(statement) ||
    ts.isBreakStatement(statement)
  );
}

/**
 * Of `a && b && c` each operand is left out once: the chain is a tree that leans to the left.
 * @param {ts.BinaryExpression} node
 * @param {ts.SourceFile} source
 */
function withoutOneOperand({ left, right, operatorToken }, source) {
  const { kind } = operatorToken;
  if (kind !== ts.SyntaxKind.AmpersandAmpersandToken && kind !== ts.SyntaxKind.BarBarToken) return [];
  const isChain = ts.isBinaryExpression(left) && left.operatorToken.kind === kind;
  return isChain ? [left.getText(source)] : [right.getText(source), left.getText(source)];
}

/**
 * @param {ts.Expression} expression
 * @returns {readonly string[]} none when it is not known to be a boolean
 */
function otherResults(expression) {
  if (expression.kind === ts.SyntaxKind.TrueKeyword) return ['false'];
  if (expression.kind === ts.SyntaxKind.FalseKeyword) return ['true'];
  return isBoolean(expression) ? ['true', 'false'] : [];
}

/**
 * @param {ts.Expression} expression
 * @returns {boolean}
 */
function isBoolean(expression) {
  if (ts.isParenthesizedExpression(expression)) return isBoolean(expression.expression);
  if (ts.isPrefixUnaryExpression(expression)) return expression.operator === ts.SyntaxKind.ExclamationToken;
  if (ts.isCallExpression(expression)) {
    const called = expression.expression;
    return ts.isPropertyAccessExpression(called) && predicates.has(called.name.text);
  }
  if (!ts.isBinaryExpression(expression)) return false;
  const { kind } = expression.operatorToken;
  if (comparisons.has(kind)) return true;
  const isLogic = kind === ts.SyntaxKind.AmpersandAmpersandToken || kind === ts.SyntaxKind.BarBarToken;
  return isLogic && isBoolean(expression.left) && isBoolean(expression.right);
}
