import type { McpServer } from '@agentclientprotocol/sdk';
import { join } from 'node:path';
import * as z from 'zod';
import { isRecord } from '../../../base/common/isRecord';
import { messageOf } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';
import { type EditorPort, isEditorError } from '../../../editor/common/editorPort';
import { parseJsonc } from '../../common/catalogue/jsonc';
import { toMcpServers, type McpServerOptions, type WorkspaceVariables } from './mcpServers';

interface McpRequest extends McpServerOptions, WorkspaceVariables {
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
  { setting, cwd, env, windowServers, readsRootFile, allowedOf, onServersFound, onSkipped, ...options }: McpRequest,
  editor: Pick<EditorPort, 'folders' | 'readText'>,
  log: Logger,
): Promise<readonly McpServer[]> {
  const byName = new Map<string, McpServer>();
  const add = async (
    written: Readonly<Record<string, unknown>>,
    folder: string,
    namesAllowedOf: (names: readonly string[]) => Promise<readonly string[]> = (names) => Promise.resolve(names),
  ): Promise<readonly string[]> => {
    const { notes, servers } = await toMcpServers(written, folder, options, { env });
    for (const note of notes) log.warn(note);
    const fresh = servers.filter(({ name }) => !byName.has(name));
    const allowed = await namesAllowedOf(fresh.map(({ name }) => name));
    for (const server of fresh) if (allowed.includes(server.name)) byName.set(server.name, server);
    return notes;
  };
  await add(setting, cwd);
  const read = (await Promise.all(editor.folders.map(({ path }) => readFolder(path, editor, log)))).flat();
  onServersFound(read.flatMap(({ file, written }) => Object.keys(written).map((name) => ({ name, file }))));
  for (const { file, folder, isOfRoot, member, written } of read) {
    if (isOfRoot && readsRootFile) continue;
    const notes = await add(written, folder, async (names) => {
      const servers = names.flatMap((name) => {
        const server = written[name];
        return server ? [{ name, server, folder, file, member }] : [];
      });
      const allowed = servers.length === 0 ? [] : (await allowedOf(servers)).map(({ name }) => name);
      for (const name of names) {
        if (allowed.includes(name)) continue;
        log.info(`The MCP server "${name}" of ${file} was skipped because you have not allowed it.`);
      }
      return allowed;
    });
    if (notes.length > 0) onSkipped(notes.map((note) => `${note} (${file})`));
  }
  await add(windowServers, cwd);
  return [...byName.values()];
}

async function readFolder(folder: string, editor: Pick<EditorPort, 'readText'>, log: Logger) {
  const found = await Promise.all(
    mcpFiles.map(async ({ path, members, ...rest }) => {
      const file = join(folder, ...path);
      const content = await readMcpJson(file, editor, log);
      const values = isRecord(content) ? content : {};
      const member = members.find((each) => each in values) ?? members[0];
      const { data = {}, error } = Servers.safeParse(values[member] ?? {});
      if (error) log.warn(`${file} has no "${member}" object and is ignored.`);
      return { folder, file, member, written: data, isOfRoot: 'isOfRoot' in rest };
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
