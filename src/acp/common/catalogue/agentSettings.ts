import * as z from 'zod';
import { demoAgentId, knownAgents } from './knownAgents';

const Variables = z.record(z.string(), z.string());

const StdioServer = z.object({
  type: z.literal('stdio').optional(),
  command: z.string().min(1),
  args: z.array(z.string()).default([]),
  env: Variables.default({}),
});
const RemoteServer = z.object({ type: z.enum(['http', 'sse']), url: z.url(), headers: Variables.default({}) });

/** An MCP server that an agent is told to use. */
export const McpServerSetting = z.union([StdioServer, RemoteServer]);
export type McpServerSetting = z.infer<typeof McpServerSetting>;

const Defaults = z.record(z.string(), z.union([z.string(), z.boolean()]));

/** An entry of `backline.acp.agents` for an agent that is found without one. */
const FoundAgentSetting = z.strictObject({ defaults: Defaults });

/** An entry of `backline.acp.agents` that says what is run. */
export const AgentSetting = z.object({
  /** A name on PATH, or a path; relative ones start from the session's folder. */
  command: z.string().min(1),
  args: z.array(z.string()).default([]),
  /** Added to the environment of the login shell. */
  env: Variables.default({}),
  cwd: z.string().min(1).optional(),
  dialect: z.enum(['v1', 'draft']).default('v1'),
  mcpServers: z.record(z.string(), McpServerSetting).default({}),
  /** What new conversations begin with: `mode`, `model`, or an option's id, with a value or its name. */
  defaults: Defaults.optional(),
});
export type AgentSetting = z.infer<typeof AgentSetting>;

interface AgentSettings {
  readonly agents: ReadonlyMap<string, AgentSetting>;
  /** For agents that are found without an entry, by their ids: what new conversations begin with. */
  readonly defaults: ReadonlyMap<string, NonNullable<AgentSetting['defaults']>>;
  /** What is wrong with which entry, and what is expected instead. */
  readonly problems: readonly string[];
}

/**
 * Reads `backline.acp.agents`. An entry that is wrong is told of and left out; the others are not touched by it. What new
 * conversations with an agent of the user begin with, such as its mode, is no workspace's to say.
 */
export function parseAgentSettings(value: unknown, isOfWorkspace = false): AgentSettings {
  const agents = new Map<string, AgentSetting>();
  const defaults = new Map<string, NonNullable<AgentSetting['defaults']>>();
  if (value === undefined || value === null) return { agents, defaults, problems: [] };
  const entries = z.record(z.string(), z.unknown()).safeParse(value);
  if (!entries.success) {
    return { agents, defaults, problems: ['backline.acp.agents must be an object: name → { "command": … }'] };
  }
  const problems: string[] = [];
  for (const [name, entry] of Object.entries(entries.data)) {
    const found = FoundAgentSetting.safeParse(entry).data;
    const lack = found && lackOf(name, isOfWorkspace);
    const parsed = found ? undefined : AgentSetting.safeParse(entry);
    if (parsed?.success) agents.set(name, parsed.data);
    else if (found && lack === undefined) defaults.set(name, found.defaults);
    const wrong = lack ?? (parsed?.error && wordsOf(parsed.error));
    if (wrong !== undefined) problems.push(`Agent '${name}' in backline.acp.agents: ${wrong}`);
  }
  return { agents, defaults, problems };
}

/** Why an entry with nothing but `defaults` does not count. */
function lackOf(name: string, isOfWorkspace: boolean): string | undefined {
  if (isOfWorkspace)
    return 'an entry with only "defaults" counts only in your user settings: move it there, or add a "command"';
  if (name === demoAgentId || knownAgents.some(({ id }) => id === name)) return undefined;
  const ids = knownAgents.map(({ id }) => id).join(', ');
  return `add a "command": without one, the name has to be one of ${demoAgentId}, ${ids}`;
}

function wordsOf(error: z.ZodError): string {
  return error.issues
    .map(({ path, message }) => (path.length === 0 ? message : `${path.join('.')}: ${message}`))
    .join('; ');
}
