interface RenameWorkspace {
  /** Texts by path in the workspace. */
  readonly files: ReadonlyMap<string, string>;
  /** The files with uses, as they are after the rename. */
  readonly renamed: ReadonlyMap<string, string>;
  readonly path: string;
  readonly symbol: string;
  readonly newName: string;
}

const userCount = 200;

/** A symbol with many uses, and many words that are only the same. */
export function createRenameWorkspace(): RenameWorkspace {
  const [symbol, newName, path] = ['total', 'sumOf', 'renamed/total.ts'];
  const declared = (name: string): string =>
    `/** total adds up */\nexport function ${name}(values: readonly number[]): number {\n  return values.reduce((sum, value) => sum + value, 0);\n}\n`;
  const user = (index: number, name: string): string =>
    `import { ${name} } from './total';\n\n// total of ${index}\nexport const result${index} = { total: 'total' + ${name}([${index}]) }.total;\n`;
  const textsFor = (name: string): Map<string, string> => {
    const users = Array.from({ length: userCount }, (_, index): [string, string] => [
      `renamed/user${index}.ts`,
      user(index, name),
    ]);
    return new Map([[path, declared(name)], ...users]);
  };
  const config = JSON.stringify({ compilerOptions: { strict: true, module: 'commonjs', types: [] } });
  const files = new Map([['renamed/tsconfig.json', config], ...textsFor(symbol)]);
  return { files, renamed: textsFor(newName), path, symbol, newName };
}
