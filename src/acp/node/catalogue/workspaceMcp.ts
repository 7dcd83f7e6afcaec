import type { McpServer } from '@agentclientprotocol/sdk';
import { join } from 'node:path';
import * as z from 'zod';
import { isRecord } from '../../../base/common/isRecord';
import { messageOf } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';
import { type EditorPort, isEditorError } from '../../../editor/common/editorPort';
import { parseJsonc } from '../../common/catalogue/jsonc';
import { inputsNamedIn, parseMcpInputs, type McpInput, type McpInputs } from '../../common/catalogue/mcpInputs';
import { toMcpServers, type McpConversion, type McpServerOptions, type WorkspaceVariables } from './mcpServers';

interface McpRequest extends McpServerOptions, Pick<WorkspaceVariables, 'env'> {
  /** Whether the agent reads `.mcp.json` itself, so that its servers are not passed to it twice. */
  readonly readsRootFile: boolean;
  /** Called with the workspace's servers that cannot be used, as sentences for the user. */
  readonly onSkipped: (notes: readonly string[]) => void;
  /** `mcpServers` in the agent's settings. They override workspace servers with the same name. */
  readonly setting: Readonly<Record<string, unknown>>;
  readonly cwd: string;
  /** Servers of this window, in the format of the setting; overridden by all others. */
  readonly windowServers: Readonly<Record<string, unknown>>;
  /** Returns those of a file's servers that the user allows; may ask. Never rejects. */
  readonly allowedOf: (servers: readonly WorkspaceServer[]) => Promise<readonly WorkspaceServer[]>;
  /** Returns what the user enters for an input of an allowed server. Undefined if they close the question. Never rejects. */
  readonly valueOfInput: (input: McpInput, file: string) => Promise<string | undefined>;
  /** Called with all servers in the workspace's files, before the user is asked about any of them. */
  readonly onServersFound: (servers: readonly WorkspaceServerId[]) => void;
}

export type WorkspaceServerId = Pick<WorkspaceServer, 'name' | 'file'>;

export interface WorkspaceServer {
  readonly name: string;
  readonly server: Readonly<Record<string, unknown>>;
  /** Absolute path of the workspace folder. */
  readonly folder: string;
  /** Absolute path of the file that defines it. */
  readonly file: string;
  /** The member of the file that contains it. */
  readonly member: string;
}

const Servers = z.record(z.string(), z.record(z.string(), z.unknown()).catch({}));

/** The files of a workspace folder that define servers, each with the members that contain them. */
const mcpFiles = [
  { path: ['.vscode', 'mcp.json'], members: ['servers'] },
  { path: ['.mcp.json'], members: ['mcpServers', 'servers'], isOfRoot: true },
] as const;

const maxFileBytes = 1024 * 1024;

/**
 * Collects the MCP servers of an agent's setting, of `.vscode/mcp.json` and `.mcp.json` in each folder of the
 * (trusted) workspace, and of the window. Of servers with the same name, the first is used. Workspace servers require the user's consent. Logs
 * unusable servers.
 */
export async function collectMcpServers(
  request: McpRequest,
  editor: Pick<EditorPort, 'folders' | 'readText'>,
  log: Logger,
): Promise<readonly McpServer[]> {
  const { cwd, env, onServersFound, onSkipped, readsRootFile, setting, windowServers } = request;
  const byName = new Map<string, McpServer>();
  const convert = async (
    written: Readonly<Record<string, unknown>>,
    folder: string,
    inputOf: WorkspaceVariables['inputOf'],
  ): Promise<McpConversion> => {
    const conversion = await toMcpServers(written, folder, request, { env, inputOf });
    for (const note of conversion.notes) log.warn(note);
    return conversion;
  };
  const add = (servers: readonly McpServer[]): void => {
    for (const server of servers) if (!byName.has(server.name)) byName.set(server.name, server);
  };
  add((await convert(setting, cwd, noInput)).servers);
  const files = (await Promise.all(editor.folders.map(({ path }) => readFolder(path, editor, log)))).flat();
  onServersFound(files.flatMap(({ file, written }) => Object.keys(written).map((name) => ({ name, file }))));
  for (const each of files) {
    if (each.isOfRoot && readsRootFile) continue;
    const { file, folder, inputs, written } = each;
    // Nothing is asked about servers that cannot be used.
    const usable = await convert(written, folder, (id) => placeholderOf(inputs, id));
    const fresh = usable.servers.filter(({ name }) => !byName.has(name));
    const notes = [...usable.notes];
    for (const { name, server } of await allowedServers(each, fresh, request, log)) {
      const named = inputsNamedIn(server);
      if (named.length === 0) {
        add(fresh.filter((one) => one.name === name));
        continue;
      }
      const values = await enteredValues(named, each, request);
      const entered = await convert({ [name]: server }, folder, (id) => enteredValue(values, id));
      add(entered.servers);
      notes.push(...entered.notes);
    }
    if (notes.length > 0) onSkipped(notes.map((note) => `${note} (${file})`));
  }
  add((await convert(windowServers, cwd, noInput)).servers);
  return [...byName.values()];
}

