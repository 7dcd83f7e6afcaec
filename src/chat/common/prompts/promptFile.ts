/**
 * How a prompt file is written. `vscode`: `*.prompt.md` of VS Code, with `${input:name}`. `claude`: a command of Claude Code, with
 * `$ARGUMENTS` and `$1`.
 */
export type PromptFileStyle = 'vscode' | 'claude';

/** What the header of a prompt file says, and the text after it. Tools, models and permissions in a header are ignored. */
export interface PromptFile {
  readonly name: string | undefined;
  readonly description: string | undefined;
  /** Which arguments the user may write after the name. */
  readonly hint: string | undefined;
  readonly body: string;
}

/** Why a file can't be used, as a clause that follows the name of the file. */
type PromptFileProblem = 'has a header without an end' | 'has no text';

const fence = /^---[ \t]*$/;
const maxWordUnits = 200;

/** Reads a prompt file. The header is YAML, of which only three members of one line each are read. Never throws. */
export function parsePromptFile(text: string): PromptFile | PromptFileProblem {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/);
  let header: readonly string[] = [];
  let body = lines;
  if (fence.test(lines[0] ?? '')) {
    const end = lines.findIndex((line, index) => index > 0 && fence.test(line));
    if (end < 0) return 'has a header without an end';
    header = lines.slice(1, end);
    body = lines.slice(end + 1);
  }
  const written = body.join('\n').trim();
  if (written === '') return 'has no text';
  return {
    name: memberOf(header, 'name'),
    description: memberOf(header, 'description'),
    hint: memberOf(header, 'argument-hint'),
    body: written,
  };
}

/** Returns the arguments that the text asks for, such as `[form-name]`. Undefined if it asks for none. */
export function argumentHintOf({ body, hint }: PromptFile, style: PromptFileStyle): string | undefined {
  if (hint !== undefined) return hint;
  if (style === 'claude') return /\$(?:ARGUMENTS\b|\d)/.test(body) ? '[arguments]' : undefined;
  const names = inputsOf(body).map(({ name }) => `[${name}]`);
  return names.length === 0 ? undefined : names.join(' ');
}

export interface PromptInput {
  readonly name: string;
  /** What to write there, in the words of the file. */
  readonly placeholder: string | undefined;
}

/** The `${input:name:placeholder}` of a text, each name once, in the order of the text. */
export function inputsOf(body: string): PromptInput[] {
  const inputs = [...body.matchAll(inputPattern())].map(([, name = '', placeholder]): PromptInput => ({
    name: name.trim(),
    placeholder: placeholder?.trim(),
  }));
  return inputs.filter(({ name }, index) => inputs.findIndex((other) => other.name === name) === index);
}

/** Matches `${input:name}` and `${input:name:placeholder}`. New for each use, because it has a state. */
export function inputPattern(): RegExp {
  return /\$\{input:([^:}\n]+)(?::([^}\n]*))?\}/g;
}

function memberOf(header: readonly string[], name: string): string | undefined {
  const prefix = `${name}:`;
  const line = header.find((line) => line.startsWith(prefix));
  const value = line === undefined ? '' : unquote(line.slice(prefix.length).trim());
  // The first line of a text over several lines is all that is shown.
  if (line !== undefined && /^[|>][+-]?$/.test(value)) {
    return shorten(header[header.indexOf(line) + 1]?.trim() ?? '');
  }
  return shorten(value);
}

function shorten(value: string): string | undefined {
  return value === '' ? undefined : value.slice(0, maxWordUnits);
}

function unquote(value: string): string {
  const [, quote, inner = ''] = /^(["'])(.*)\1$/.exec(value) ?? [];
  if (quote === undefined) return value.replace(/\s+#.*$/, '');
  return quote === '"' ? inner.replace(/\\(["\\])/g, '$1') : inner.replaceAll("''", "'");
}
