import type { McpServer } from '@agentclientprotocol/sdk';
import { messageOf } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';
import type { EditorPort } from '../../../editor/common/editorPort';
import type { SecretRedactor } from '../../../session/common/redaction/secretRedactor';
import type { ToolCaller } from '../../../session/common/toolCaller';
import { isSecretInput, type McpInput } from '../../common/catalogue/mcpInputs';
import type { McpServersRequest } from '../connection/agentRequestRunner';
import type { CatalogueEntry } from './agentCatalogue';
import { allowedMcpServers, type AgentConsentContext } from './agentConsent';
import type { McpServerOptions } from './mcpServers';
import { readsRootMcpFile } from './rootMcpFile';
import { collectMcpServers, type WorkspaceServer, type WorkspaceServerId } from './workspaceMcp';

export interface AgentMcpServersDeps {
  readonly editor: EditorPort;
  /** Base environment of agents: that of VS Code, without their keys. */
  readonly environment: Readonly<Record<string, string>>;
  readonly isTrusted: () => boolean;
  /** Consent for agents and MCP servers that the workspace defines. */
  readonly agentConsent: AgentConsentContext;
  /**
   * Returns the MCP servers of this window by name, in the format of `mcpServers` in `backline.acp.agents`. Without a
   * caller, their tools are read-only.
   */
  readonly windowMcpServers?: (
    transports: { readonly http: boolean },
    caller?: ToolCaller,
  ) => Promise<Readonly<Record<string, unknown>>>;
  /** Returns what the user enters for an input of a workspace's MCP server. Undefined if they close the question. Never rejects. */
  readonly valueOfMcpInput?: (input: McpInput, file: string) => Promise<string | undefined>;
  /** Tells the user about MCP servers of the workspace that cannot be used, as sentences. By default, they are only logged. */
  readonly onMcpServersSkipped?: (notes: readonly string[]) => void;
}

interface AgentOfServers {
  readonly entry: CatalogueEntry;
  readonly findProgram: McpServerOptions['findProgram'];
  readonly log: Logger;
  /** Removes secrets from what the agent sends and from the logs. */
  readonly redactor: SecretRedactor;
  /** Gets the hash of the content of each server of the workspace that was allowed. */
  readonly givenServers: Set<string>;
}

/** The MCP servers for sessions of agents that run on this machine. */
export class AgentMcpServers {
  constructor(private readonly deps: AgentMcpServersDeps) {}

  /** Starts the window's servers early, so that they are ready for `session/new`. */
  prepare(log: Logger): void {
    this.deps.windowMcpServers?.({ http: true }).catch((error: unknown) => {
      log.debug(`The window's MCP server is not ready: ${messageOf(error)}`);
    });
  }

  /** Waits for the user's decisions. The session starts without servers that are not allowed. */
  async serversFor(agent: AgentOfServers, request: McpServersRequest): Promise<readonly McpServer[]> {
    const { entry, findProgram, givenServers, log, redactor } = agent;
    const { capabilities, cwd } = request;
    const windowServers = await this.windowServers(entry, request, log);
    return await collectMcpServers(
      {
        setting: entry.mcpServers,
        cwd,
        windowServers,
        capabilities,
        findProgram,
        // Not the agent's environment, which contains its keys.
        env: this.deps.environment,
        readsRootFile: readsRootMcpFile(entry.url === undefined ? entry : { id: entry.id }),
        allowedOf: async (servers) => {
          const allowed = await this.allowedOf(servers, log);
          for (const { subject } of allowed) givenServers.add(subject.hash);
          return allowed.map(({ server }) => server);
        },
        valueOfInput: async (input, file) => {
          const value = await this.deps.valueOfMcpInput?.(input, file);
          if (isSecretInput(input)) redactor.addSecret(value);
          return value;
        },
        onServersFound: (servers) => this.withdrawStaleConsents(servers),
        onSkipped: (notes) => this.deps.onMcpServersSkipped?.(notes),
      },
      this.deps.editor,
      log,
    );
  }

  /** Returns the MCP servers of this window. If they cannot start, returns none, so that the session starts anyway. */
  private async windowServers(
    { tools = true }: CatalogueEntry,
    { capabilities, omitsWindowTools, onWindowTools, toolCaller }: McpServersRequest,
    log: Logger,
  ): Promise<Readonly<Record<string, unknown>>> {
    if (!tools || omitsWindowTools) return {};
    try {
      const servers = (await this.deps.windowMcpServers?.(capabilities, toolCaller)) ?? {};
      if (Object.keys(servers).length > 0) onWindowTools();
      return servers;
    } catch (error) {
      log.error("The window's MCP server cannot start, so the agent goes without its tools", error);
      return {};
    }
  }

  /** Withdraws consent requests of servers that no file defines any more. */
  private withdrawStaleConsents(servers: readonly WorkspaceServerId[]): void {
    this.deps.agentConsent.consent.forgetMissing(['mcpServer'], ({ name, source }) =>
      servers.some((server) => server.name === name && server.file === source.file),
    );
  }

  private async allowedOf(servers: readonly WorkspaceServer[], log: Logger): ReturnType<typeof allowedMcpServers> {
    const { editor, isTrusted, agentConsent } = this.deps;
    const folders = editor.folders.map(({ path }) => path);
    return isTrusted() ? await allowedMcpServers(servers, folders, agentConsent.consent, log) : [];
  }
}
