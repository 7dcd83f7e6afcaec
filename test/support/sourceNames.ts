import { readdirSync, readFileSync } from 'node:fs';
import * as path from 'node:path';
import ts from 'typescript';

/** What one `import`, `export … from` or `import()` takes from another file. */
export interface ImportedNames {
  readonly specifier: string;
  /** As the other file calls them; `*` where it cannot be told which. Empty for a file that is only run. */
  readonly names: readonly string[];
  /** Taken by an `import()` that runs: nothing of it is loaded before. */
  readonly isLazy: boolean;
}

export interface SourceNames {
  readonly imports: readonly ImportedNames[];
  readonly exports: readonly string[];
}

/** Sources below a folder of the repository, which their paths begin with; `/` between names. */
export function sourcesBelow(folder: string): string[] {
  return readdirSync(path.join(process.cwd(), folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(?:tsx?|mjs)$/.test(file))
    .map((file) => `${folder}/${file.split(path.sep).join('/')}`)
    .sort();
}

export function namesOf(file: string): SourceNames {
  return readNames(file, readFileSync(path.join(process.cwd(), file), 'utf8'));
}

/** Reads types like values, and JSX; of JavaScript also the types that its comments import. */
export function readNames(file: string, text: string): SourceNames {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const imports: ImportedNames[] = [];
  const visit = (node: ts.Node): void => {
    const found = importOf(node, source);
    if (found) imports.push(found);
    for (const comment of ts.getJSDocCommentsAndTags(node)) {
      // It answers with those of nodes around it, too.
      if (comment.parent === node) ts.forEachChild(comment, visit);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return { imports, exports: source.statements.flatMap(exportsOf) };
}

/** The file that a relative specifier leads to; undefined when it is none of `files`. */
export function targetOf(file: string, specifier: string, files: ReadonlySet<string>): string | undefined {
  if (!specifier.startsWith('.')) return undefined;
  const target = path.posix.join(path.posix.dirname(file), specifier);
  return [target, `${target}.ts`, `${target}.tsx`].find((candidate) => files.has(candidate));
}

function importOf(node: ts.Node, source: ts.SourceFile): ImportedNames | undefined {
  if (ts.isImportDeclaration(node)) return taken(node.moduleSpecifier, namesOfImport(node, source));
  if (ts.isExportDeclaration(node) && node.moduleSpecifier) {
    const { exportClause: clause } = node;
    return taken(node.moduleSpecifier, clause && ts.isNamedExports(clause) ? clause.elements.map(nameThere) : ['*']);
  }
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
    return taken(node.argument.literal, [node.qualifier ? firstName(node.qualifier) : '*']);
  }
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
    const found = taken(node.arguments[0], namesOfLazy(node));
    return found && { ...found, isLazy: true };
  }
  return undefined;
}

function taken(specifier: ts.Node | undefined, names: readonly string[]): ImportedNames | undefined {
  return specifier && ts.isStringLiteralLike(specifier)
    ? { specifier: specifier.text, names, isLazy: false }
    : undefined;
}

function namesOfImport({ importClause: clause }: ts.ImportDeclaration, source: ts.SourceFile): string[] {
  const bindings = clause?.namedBindings;
  const byDefault = clause?.name ? ['default'] : [];
  if (!bindings) return byDefault;
  return [
    ...byDefault,
    ...(ts.isNamedImports(bindings) ? bindings.elements.map(nameThere) : membersOf(bindings.name, source)),
  ];
}

function nameThere({ propertyName, name }: ts.ImportSpecifier | ts.ExportSpecifier): string {
  return (propertyName ?? name).text;
}

/** What a file uses of `import * as namespace`. */
function membersOf(namespace: ts.Identifier, source: ts.SourceFile): string[] {
  const names = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) && node.text === namespace.text && node !== namespace) names.add(memberAt(node));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return [...names];
}

function memberAt(namespace: ts.Identifier): string {
  const { parent } = namespace;
  if (ts.isPropertyAccessExpression(parent) && parent.expression === namespace) return parent.name.text;
  return ts.isQualifiedName(parent) && parent.left === namespace ? parent.right.text : '*';
}

/** Of `const { A } = await import(…)`, `(await import(…)).A` and `import(…).then(({ A }) => …)`. */
function namesOfLazy(call: ts.CallExpression): string[] {
  const { parent } = call;
  if (ts.isPropertyAccessExpression(parent) && parent.name.text === 'then' && ts.isCallExpression(parent.parent)) {
    const [callback] = parent.parent.arguments;
    return callback && ts.isArrowFunction(callback) ? namesOfPattern(callback.parameters[0]?.name) : ['*'];
  }
  if (!ts.isAwaitExpression(parent)) return ['*'];
  const { parent: user } = parent;
  if (ts.isVariableDeclaration(user)) return namesOfPattern(user.name);
  if (!ts.isParenthesizedExpression(user) || !ts.isPropertyAccessExpression(user.parent)) return ['*'];
  return [user.parent.name.text];
}

function namesOfPattern(pattern: ts.BindingName | undefined): string[] {
  if (!pattern || !ts.isObjectBindingPattern(pattern)) return ['*'];
  return pattern.elements.map(({ propertyName, name }) => {
    const there = propertyName ?? name;
    return ts.isIdentifier(there) ? there.text : '*';
  });
}

function firstName(name: ts.EntityName): string {
  return ts.isIdentifier(name) ? name.text : firstName(name.left);
}

function exportsOf(statement: ts.Statement): string[] {
  if (ts.isExportAssignment(statement)) return ['default'];
  if (ts.isExportDeclaration(statement)) {
    const { exportClause: clause } = statement;
    return clause && ts.isNamedExports(clause) ? clause.elements.map(({ name }) => name.text) : [];
  }
  const modifiers = ts.canHaveModifiers(statement) ? (ts.getModifiers(statement) ?? []) : [];
  const has = (kind: ts.SyntaxKind): boolean => modifiers.some((modifier) => modifier.kind === kind);
  if (!has(ts.SyntaxKind.ExportKeyword)) return [];
  if (has(ts.SyntaxKind.DefaultKeyword)) return ['default'];
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.flatMap(({ name }) => declaredIn(name));
  }
  return ts.isDeclarationStatement(statement) && statement.name ? [statement.name.text] : [];
}

function declaredIn(name: ts.BindingName): string[] {
  if (ts.isIdentifier(name)) return [name.text];
  return name.elements.flatMap((element) => (ts.isOmittedExpression(element) ? [] : declaredIn(element.name)));
}
