import type { McpServer } from '@agentclientprotocol/sdk';
import * as z from 'zod';
import { isRecord } from '../../../base/common/isRecord';
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
  type: z.enum(['http', 'sse']).default('http'),
  url: z.url({ protocol: /^https?$/ }),
  headers: Variables.default({}),
});

export interface McpServerOptions {
  /** Transports that the agent supports besides stdio. */
  readonly capabilities: { readonly http: boolean; readonly sse: boolean };
  /** Finds a program's full path, which the protocol requires. Rejects with a message for the user. */
  readonly findProgram: (command: string) => Promise<FoundCommand>;
}

export interface WorkspaceVariables {
  /** For `${env:NAME}` and `${NAME}`: the environment of VS Code, without the keys of agents. */
  readonly env: Readonly<Record<string, string>>;
  /** The value of `${input:id}`. @throws Error with the reason if there is none */
  readonly inputOf: (id: string) => string;
}

export interface McpConversion {
  readonly servers: readonly McpServer[];
  readonly notes: readonly string[];
}

/** Converts MCP servers from settings to the protocol's form. Skips unusable servers with a note. */
export async function toMcpServers(
  settings: Readonly<Record<string, unknown>>,
  workspaceFolder: string,
  options: McpServerOptions,
  variables?: WorkspaceVariables,
): Promise<McpConversion> {
  const notes: string[] = [];
  const servers: McpServer[] = [];
  for (const [name, entry] of Object.entries(settings)) {
    try {
      servers.push(await toServer(name, substitute(entry, workspaceFolder, variables), workspaceFolder, options));
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

async function toServer(
  name: string,
  entry: unknown,
  workspaceFolder: string,
  options: McpServerOptions,
): Promise<McpServer> {
  const remote = Remote.safeParse(entry).data;
  if (remote) {
    const { type, url, headers } = remote;
    if (!options.capabilities[type]) throw new Error(`the agent does not support servers of type ${type}.`);
    return { type, name, url, headers: toPairs(headers) };
  }
  const local = Stdio.safeParse(entry).data;
  if (!local) throw new Error('add a "command", or a "url" with the "type" http or sse.');
  requireHonoured(local, workspaceFolder);
  const { file, args } = await options.findProgram(local.command);
  return { name, command: file, args: [...args, ...local.args], env: toPairs(local.env) };
}

function toPairs(variables: Record<string, string>): { name: string; value: string }[] {
  return Object.entries(variables).map(([name, value]) => ({ name, value }));
}

export function substituteWorkspaceFolder(value: unknown, workspaceFolder: string): unknown {
  return mapStrings(value, (text) => text.replaceAll('${workspaceFolder}', () => workspaceFolder));
}

function mapStrings(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, change));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapStrings(item, change)]));
}

/** @throws Error for members that the protocol has no place for, since the server would not run as written */
function requireHonoured({ cwd, envFile }: Readonly<Record<string, unknown>>, workspaceFolder: string): void {
  if (envFile !== undefined)
    throw new Error(
      '"envFile" is not supported, because the agent would get the whole file. Use "env" with ${env:NAME}.',
    );
  const isHere = typeof cwd === 'string' && ['', '.', './', workspaceFolder].includes(cwd);
  if (cwd !== undefined && !isHere)
    throw new Error('"cwd" is not supported, because agents run servers in the workspace folder. Use absolute paths.');
}

/**
 * Replaces variables. Those of the environment only stand where no program is named: the user has allowed exactly the files that the
 * entry names. Inputs, which the user enters, only do not name the program itself.
 * @throws Error for variables that are not supported or not set
 */
function substitute(value: unknown, workspaceFolder: string, variables: WorkspaceVariables | undefined): unknown {
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([member, item]): [string, unknown] => {
      const isFree = member === 'url' || member === 'headers';
      const replace = (text: string): string =>
        text.replace(/\$\{([^}]*)\}/g, (whole, inner: string) => {
          if (inner === 'workspaceFolder') return workspaceFolder;
          const [, input] = /^input:(.+)$/s.exec(inner) ?? [];
          if (input !== undefined && member !== 'command' && variables) return variables.inputOf(input);
          const mayStand = isFree || (member === 'env' && whole === text);
          const found = mayStand && variables ? valueOfVariable(inner, variables.env) : undefined;
          if (found === undefined)
            throw new Error(`the variable ${whole} is not supported. Replace it with its value.`);
          return found;
        });
      return [member, mapStrings(item, replace)];
    }),
  );
}

/** `env:NAME` of VS Code, and `NAME` and `NAME:-default` of `.mcp.json`. @throws Error if the variable is not set */
function valueOfVariable(inner: string, env: WorkspaceVariables['env']): string | undefined {
  const [, name, fallback] = /^(?:env:)?([A-Za-z_]\w*)(?::-(.*))?$/s.exec(inner) ?? [];
  if (name === undefined) return undefined;
  const found = env[name] ?? fallback;
  if (found === undefined) throw new Error(`the environment variable ${name} is not set.`);
  return found;
}
