import type { McpServer } from '@agentclientprotocol/sdk';
import { join } from 'node:path';
import * as z from 'zod';
import { messageOf } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';
import { type EditorPort, isEditorError } from '../../../editor/common/editorPort';
import { parseJsonc } from '../../common/catalogue/jsonc';
import { toMcpServers, type McpServerOptions } from './mcpServers';

interface McpRequest extends McpServerOptions {
  /** `mcpServers` in the agent's settings. They override workspace servers with the same name. */
  readonly setting: Readonly<Record<string, unknown>>;
  readonly cwd: string;
  /** Servers of this window, in the format of the setting; overridden by all others. */
  readonly windowServers: Readonly<Record<string, unknown>>;
  /** Whether the user allows a workspace server; may ask. Rejects if that cannot be determined. */
  readonly isServerAllowed: (server: WorkspaceServer) => Promise<boolean>;
  /** Called with all servers in the workspace's files, before the user is asked about any of them. */
  readonly onServersFound: (servers: readonly WorkspaceServerId[]) => void;
}

export type WorkspaceServerId = Pick<WorkspaceServer, 'name' | 'file'>;

export interface WorkspaceServer {
  readonly name: string;
  readonly server: Readonly<Record<string, unknown>>;
  /** Absolute path of the workspace folder. */
  readonly folder: string;
  /** Absolute path of `mcp.json`. */
  readonly file: string;
}

const McpJson = z.looseObject({
  servers: z.record(z.string(), z.record(z.string(), z.unknown()).catch({})).default({}),
});

const maxFileBytes = 1024 * 1024;

/**
 * Collects the MCP servers of an agent's setting, of `.vscode/mcp.json` in each folder of the (trusted) workspace, and
 * of the window. Of servers with the same name, the first is used. Workspace servers require the user's consent. Logs
 * unusable servers.
 */
export async function collectMcpServers(
  { setting, cwd, windowServers, isServerAllowed, onServersFound, ...options }: McpRequest,
  editor: Pick<EditorPort, 'folders' | 'readText'>,
  log: Logger,
): Promise<readonly McpServer[]> {
  const byName = new Map<string, McpServer>();
  const add = async (
    written: Readonly<Record<string, unknown>>,
    folder: string,
    isAllowed: (name: string) => Promise<boolean> = () => Promise.resolve(true),
  ): Promise<void> => {
    const { notes, servers } = await toMcpServers(written, folder, options);
    for (const note of notes) log.warn(note);
    for (const server of servers) {
      if (!byName.has(server.name) && (await isAllowed(server.name))) byName.set(server.name, server);
    }
  };
  await add(setting, cwd);
  const read = await Promise.all(editor.folders.map(({ path }) => readFolder(path, editor, log)));
  onServersFound(read.flatMap(({ file, written }) => Object.keys(written).map((name) => ({ name, file }))));
  for (const { file, folder, written } of read) {
    await add(written, folder, async (name) => {
      const server = written[name];
      if (server && (await isAllowedOrLog(isServerAllowed, { name, server, folder, file }, log))) return true;
      log.info(`The MCP server "${name}" of ${file} was skipped because you have not allowed it.`);
      return false;
    });
  }
  await add(windowServers, cwd);
  return [...byName.values()];
}

/** Never rejects: an error counts as not allowed. */
async function isAllowedOrLog(
  isServerAllowed: McpRequest['isServerAllowed'],
  server: WorkspaceServer,
  log: Logger,
): Promise<boolean> {
  try {
    return await isServerAllowed(server);
  } catch (error) {
    log.warn(`The MCP server "${server.name}" cannot be looked at: ${messageOf(error)}`);
    return false;
  }
}

async function readFolder(folder: string, editor: Pick<EditorPort, 'readText'>, log: Logger) {
  const file = join(folder, '.vscode', 'mcp.json');
  const { data, error } = McpJson.safeParse((await readMcpJson(file, editor, log)) ?? {});
  if (error) log.warn(`${file} has no "servers" object and is ignored.`);
  return { folder, file, written: data?.servers ?? {} };
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
