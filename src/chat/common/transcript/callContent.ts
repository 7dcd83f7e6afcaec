import * as z from 'zod';
import type { ToolContent } from '../../../session/common/sessionEvents';
import type { EntryOf } from '../../../transcript/common/entries';

interface CallContent {
  readonly kind: EntryOf<'tool'>['toolKind'];
  readonly title: string | undefined;
  readonly input: Readonly<Record<string, unknown>>;
  readonly content: readonly ToolContent[];
  readonly output: unknown;
}

/**
 * Returns the content of a call. Converts the output of commands to terminal content, because many agents send it as
 * Markdown text, which would lose line breaks and escape sequences.
 */
export function showCommandOutputAsTerminal(call: CallContent): readonly ToolContent[] {
  const { content, kind } = call;
  // If there is a terminal, the text is the agent's comment on it.
  if (kind !== 'execute' || content.some(({ type }) => type === 'terminal')) return content;
  const shown: ToolContent[] = [];
  for (const item of content) {
    if (item.type !== 'text' || isCallDescription(item.text, call)) {
      shown.push(item);
      continue;
    }
    const output = stripFence(item.text);
    const last = shown.at(-1);
    if (last?.type === 'terminal') shown[shown.length - 1] = { ...last, output: joinOutputs(last.output, output) };
    else shown.push({ type: 'terminal', terminal_id: '', output, ...(item.truncated ? { truncated: true } : {}) });
  }
  const exitCode = exitCodeOf(call.output);
  if (exitCode === undefined) return shown;
  return shown.map((item) => (item.type === 'terminal' ? { ...item, exit_code: exitCode } : item));
}

/** Whether to show the text unformatted, because it is a file or a list of matches without a Markdown code block. */
export function isPlainText(kind: CallContent['kind'], text: string): boolean {
  return (kind === 'read' || kind === 'search') && !/^ {0,3}(```|~~~)/m.test(text);
}

/** Whether the text only repeats the call's title or description, which some agents send until there is output. */
function isCallDescription(text: string, { title, input }: CallContent): boolean {
  const words = text.trim();
  return [title, input['description']].some((about) => typeof about === 'string' && about.trim() === words);
}

/** Returns the text inside a code block if the whole text is one. */
function stripFence(text: string): string {
  const [, , inner] = /^\s*(`{3,}|~{3,})[^\n`]*\n([\s\S]*?)\n?\1[ \t]*\s*$/.exec(text) ?? [];
  return inner ?? text;
}

function joinOutputs(one: string, other: string): string {
  return one === '' || one.endsWith('\n') ? one + other : `${one}\n${other}`;
}

const ExitCode = z.number().int().optional().catch(undefined);

/** Members of a result that can contain the exit code. Their names depend on the agent. */
const CommandResult = z.looseObject({
  exitCode: ExitCode,
  exit_code: ExitCode,
  metadata: z.looseObject({ exit: ExitCode }).optional().catch(undefined),
  contents: z
    .array(z.looseObject({ exitCode: ExitCode }))
    .optional()
    .catch(undefined),
});

function exitCodeOf(output: unknown): number | undefined {
  const result = CommandResult.safeParse(output).data;
  if (!result) return undefined;
  const { exitCode, exit_code, metadata, contents } = result;
  return exitCode ?? exit_code ?? metadata?.exit ?? contents?.find((item) => item.exitCode !== undefined)?.exitCode;
}
