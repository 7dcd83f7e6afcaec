import * as z from 'zod';
import { isRecord } from '../../../base/common/isRecord';
import { reservedPolicyIds } from '../../../permissions/common/policy/policyKinds';
import { headerProblem } from '../remote/agentHeaders';
import { agentUrlProblem } from '../remote/agentUrl';
import { demoAgentId, knownAgents } from './knownAgents';

const Variables = z.record(z.string(), z.string());

const StdioServer = z.object({
  type: z.literal('stdio').optional(),
  command: z.string().min(1),
  args: z.array(z.string()).default([]),
  env: Variables.default({}),
});
const RemoteServer = z.object({ type: z.enum(['http', 'sse']), url: z.url(), headers: Variables.default({}) });

export const McpServerSetting = z.union([StdioServer, RemoteServer]);
export type McpServerSetting = z.infer<typeof McpServerSetting>;

const Defaults = z.record(z.string(), z.union([z.string(), z.boolean()]));

/** An entry without a command. It adds settings to an agent that Backline has found or installed. */
const FoundAgentSetting = z
  .strictObject({ defaults: Defaults.optional(), tools: z.boolean().optional() })
  .refine(({ defaults, tools }) => defaults !== undefined || tools !== undefined);
type FoundAgentSetting = z.infer<typeof FoundAgentSetting>;

const ProtocolSetting = z.enum(['auto', '1', '2']);
export type ProtocolSetting = z.infer<typeof ProtocolSetting>;

export const ProcessAgentSetting = z.object({
  url: z.undefined().optional(),
  /** A path (relative to the session's folder), or a name on PATH. */
  command: z.string().min(1),
  args: z.array(z.string()).default([]),
  /** Variables that are added to the environment of VS Code. */
  env: Variables.default({}),
  cwd: z.string().min(1).optional(),
  dialect: z.enum(['v1', 'draft']).default('v1'),
  /** The version of ACP to offer; only for the dialect `v1`. Optional, so that entries without it keep their consent. */
  protocol: ProtocolSetting.optional(),
  mcpServers: z.record(z.string(), McpServerSetting).default({}),
  /**
   * Values for options of new sessions. Keys are `mode`, `model` or the id of an option; a value can be given by its
   * name.
   */
  defaults: Defaults.optional(),
  /** Whether the agent gets the tools of the window; by default it does. */
  tools: z.boolean().optional(),
});
export type ProcessAgentSetting = z.infer<typeof ProcessAgentSetting>;

/** An agent that Backline connects to. */
const UrlAgentSetting = z.strictObject({
  url: z.string().superRefine((url, context) => addProblem(agentUrlProblem(url), context)),
  /** Values may contain `${secret:NAME}`. */
  headers: Variables.superRefine((headers, context) => {
    for (const [name, value] of Object.entries(headers)) addProblem(headerProblem(name, value), context);
  }).default({}),
  /** The folder of sessions on the agent's machine. The session's own path by default. */
  cwd: z.string().min(1).optional(),
  protocol: ProtocolSetting.optional(),
  mcpServers: z.record(z.string(), McpServerSetting).default({}),
  defaults: Defaults.optional(),
  /** Whether the agent gets the tools of the window, if it runs on this machine; by default it does. */
  tools: z.boolean().optional(),
});
export type UrlAgentSetting = z.infer<typeof UrlAgentSetting>;

export type AgentSetting = ProcessAgentSetting | UrlAgentSetting;

function addProblem(problem: string | undefined, context: z.RefinementCtx): void {
  if (problem !== undefined) context.addIssue(problem);
}

interface AgentSettings {
  readonly agents: ReadonlyMap<string, AgentSetting>;
  /** Settings of agents that are found or installed, by agent id. */
  readonly found: ReadonlyMap<string, FoundAgentSetting>;
  /** Descriptions of invalid entries and of what is expected instead. */
  readonly problems: readonly string[];
}

/**
 * Reads `backline.acp.agents` and reports invalid entries. A workspace cannot change agents of the user
 * settings. `installedIds` are the ids of the agents that Backline has installed, as far as they are known.
 */
export function parseAgentSettings(
  value: unknown,
  isOfWorkspace = false,
  installedIds: ReadonlySet<string> = new Set(),
): AgentSettings {
  const agents = new Map<string, AgentSetting>();
  const found = new Map<string, FoundAgentSetting>();
  if (value === undefined || value === null) return { agents, found, problems: [] };
  const entries = z.record(z.string(), z.unknown()).safeParse(value);
  if (!entries.success) {
    return {
      agents,
      found,
      problems: ['backline.acp.agents must be an object, such as { "OpenCode": { "command": "opencode" } }'],
    };
  }
  const problems: string[] = [];
  for (const [name, entry] of Object.entries(entries.data)) {
    // Workspace agents cannot have a reserved id, because their ids are longer than their names.
    if (!isOfWorkspace && reservedPolicyIds.has(name)) {
      problems.push(
        `Agent '${name}' in backline.acp.agents: this name is used in backline.permissions, choose another`,
      );
      continue;
    }
    const addition = FoundAgentSetting.safeParse(entry).data;
    const isInstalled = installedIds.has(name) && !isOfWorkspace;
    const lack = addition && !isInstalled ? missingCommandProblem(name, isOfWorkspace) : undefined;
    const parsed = addition ? undefined : parseEntry(entry);
    if (parsed?.success) agents.set(name, parsed.data);
    else if (addition && lack === undefined) found.set(name, addition);
    const wrong = lack ?? (parsed?.error && issuesText(parsed.error));
    if (wrong !== undefined) problems.push(`Agent '${name}' in backline.acp.agents: ${wrong}`);
  }
  return { agents, found, problems };
}

function parseEntry(entry: unknown): z.ZodSafeParseResult<AgentSetting> {
  if (!isRecord(entry) || !('url' in entry)) return ProcessAgentSetting.safeParse(entry);
  if ('command' in entry) return Ambiguous.safeParse(entry);
  return UrlAgentSetting.safeParse(entry);
}

const Ambiguous = z.never('use either "command" or "url", not both');

/** Explains why an entry without a command is ignored. */
function missingCommandProblem(name: string, isOfWorkspace: boolean): string | undefined {
  if (isOfWorkspace)
    return '"defaults" and "tools" without a "command" work only in user settings. Move this entry there, or add a "command"';
  if (name === demoAgentId || knownAgents.some(({ id }) => id === name)) return undefined;
  const ids = knownAgents.map(({ id }) => id).join(', ');
  return `add a "command", or use the id of an installed or known agent: ${demoAgentId}, ${ids}`;
}

function issuesText(error: z.ZodError): string {
  return error.issues
    .map(({ path, message }) => (path.length === 0 ? message : `${path.join('.')}: ${message}`))
    .join('; ');
}
