import type { McpServer } from '@agentclientprotocol/sdk';
import * as z from 'zod';
import { messageOf } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';
import type { FoundCommand } from '../process/commandLookup';

const Variables = z.record(z.string(), z.union([z.string(), z.number()]).transform(String));

const Stdio = z.looseObject({
  type: z.literal('stdio').optional(),
  command: z.string().min(1),
  args: z.array(z.string()).default([]),
  env: Variables.default({}),
});
const Remote = z.looseObject({
  type: z.enum(['http', 'sse']),
  url: z.url({ protocol: /^https?$/ }),
  headers: Variables.default({}),
});

export interface McpServerOptions {
  /** Transports that the agent supports besides stdio. */
  readonly capabilities: { readonly http: boolean; readonly sse: boolean };
  /** Finds a program's full path, which the protocol requires. Rejects with a message for the user. */
  readonly findProgram: (command: string) => Promise<FoundCommand>;
}

interface McpConversion {
  readonly servers: readonly McpServer[];
  readonly notes: readonly string[];
}

/** Converts MCP servers from settings to the protocol's form. Skips unusable servers with a note. */
export async function toMcpServers(
  settings: Readonly<Record<string, unknown>>,
  workspaceFolder: string,
  options: McpServerOptions,
): Promise<McpConversion> {
  const notes: string[] = [];
  const servers: McpServer[] = [];
  for (const [name, entry] of Object.entries(settings)) {
    try {
      servers.push(await toServer(name, substitute(entry, workspaceFolder), options));
    } catch (error) {
      notes.push(`The MCP server "${name}" was skipped: ${messageOf(error)}`);
    }
  }
  return { servers, notes };
}

/**
 * Returns the servers of a remote agent's entry. Their commands run on the agent's machine, so they are sent unchanged.
 */
export async function mcpServersOfRemoteAgent(
  settings: Readonly<Record<string, unknown>>,
  { capabilities, cwd }: Pick<McpServerOptions, 'capabilities'> & { readonly cwd: string },
  log: Pick<Logger, 'warn'>,
): Promise<readonly McpServer[]> {
  const findProgram = (file: string): Promise<FoundCommand> => Promise.resolve({ file, args: [] });
  const { notes, servers } = await toMcpServers(settings, cwd, { capabilities, findProgram });
  for (const note of notes) log.warn(note);
  return servers;
}

async function toServer(name: string, entry: unknown, options: McpServerOptions): Promise<McpServer> {
  const remote = Remote.safeParse(entry).data;
  if (remote) {
    const { type, url, headers } = remote;
    if (!options.capabilities[type]) throw new Error(`the agent does not support servers of type ${type}.`);
    return { type, name, url, headers: toPairs(headers) };
  }
  const local = Stdio.safeParse(entry).data;
  if (!local) throw new Error('add a "command", or a "url" and the "type" http or sse.');
  const { file, args } = await options.findProgram(local.command);
  return { name, command: file, args: [...args, ...local.args], env: toPairs(local.env) };
}

function toPairs(variables: Record<string, string>): { name: string; value: string }[] {
  return Object.entries(variables).map(([name, value]) => ({ name, value }));
}

export function substituteWorkspaceFolder(value: unknown, workspaceFolder: string): unknown {
  if (typeof value === 'string') return value.replaceAll('${workspaceFolder}', () => workspaceFolder);
  if (Array.isArray(value)) return value.map((item) => substituteWorkspaceFolder(item, workspaceFolder));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, substituteWorkspaceFolder(item, workspaceFolder)]),
  );
}

/** @throws Error for other variables, which would need VS Code or the user */
function substitute(value: unknown, workspaceFolder: string): unknown {
  requireNoVariables(substituteWorkspaceFolder(value, ''));
  return substituteWorkspaceFolder(value, workspaceFolder);
}

function requireNoVariables(value: unknown): void {
  if (typeof value === 'string') {
    const other = /\$\{[^}]*\}/.exec(value);
    if (other) throw new Error(`the variable ${other[0]} is not supported. Replace it with its value.`);
  } else if (typeof value === 'object' && value !== null) {
    Object.values(value).forEach(requireNoVariables);
  }
}
