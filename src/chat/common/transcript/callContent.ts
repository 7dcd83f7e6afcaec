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
 * The content of a call as what it is. Many agents send all text as Markdown; what a command has printed is the text of a
 * terminal, and other than in Markdown its lines and escape sequences mean something.
 */
export function contentOf(call: CallContent): readonly ToolContent[] {
  const { content, kind } = call;
  // Beside a terminal, text is what the agent says about it.
  if (kind !== 'execute' || content.some(({ type }) => type === 'terminal')) return content;
  const shown: ToolContent[] = [];
  for (const item of content) {
    if (item.type !== 'text' || isAboutTheCall(item.text, call)) {
      shown.push(item);
      continue;
    }
    const output = withoutFence(item.text);
    const last = shown.at(-1);
    if (last?.type === 'terminal') shown[shown.length - 1] = { ...last, output: joined(last.output, output) };
    else shown.push({ type: 'terminal', terminal_id: '', output });
  }
  const exitCode = exitCodeOf(call.output);
  if (exitCode === undefined) return shown;
  return shown.map((item) => (item.type === 'terminal' ? { ...item, exit_code: exitCode } : item));
}

/** Whether text is to be shown as it is: a file or a list of matches, which the agent has not put into Markdown. */
export function isPlainText(kind: CallContent['kind'], text: string): boolean {
  return (kind === 'read' || kind === 'search') && !/^ {0,3}(```|~~~)/m.test(text);
}

/** What the command is for, in the agent's words; some agents send it as content until there is output. */
function isAboutTheCall(text: string, { title, input }: CallContent): boolean {
  const words = text.trim();
  return [title, input['description']].some((about) => typeof about === 'string' && about.trim() === words);
}

/** The text in a fence that is all there is. */
function withoutFence(text: string): string {
  const [, , inner] = /^\s*(`{3,}|~{3,})[^\n`]*\n([\s\S]*?)\n?\1[ \t]*\s*$/.exec(text) ?? [];
  return inner ?? text;
}

function joined(one: string, other: string): string {
  return one === '' || one.endsWith('\n') ? one + other : `${one}\n${other}`;
}

const Code = z.number().int().optional().catch(undefined);

/** Where agents say in the result of a command how it ended. */
const Result = z.looseObject({
  exitCode: Code,
  exit_code: Code,
  metadata: z.looseObject({ exit: Code }).optional().catch(undefined),
  contents: z
    .array(z.looseObject({ exitCode: Code }))
    .optional()
    .catch(undefined),
});

function exitCodeOf(output: unknown): number | undefined {
  const result = Result.safeParse(output).data;
  if (!result) return undefined;
  const { exitCode, exit_code, metadata, contents } = result;
  return exitCode ?? exit_code ?? metadata?.exit ?? contents?.find((item) => item.exitCode !== undefined)?.exitCode;
}
