import * as z from 'zod';
import type { ToolContent } from '../../amplifier/common/events';
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
  input: { cwd?: string | undefined; workdir?: string | undefined },
  command: string | string[],
  context: FactsContext,
  real: (path: string) => Promise<string>,
): Promise<NonNullable<ToolFacts['command']>> {
  const named = input.cwd ?? input.workdir;
  // The session's own folder need not be in a workspace: a window may have none.
  const cwd = await (named === undefined ? context.resolve(context.cwd).catch(() => context.cwd) : real(named));
  return { argv: typeof command === 'string' ? [command] : command, cwd };
}

/** One sentence that says what the user is asked to allow, by facts before the agent's own words. */
export function permissionPrompt(agentTitle: string, facts: ToolFacts, title: string | undefined): string {
  const { command, paths, kind } = facts;
  if (command) return `${agentTitle} wants to run ${visibleCommand(command.argv)} in ${visible(command.cwd)}`;
  const verb = verbs[kind];
  if (verb && paths.length > 0) return `${agentTitle} wants to ${verb} ${paths.map(visible).join(', ')}`;
  return `${agentTitle} asks: ${visible(title ?? kind)}`;
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
    ...(facts.command ? { command: facts.command.argv, cwd: facts.command.cwd } : {}),
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
