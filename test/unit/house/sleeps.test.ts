import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import * as path from 'node:path';
import ts from 'typescript';

const root = path.join(process.cwd(), 'test');
/** It polls, and is what everybody else waits by. */
const waits = path.join('support', 'eventually.ts');

/** Tests in VS Code and in pages that sleep, how often, and why nothing tells them when to go on. */
const known: Readonly<Record<string, readonly [number, string]>> = {
  'host/chat/chatPages.test.ts': [2, 'VS Code still tells of files that were just written; a page is slow'],
  'host/editor/editorReload.test.ts': [1, 'VS Code notices a written file later or sooner'],
  'host/permissions.test.ts': [1, 'a quick pick takes no answer until VS Code has filled it'],
  'host/quickPickItems.test.ts': [1, 'items that change at any speed'],
  'page/markdown/hostile.test.ts': [1, 'scripts that run after a task'],
  'page/markdown/support/markdownPage.ts': [1, 'a task of the page'],
  'page/support/drawn.ts': [1, 'a task of the page'],
  'ui/context.test.ts': [1, 'a command that must not run'],
  'ui/support/window.ts': [1, 'VS Code does not tell when its dialog for files has listed a folder'],
  'ui/threadActions.test.ts': [1, 'a menu takes a click for the end of the one that opened it'],
  'ui/unsavedText.test.ts': [1, 'VS Code shows nothing when text has been put back'],
};

/** Places where a text sleeps: `await` of a timer that only resolves. A timer that rejects, or can be cleared, is a limit. */
function sleepsIn(file: string, text: string): string[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (isTimersImport(node) || isSleep(node) || isWaitForTimeout(node)) {
      found.push(`${file}:${source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function isTimersImport(node: ts.Node): boolean {
  if (!ts.isImportDeclaration(node) || !ts.isStringLiteral(node.moduleSpecifier)) return false;
  if (!/^(?:node:)?timers\/promises$/.test(node.moduleSpecifier.text)) return false;
  const named = node.importClause?.namedBindings;
  const isTurn = ({ name, propertyName = name }: ts.ImportSpecifier): boolean => propertyName.text === 'setImmediate';
  return !named || !ts.isNamedImports(named) || !named.elements.every(isTurn);
}

/** `new Promise((resolve) => setTimeout(resolve, …))`, in one form or the other. */
function isSleep(node: ts.Node): boolean {
  if (!ts.isNewExpression(node) || node.expression.getText() !== 'Promise') return false;
  const [executor] = node.arguments ?? [];
  if (!executor || !ts.isArrowFunction(executor)) return false;
  const [resolve] = executor.parameters;
  const call = soleExpression(executor.body);
  if (!resolve || !call || !ts.isCallExpression(call) || call.expression.getText() !== 'setTimeout') return false;
  const [callback] = call.arguments;
  const name = resolve.name.getText();
  return callback !== undefined && [name, `() => ${name}()`].includes(callback.getText());
}

/** Playwright's sleep. */
function isWaitForTimeout(node: ts.Node): boolean {
  return ts.isPropertyAccessExpression(node) && node.name.text === 'waitForTimeout';
}

function soleExpression(body: ts.ConciseBody): ts.Expression | undefined {
  if (!ts.isBlock(body)) return ts.isVoidExpression(body) ? body.expression : body;
  const [statement, ...others] = body.statements;
  return statement && others.length === 0 && ts.isExpressionStatement(statement) ? statement.expression : undefined;
}

describe('sleeps of a fixed time', () => {
  it('are found in all their forms, and not in the text of other programs', () => {
    const sleeps = [
      'await new Promise((resolve) => setTimeout(resolve, 20));',
      'await new Promise<void>((done) => void setTimeout(() => done(), 20));',
      'await new Promise((resolve) => { setTimeout(resolve, 20); });',
      "import { setTimeout as sleep } from 'node:timers/promises';",
      'await window.page.waitForTimeout(500);',
    ];
    for (const text of sleeps) assert.deepEqual(sleepsIn('a.ts', text), ['a.ts:1'], text);
    const others = [
      'await new Promise((resolve, reject) => setTimeout(() => reject(new Error()), 20));',
      'await new Promise((resolve) => { const timer = setTimeout(resolve, 20); stop(timer); });',
      'const program = `await new Promise((resolve) => setTimeout(resolve, 20));`;',
      'await new Promise((resolve) => setImmediate(resolve));',
      "import { setImmediate as turn } from 'node:timers/promises';",
    ];
    for (const text of others) assert.deepEqual(sleepsIn('a.ts', text), [], text);
  });

  it('are in no unit test: it waits for the thing, by test/support/eventually', () => {
    const files = ['unit', 'fake', 'support'].flatMap(filesBelow);
    assert.ok(files.length > 300);
    const found = files
      .filter((file) => file !== waits)
      .flatMap((file) => sleepsIn(file, readFileSync(path.join(root, file), 'utf8')));
    assert.deepEqual(found, []);
  });

  it('are in no test of VS Code and of pages, but for those that are known', () => {
    const counts = ['host', 'ui', 'page'].flatMap(filesBelow).map((file) => {
      const name = file.split(path.sep).join('/');
      return [name, sleepsIn(name, readFileSync(path.join(root, file), 'utf8')).length] as const;
    });
    const expected = Object.entries(known).map(([file, [count]]) => [file, count] as const);
    assert.deepEqual(Object.fromEntries(counts.filter(([, count]) => count > 0)), Object.fromEntries(expected));
  });
});

function filesBelow(folder: string): string[] {
  return readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => path.join(folder, name));
}
