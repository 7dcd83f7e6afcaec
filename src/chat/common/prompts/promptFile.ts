/**
 * How a prompt file is written. `vscode`: `*.prompt.md` of VS Code, with `${input:name}`. `claude`: a command of Claude Code, with
 * `$ARGUMENTS` and `$1`. `codex`: a prompt of Codex, with the same or with `$NAME`.
 */
export type PromptFileStyle = 'vscode' | 'claude' | 'codex';

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
/** Of a line of the header, and of an input. What is longer is cut off, or is no input. */
const maxPartUnits = 1024;

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
  const named = style === 'codex' ? codexInputsOf(body).map(({ name }) => `${name}=`) : [];
  const names = style === 'vscode' ? inputsOf(body).map(({ name }) => `[${name}]`) : named;
  if (names.length > 0) return names.join(' ');
  return style !== 'vscode' && /\$(?:ARGUMENTS\b|\d)/.test(body) ? '[arguments]' : undefined;
}

export interface PromptInput {
  readonly name: string;
  /** What to write there, in the words of the file. */
  readonly placeholder: string | undefined;
}

/** The `${input:name:placeholder}` of a text, each name once, in the order of the text. */
export function inputsOf(body: string): PromptInput[] {
  const inputs = new Map<string, PromptInput>();
  for (const piece of splitAtInputs(body)) {
    if (typeof piece !== 'string' && !inputs.has(piece.name)) inputs.set(piece.name, piece);
  }
  return [...inputs.values()];
}

/** The `$NAME` of a prompt of Codex. `$$` stands for itself. */
export const codexPlace = /(?<!\$)\$(?!ARGUMENTS\b)([A-Z][A-Z0-9_]*)/g;

/** The `$NAME` of a prompt of Codex, each name once, in the order of the text. */
export function codexInputsOf(body: string): PromptInput[] {
  const names = new Set([...body.matchAll(codexPlace)].map(([, name = '']) => name));
  return [...names].map((name) => ({ name, placeholder: undefined }));
}

/** Splits a text at its `${input:name}` and `${input:name:placeholder}`. Reads each character once, however it is written. */
export function splitAtInputs(body: string): (string | PromptInput)[] {
  const opening = '${input:';
  const pieces: (string | PromptInput)[] = [];
  let readTo = 0;
  let end = 0;
  for (let start = body.indexOf(opening); start >= 0; start = body.indexOf(opening, start + 1)) {
    if (start < readTo) continue;
    const from = start + opening.length;
    if (end < from) end = body.indexOf('}', from);
    if (end < 0) break;
    const input = end - from > maxPartUnits ? undefined : parseInput(body.slice(from, end));
    if (!input) continue;
    pieces.push(body.slice(readTo, start), input);
    readTo = end + 1;
  }
  return [...pieces, body.slice(readTo)].filter((piece) => piece !== '');
}

function parseInput(written: string): PromptInput | undefined {
  const [name = '', ...placeholder] = written.split(':');
  if (name === '' || written.includes('\n')) return undefined;
  return { name: name.trim(), placeholder: placeholder.length === 0 ? undefined : placeholder.join(':').trim() };
}

function memberOf(header: readonly string[], name: string): string | undefined {
  const prefix = `${name}:`;
  const index = header.findIndex((line) => line.startsWith(prefix));
  const value = unquote(header[index]?.slice(prefix.length, maxPartUnits).trim() ?? '');
  // The first line of a text over several lines is all that is shown.
  return shorten(/^[|>][+-]?$/.test(value) ? (header[index + 1]?.slice(0, maxPartUnits).trim() ?? '') : value);
}

function shorten(value: string): string | undefined {
  return value === '' ? undefined : value.slice(0, maxWordUnits);
}

function unquote(value: string): string {
  const quote = value.charAt(0);
  const inner = value.slice(1, -1);
  if (value.length > 1 && value.endsWith(quote)) {
    if (quote === '"') return inner.replace(/\\(["\\])/g, '$1');
    if (quote === "'") return inner.replaceAll("''", "'");
  }
  // A comment begins with the first `#` after a space.
  const comment = /[ \t]#/.exec(value);
  return comment ? value.slice(0, comment.index).trimEnd() : value;
}
