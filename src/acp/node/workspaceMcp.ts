import type { McpServer } from '@agentclientprotocol/sdk';
import { join } from 'node:path';
import { messageOf } from '../../base/common/errors';
import type { Logger } from '../../base/common/log';
import { type EditorPort, isEditorError } from '../../editor/common/editorPort';
import { parseJsonc } from '../common/jsonc';
import { mcpServers, type McpOptions } from './mcpServers';

export interface McpRequest extends McpOptions {
  /** `mcpServers` of the agent's setting; wins over servers of the workspace with the same name. */
  readonly setting: unknown;
  /** The session's folder. */
  readonly cwd: string;
  /** What the window itself offers, in the form of the setting; the others win over it. */
  readonly own: Readonly<Record<string, unknown>>;
}

const maxFileBytes = 1024 * 1024;

/**
 * The MCP servers of an agent's setting and of `.vscode/mcp.json` in each folder of the workspace, which must be trusted:
 * they are command lines. The first one of a name wins. What cannot be used is told in the log.
 */
export async function workspaceMcpServers(
  { setting, cwd, own, ...options }: McpRequest,
  editor: Pick<EditorPort, 'folders' | 'readText'>,
  log: Logger,
): Promise<readonly McpServer[]> {
  const results = [await mcpServers({ setting, mcpJson: undefined, workspaceFolder: cwd }, options)];
  for (const { path } of editor.folders) {
    const mcpJson = await readMcpJson(path, editor, log);
    results.push(await mcpServers({ setting: undefined, mcpJson, workspaceFolder: path }, options));
  }
  const usable = options.capabilities.http ? own : {};
  results.push(await mcpServers({ setting: usable, mcpJson: undefined, workspaceFolder: cwd }, options));
  for (const note of results.flatMap(({ notes }) => notes)) log.warn(note);
  const byName = new Map<string, McpServer>();
  for (const server of results.flatMap(({ servers }) => servers)) {
    if (!byName.has(server.name)) byName.set(server.name, server);
  }
  return [...byName.values()];
}

/** Undefined when there is none, or none that can be read. */
async function readMcpJson(folder: string, editor: Pick<EditorPort, 'readText'>, log: Logger): Promise<unknown> {
  const path = join(folder, '.vscode', 'mcp.json');
  try {
    return parseJsonc((await editor.readText(path, { maxBytes: maxFileBytes })).text);
  } catch (error) {
    const isMissing = isEditorError(error) && error.code === 'notFound';
    if (!isMissing) log.warn(`The MCP servers of ${path} are not used: ${messageOf(error)}`);
    return undefined;
  }
}
