import * as z from 'zod';
import type { ToolContent } from '../../amplifier/common/events';
import { relativeTo } from '../../editor/common/boundary';
import type { ToolFacts } from './permissionRules';
import { toolContent } from './toolContent';
import type { CallDescription } from './toolCalls';
import { visible, visibleCommand } from './visibleText';

/** The names that the known agents give to paths, commands and folders in the input of their tools. */
const RawInput = z.looseObject({
  file_path: z.string().optional().catch(undefined),
  filePath: z.string().optional().catch(undefined),
  filepath: z.string().optional().catch(undefined),
  path: z.string().optional().catch(undefined),
  command: z
    .union([z.string(), z.array(z.string())])
    .optional()
    .catch(undefined),
  args: z.array(z.string()).optional().catch(undefined),
  cwd: z.string().optional().catch(undefined),
  workdir: z.string().optional().catch(undefined),
});

export interface FactsContext {
  readonly agent: string;
  /** The session's folder, where a command runs that names no other. */
  readonly cwd: string;
  /** The real, absolute path behind the agent's; rejects when it is not for agents. */
  readonly resolve: (path: string) => Promise<string>;
}

/**
 * What the call touches, as far as the agent tells. A path or folder that the editor refuses stays as the agent wrote it,
 * for rules that deny; what it stands for is not known, so none allows it.
 */
export async function toolFacts(call: CallDescription, context: FactsContext): Promise<ToolFacts> {
  const input = RawInput.safeParse(call.rawInput).data ?? {};
  const { kind } = call;
  const named = [
    ...call.locations.map(({ path }) => path),
    ...call.content.flatMap((item) => (item.type === 'diff' ? [item.path] : [])),
    ...[input.file_path, input.filePath, input.filepath, input.path].filter((path) => path !== undefined),
  ];
  const refused = new Set<string>();
  const real = (path: string): Promise<string> =>
    context.resolve(path).catch(() => {
      refused.add(path);
      return path;
    });
  const paths = [...new Set(await Promise.all([...new Set(named)].map(real)))];
  const command = input.command === undefined ? undefined : await commandOf(input, input.command, context, real);
  return {
    agent: context.agent,
    kind,
    paths,
    ...(command ? { command } : {}),
    ...(refused.size > 0 ? { isUnresolved: true } : {}),
  };
}

async function commandOf(
  input: { args?: string[] | undefined; cwd?: string | undefined; workdir?: string | undefined },
  command: string | string[],
  context: FactsContext,
  real: (path: string) => Promise<string>,
): Promise<NonNullable<ToolFacts['command']>> {
  const named = input.cwd ?? input.workdir;
  // The session's own folder need not be in a workspace: a window may have none.
  const cwd = await (named === undefined ? context.resolve(context.cwd).catch(() => context.cwd) : real(named));
  return { argv: [...(typeof command === 'string' ? [command] : command), ...(input.args ?? [])], cwd };
}

/**
 * One sentence that says what the user is asked to allow, by facts before the agent's own words. What is in the
 * session's folder is named from there.
 */
export function permissionPrompt(
  agentTitle: string,
  facts: ToolFacts,
  { title, cwd }: { readonly title: string | undefined; readonly cwd: string },
): string {
  const { command, paths, kind } = facts;
  // What is not known to be inside stands as the agent wrote it.
  const nameOf = (path: string) => (facts.isUnresolved ? visible(path) : visibleName(path, cwd));
  if (command) {
    const where = command.cwd === cwd ? '' : ` in ${nameOf(command.cwd)}`;
    return `${agentTitle} wants to run ${visibleCommand(command.argv)}${where}`;
  }
  const verb = verbs[kind];
  const names = paths.map(nameOf);
  if (verb && names.length > 0) return `${agentTitle} wants to ${verb} ${names.join(', ')}`;
  return `${agentTitle} asks: ${visible(title ?? kind)}`;
}

/** A resolved path as it may stand in a question; from the folder where it is in there. */
export function visibleName(path: string, folder: string): string {
  const below = relativeTo(path, folder, false);
  return visible(below === undefined || below === '' ? path : below);
}

/** A command for whoever shows it: a line for a shell, or the arguments, of which a shell's line would be one. */
export function shownCommand(argv: readonly string[]): string | readonly string[] {
  const [only] = argv;
  return argv.length === 1 && only !== undefined ? only : argv;
}

/** Everything the user must see before answering. */
export function permissionContext(
  call: CallDescription,
  facts: ToolFacts,
  extra: { readonly agent: string; readonly mode: string | undefined },
): Record<string, unknown> {
  const content: ToolContent[] = toolContent(call.content, () => ({ output: '', truncated: false }));
  return {
    agent: extra.agent,
    kind: facts.kind,
    ...(call.title === undefined ? {} : { title: visible(call.title) }),
    ...(extra.mode === undefined ? {} : { mode: extra.mode }),
    ...(facts.command ? { command: shownCommand(facts.command.argv), cwd: facts.command.cwd } : {}),
    ...(facts.paths.length > 0 ? { paths: facts.paths } : {}),
    ...(call.locations.length > 0 ? { locations: call.locations } : {}),
    ...(content.length > 0 ? { content } : {}),
    input: call.rawInput,
  };
}

const verbs: Partial<Record<ToolFacts['kind'], string>> = {
  read: 'read',
  edit: 'edit',
  delete: 'delete',
  move: 'move',
  search: 'search',
};
