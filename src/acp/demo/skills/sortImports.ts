interface ImportStatement {
  readonly text: string;
  /** The module name, by which imports are sorted. Undefined for an import with side effects: its position matters. */
  readonly module: string | undefined;
}

/** Sorts each group of adjacent imports by module, in JavaScript, TypeScript and Python. Line endings are kept. */
export function sortImports(text: string): string {
  const lines = text.split(/(?<=\n)/);
  const result: string[] = [];
  let run: ImportStatement[] = [];
  const flush = (): void => {
    result.push(...sortedTexts(run));
    run = [];
  };
  for (let at = 0; at < lines.length;) {
    const statement = statementAt(lines, at);
    if (statement?.module === undefined) {
      flush();
      result.push(statement?.text ?? lines[at] ?? '');
    } else {
      run.push(statement);
    }
    at += statement ? statement.text.split(/(?<=\n)/).length : 1;
  }
  flush();
  return result.join('');
}

const scriptImport = /^import\s+(?:type\s+)?[^'"()]*?\bfrom\s*(['"])(.*?)\1/;
const sideEffectImport = /^import\s*(['"]).*?\1/;
const pythonImport = /^(?:from\s+(\S+)\s+import\s+[^(\\]+|import\s+([\w.]+)[^'"{}*(]*)(?<!,)$/;
const maxStatementLines = 100;

function statementAt(lines: readonly string[], at: number): ImportStatement | undefined {
  const first = lines[at] ?? '';
  if (!/^(?:import|from)\b/.test(first)) return undefined;
  if (sideEffectImport.test(first)) return { text: first, module: undefined };
  const oneLine = pythonImport.exec(first.trimEnd());
  if (oneLine) return { text: first, module: oneLine[1] ?? oneLine[2] };
  for (let end = at + 1; end <= Math.min(lines.length, at + maxStatementLines); end++) {
    const text = lines.slice(at, end).join('');
    const module = scriptImport.exec(text)?.[2];
    if (module !== undefined) return { text, module };
    if (/;\s*$/.test(text)) return undefined;
  }
  return undefined;
}

function sortedTexts(run: readonly ImportStatement[]): string[] {
  const inOrder = run.toSorted((a, b) => compare(a.module ?? '', b.module ?? ''));
  const unended = inOrder.findIndex(({ text }) => !text.endsWith('\n'));
  if (unended < 0 || unended === inOrder.length - 1) return inOrder.map(({ text }) => text);
  const ending = run[0]?.text.endsWith('\r\n') ? '\r\n' : '\n';
  const texts = inOrder.map(({ text }, index) => (index === unended ? `${text}${ending}` : text));
  return [...texts.slice(0, -1), (texts.at(-1) ?? '').replace(/\r?\n$/, '')];
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
