import {
  codexInputsOf,
  codexPlace,
  inputsOf,
  splitAtInputs,
  type PromptFileStyle,
  type PromptInput,
} from './promptFile';

/** What the editor shows. Members are absent if there is nothing, or nothing that agents may read. */
export interface EditorFacts {
  /** Absolute path of the workspace folder of the active file, or of the first one. */
  readonly folder?: string | undefined;
  /** Absolute path of the active file. */
  readonly file?: string | undefined;
  readonly selection?: string | undefined;
}

interface FillSources {
  readonly editor: EditorFacts;
  /** Asks the user for an input that the arguments do not have. Resolves to undefined if the user cancels. */
  readonly ask: (input: PromptInput) => Promise<string | undefined>;
}

interface FilledPrompt {
  readonly text: string;
  /** Commands that Claude Code would run to insert their output. Nothing runs them here. */
  readonly commands: readonly string[];
}

/**
 * Puts the arguments into the text of a prompt file. `args`: what the user has written after its name. What has no place in the
 * text is added at the end. Resolves to undefined if the user cancels.
 * @throws Error with a sentence for the user, if the text needs a file or a selection and there is none
 */
export async function fillPrompt(
  body: string,
  style: PromptFileStyle,
  args: string,
  sources: FillSources,
): Promise<FilledPrompt | undefined> {
  if (style === 'claude') return fillClaudePrompt(body, args.trim());
  const fill = style === 'codex' ? fillCodexPrompt : fillVsCodePrompt;
  const text = await fill(body, args.trim(), sources);
  return text === undefined ? undefined : { text, commands: [] };
}

function fillClaudePrompt(body: string, args: string): FilledPrompt {
  const commands = [...body.matchAll(/!`([^`\n]+)`/g)].map(([, command = '']) => command);
  const words = splitWords(args);
  // In newer files, `$0` is the first argument. In those that never use it, `$1` is.
  const first = /\$0(?!\d)|\$ARGUMENTS\[\d/.test(body) ? 0 : 1;
  const hasPlaces = /\$(?:ARGUMENTS\b|\d)/.test(body.replace(/!`[^`\n]+`/g, ''));
  const filled = body.replace(
    /!(`[^`\n]+`)|\$ARGUMENTS\[(\d+)\]|\$ARGUMENTS\b|\$(\d+)/g,
    (whole: string, command?: string, index?: string, position?: string) => {
      if (command !== undefined) return command;
      if (index !== undefined) return words[Number(index)] ?? whole;
      return position === undefined ? args : (words[Number(position) - first] ?? whole);
    },
  );
  return { text: hasPlaces ? filled : appendText(filled, args), commands };
}

async function fillCodexPrompt(body: string, args: string, { ask }: FillSources): Promise<string | undefined> {
  const inputs = codexInputsOf(body);
  if (inputs.length === 0) {
    const words = splitWords(args);
    const places = /(?<!\$)\$(?:ARGUMENTS\b|([1-9]))/g;
    const filled = body.replace(places, (whole: string, position?: string) =>
      position === undefined ? args : (words[Number(position) - 1] ?? whole),
    );
    return body.search(places) >= 0 ? filled : appendText(filled, args);
  }
  const { rest, values } = readNamedValues(args, inputs);
  if (!(await askForMissing(inputs, values, ask))) return undefined;
  return appendText(
    body.replace(codexPlace, (whole, name: string) => values.get(name) ?? whole),
    rest,
  );
}

/** Resolves to false if the user cancels. */
async function askForMissing(
  inputs: readonly PromptInput[],
  values: Map<string, string>,
  ask: FillSources['ask'],
): Promise<boolean> {
  for (const input of inputs) {
    if (values.has(input.name)) continue;
    const value = await ask(input);
    if (value === undefined) return false;
    values.set(input.name, value);
  }
  return true;
}

async function fillVsCodePrompt(body: string, args: string, sources: FillSources): Promise<string | undefined> {
  const inputs = inputsOf(body);
  const { rest, values } = readNamedValues(args, inputs);
  const [only] = inputs;
  let left = rest;
  if (only && inputs.length === 1 && !values.has(only.name) && left !== '') {
    values.set(only.name, left);
    left = '';
  }
  const facts = factsFor(body, sources.editor);
  if (!(await askForMissing(inputs, values, sources.ask))) return undefined;
  // In one pass, so that a value is never taken for a place.
  const filled = splitAtInputs(body).map((piece) =>
    typeof piece === 'string'
      ? piece.replace(factPattern, (whole, fact: string) => facts.get(fact) ?? whole)
      : (values.get(piece.name) ?? ''),
  );
  return appendText(filled.join(''), left);
}

const factPattern =
  /\$\{(workspaceFolder|workspaceFolderBasename|file|fileBasename|fileDirname|fileBasenameNoExtension|selection|selectedText)\}/g;

function factsFor(body: string, { file, folder, selection }: EditorFacts): ReadonlyMap<string, string> {
  const needs = (pattern: RegExp): boolean => pattern.test(body);
  if (file === undefined && needs(/\$\{file\w*\}/))
    throw new Error('it needs a file: open one in the workspace first.');
  if (!selection && needs(/\$\{(?:selection|selectedText)\}/)) {
    throw new Error('it needs a selection: select text in an editor first.');
  }
  const name = nameOf(file ?? '');
  const entries: readonly (readonly [string, string | undefined])[] = [
    ['workspaceFolder', folder],
    ['workspaceFolderBasename', folder === undefined ? undefined : nameOf(folder)],
    ['file', file],
    ['fileBasename', name],
    ['fileDirname', file?.slice(0, -name.length - 1)],
    ['fileBasenameNoExtension', name.replace(/(?<=.)\.[^.]*$/, '')],
    ['selection', selection],
    ['selectedText', selection],
  ];
  return new Map(entries.flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const])));
}

/** Reads `name=value` and `name="some words"` for the known inputs. All other text is the rest. */
function readNamedValues(
  args: string,
  inputs: readonly PromptInput[],
): { readonly values: Map<string, string>; readonly rest: string } {
  const values = new Map<string, string>();
  const known = new Set(inputs.map(({ name }) => name));
  const rest = args.replace(
    /(?<!\S)([\w-]+)=(?:"([^"]*)"|'([^']*)'|(\S*))/g,
    (whole: string, name: string, double?: string, single?: string, bare?: string) => {
      if (!known.has(name) || values.has(name)) return whole;
      values.set(name, double ?? single ?? bare ?? '');
      return '';
    },
  );
  return { values, rest: rest.trim() };
}

/** Splits as a shell does: quotes keep words together. */
function splitWords(args: string): string[] {
  return [...args.matchAll(/(?:"[^"]*"|'[^']*'|\S)+/g)].map(([word]) =>
    word.replace(/"([^"]*)"|'([^']*)'/g, (_whole, double?: string, single?: string) => double ?? single ?? ''),
  );
}

function appendText(text: string, added: string): string {
  return added === '' ? text : `${text}\n\n${added}`;
}

function nameOf(path: string): string {
  return path.split(/[\\/]/).at(-1) ?? '';
}
