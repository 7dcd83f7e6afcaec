import * as z from 'zod';

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

/** One entry of `backline.acp.agents`. */
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
  defaults: z.record(z.string(), z.union([z.string(), z.boolean()])).optional(),
});
export type AgentSetting = z.infer<typeof AgentSetting>;

export interface SettingProblem {
  /** The entry's name; empty when it is about the whole setting. */
  readonly name: string;
  /** What is wrong and what is expected instead. */
  readonly message: string;
}

export interface AgentSettings {
  readonly agents: ReadonlyMap<string, AgentSetting>;
  readonly problems: readonly SettingProblem[];
}

/** Reads `backline.acp.agents`. An entry that is wrong is told of and left out; the others are not touched by it. */
export function parseAgentSettings(value: unknown): AgentSettings {
  const agents = new Map<string, AgentSetting>();
  if (value === undefined || value === null) return { agents, problems: [] };
  const entries = z.record(z.string(), z.unknown()).safeParse(value);
  if (!entries.success) {
    return {
      agents,
      problems: [{ name: '', message: 'backline.acp.agents must be an object: name → { "command": … }' }],
    };
  }
  const problems: SettingProblem[] = [];
  for (const [name, entry] of Object.entries(entries.data)) {
    const parsed = AgentSetting.safeParse(entry);
    if (parsed.success) agents.set(name, parsed.data);
    else problems.push({ name, message: `Agent '${name}' in backline.acp.agents: ${wordsOf(parsed.error)}` });
  }
  return { agents, problems };
}

function wordsOf(error: z.ZodError): string {
  return error.issues
    .map(({ path, message }) => (path.length === 0 ? message : `${path.join('.')}: ${message}`))
    .join('; ');
}