async function allowedServers(
  { file, folder, member, written }: McpFile,
  usable: readonly McpServer[],
  { allowedOf }: McpRequest,
  log: Logger,
): Promise<readonly WorkspaceServer[]> {
  const asked = usable.flatMap(({ name }) => {
    const server = written[name];
    return server ? [{ name, server, folder, file, member }] : [];
  });
  const allowed = asked.length === 0 ? [] : await allowedOf(asked);
  for (const server of asked) {
    if (!allowed.includes(server))
      log.info(`The MCP server "${server.name}" of ${file} was skipped because you have not allowed it.`);
  }
  return allowed;
}

function noInput(id: string): never {
  throw new Error(`there is no input "${id}".`);
}

/** Stands for the value while it is unknown, also in a URL. @throws Error if the file has no such input */
function placeholderOf(inputs: McpInputs, id: string): string {
  const input = inputs.get(id) ?? noInput(id);
  if (typeof input === 'string') throw new Error(input);
  return 'input';
}

/** Asks for inputs until one is not entered. Never rejects. */
async function enteredValues(
  ids: readonly string[],
  { file, inputs }: McpFile,
  { valueOfInput }: McpRequest,
): Promise<ReadonlyMap<string, string>> {
  const values = new Map<string, string>();
  for (const id of ids) {
    const input = inputs.get(id);
    const value = typeof input === 'object' ? await valueOfInput(input, file) : undefined;
    if (value === undefined) break;
    values.set(id, value);
  }
  return values;
}

/** @throws Error if it was not entered */
function enteredValue(values: ReadonlyMap<string, string>, id: string): string {
  const value = values.get(id);
  if (value !== undefined) return value;
  throw new Error(`the input "${id}" was not entered. To be asked again, run “Backline: Forget MCP Server Inputs”.`);
}

interface McpFile {
  /** Absolute paths of the workspace folder and of the file. */
  readonly folder: string;
  readonly file: string;
  /** The member that contains the servers. */
  readonly member: string;
  readonly written: Readonly<Record<string, WorkspaceServer['server']>>;
  readonly inputs: McpInputs;
  readonly isOfRoot: boolean;
}

async function readFolder(
  folder: string,
  editor: Pick<EditorPort, 'readText'>,
  log: Logger,
): Promise<readonly McpFile[]> {
  const found = await Promise.all(
    mcpFiles.map(async ({ path, members, ...rest }) => {
      const file = join(folder, ...path);
      const content = await readMcpJson(file, editor, log);
      const values = isRecord(content) ? content : {};
      const member = members.find((each) => each in values) ?? members[0];
      const { data = {}, error } = Servers.safeParse(values[member] ?? {});
      if (error) log.warn(`${file} has no "${member}" object and is ignored.`);
      const inputs = parseMcpInputs(values['inputs']);
      return { folder, file, inputs, member, written: data, isOfRoot: 'isOfRoot' in rest };
    }),
  );
  return found;
}

/** Reads `mcp.json`. Returns undefined if it is missing or unreadable. */
async function readMcpJson(path: string, editor: Pick<EditorPort, 'readText'>, log: Logger): Promise<unknown> {
  try {
    return parseJsonc((await editor.readText(path, { maxBytes: maxFileBytes })).text);
  } catch (error) {
    const isMissing = isEditorError(error) && error.code === 'notFound';
    if (!isMissing) log.warn(`The MCP servers of ${path} are not used: ${messageOf(error)}`);
    return undefined;
  }
}
