/** The outline of a text file, created without a parser. Lines are 1-based. */
interface Outline {
  readonly lineCount: number;
  readonly importCount: number;
  readonly declarations: readonly Declaration[];
  readonly todos: readonly { readonly text: string; readonly line: number }[];
}

interface Declaration {
  readonly kind: string;
  readonly name: string;
  readonly line: number;
}

interface LanguagePatterns {
  readonly extensions: RegExp;
  readonly import?: RegExp;
  /** The kinds of declarations and their patterns. The only capturing group of a pattern is the name. */
  readonly declarations: readonly (readonly [kind: string, pattern: RegExp])[];
}

const exportPrefix = String.raw`^\s*(?:export\s+)?(?:default\s+)?(?:declare\s+)?`;
const visibilityPrefix = String.raw`^\s*(?:pub(?:\([^)]*\))?\s+)?`;

const languages: readonly LanguagePatterns[] = [
  {
    extensions: /\.[cm]?[jt]sx?$/i,
    import: /^\s*import\b/,
    declarations: [
      ['function', new RegExp(String.raw`${exportPrefix}(?:async\s+)?function\s*\*?\s*([\w$]+)`)],
      ['class', new RegExp(String.raw`${exportPrefix}(?:abstract\s+)?class\s+([\w$]+)`)],
      ['interface', new RegExp(String.raw`${exportPrefix}interface\s+([\w$]+)`)],
      ['type', new RegExp(String.raw`${exportPrefix}type\s+([\w$]+)\s*[=<]`)],
      [
        'function',
        new RegExp(
          String.raw`${exportPrefix}(?:const|let)\s+([\w$]+)[^=]*=\s*(?:async\s*)?(?:\([^)]*\)|[\w$]+)[^=]*=>`,
        ),
      ],
    ],
  },
  {
    extensions: /\.pyi?$/i,
    import: /^\s*(?:import|from)\s/,
    declarations: [
      ['function', /^\s*(?:async\s+)?def\s+(\w+)/],
      ['class', /^\s*class\s+(\w+)/],
    ],
  },
  {
    extensions: /\.go$/i,
    import: /^import\b/,
    declarations: [
      ['function', /^func\s+(?:\([^)]*\)\s*)?(\w+)/],
      ['type', /^type\s+(\w+)/],
    ],
  },
  {
    extensions: /\.rs$/i,
    import: /^\s*(?:pub\s+)?use\s/,
    declarations: [
      ['function', new RegExp(String.raw`${visibilityPrefix}(?:async\s+|const\s+|unsafe\s+)*fn\s+(\w+)`)],
      ['struct', new RegExp(String.raw`${visibilityPrefix}struct\s+(\w+)`)],
      ['enum', new RegExp(String.raw`${visibilityPrefix}enum\s+(\w+)`)],
      ['trait', new RegExp(String.raw`${visibilityPrefix}trait\s+(\w+)`)],
    ],
  },
  { extensions: /\.(?:md|markdown)$/i, declarations: [['heading', /^#{1,6}\s+(.+?)\s*#*$/]] },
];

const todoPattern = /\b(?:TODO|FIXME|XXX)\b[:\s]*(.*)$/;

/** Creates the outline. `name` determines the language. In unknown languages, only lines and TODOs are counted. */
export function createOutline(name: string, text: string): Outline {
  const language = languages.find(({ extensions }) => extensions.test(name));
  const lines = text.split(/\r\n|\n|\r/);
  if (lines.at(-1) === '') lines.pop();
  const declarations: Declaration[] = [];
  const todos: { text: string; line: number }[] = [];
  let imports = 0;
  for (const [index, content] of lines.entries()) {
    const line = index + 1;
    if (language?.import?.test(content)) imports++;
    for (const [kind, pattern] of language?.declarations ?? []) {
      const found = pattern.exec(content)?.[1];
      if (found === undefined) continue;
      declarations.push({ kind, name: found, line });
      break;
    }
    const todo = todoPattern.exec(content)?.[1];
    if (todo !== undefined) todos.push({ text: todo.replace(/\s*(?:\*\/|-->)\s*$/, '').trim(), line });
  }
  return { lineCount: lines.length, importCount: imports, declarations, todos };
}
