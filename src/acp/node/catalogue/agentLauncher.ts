import type { McpServer } from '@agentclientprotocol/sdk';
import { BackendError, type SessionBackend } from '../../../session/common/sessionBackend';
import type { Clock } from '../../../base/common/async';
import { messageOf } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';
import { withoutUndefined } from '../../../base/common/withoutUndefined';
import type { EditorPort } from '../../../editor/common/editorPort';
import type { WriteObserver } from '../../../editor/common/writeObserver';
import type { StandingPermissions } from '../../../permissions/common/standingPermissions';
import type { ToolCaller } from '../../../session/common/toolCaller';
import type { TrafficTap } from '../../../wire/common/traffic';
import type { ThreadSource } from '../../common/draft/draftThreads';
import { findKnownAgentByCommand } from '../../common/catalogue/knownAgents';
import { mayDownloadPackage } from '../../common/catalogue/packageRunners';
import { AcpBackend } from '../session/acpBackend';
import type { CatalogueEntry } from './agentCatalogue';
import { consentSubjectOfServer, requireConsent, type AgentConsent } from './agentConsent';
import { startAgentProcess, type AgentProcess } from '../process/agentProcess';
import type { AgentReaper } from '../process/agentReaper';
import { diskCommandFiles, lookupCommand, type FoundCommand } from '../process/commandLookup';
import { DraftBackend } from '../draft/draftBackend';
import { RestartPolicy } from '../process/restartPolicy';
import type { McpServersRequest } from '../connection/agentGateway';
import type { SignInCommand } from '../v1/agentSignIn';
import type { Elicit, AgentClientDeps } from '../connection/agentClient';
import { collectMcpServers, type NamedServer, type WorkspaceServer } from './workspaceMcp';

export interface SignInTerminalCommand {
  readonly title: string;
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

export interface AgentLauncherDeps {
  readonly clientInfo: AgentClientDeps['clientInfo'];
  readonly editor: EditorPort;
  readonly clock: Clock;
  readonly log: Logger;
  readonly tap: TrafficTap;
  readonly standing: StandingPermissions;
  readonly writeObserver?: WriteObserver;
  /** Base environment of agents, read from the login shell. */
  readonly environment: () => Promise<Readonly<Record<string, string>>>;
  /** Absolute path of the folder where agents run by default. */
  readonly defaultFolder: () => string;
  readonly isTrusted: () => boolean;
  /** Consent for what the workspace defines: agents and MCP servers. Checked at each start. */
  readonly agentConsent: AgentConsent;
  readonly reaper?: AgentReaper;
  readonly createId: () => string;
  /** Returns the MCP servers of this window by name, in the format of the setting. Without a caller, tools can only read. */
  readonly windowMcpServers?: (
    transports: { readonly http: boolean },
    caller?: ToolCaller,
  ) => Promise<Readonly<Record<string, unknown>>>;
  readonly threadSources?: readonly ThreadSource[];
  /** Returns numbers in [0, 1). */
  readonly random: () => number;
  readonly elicit: (agentTitle: string, ...asked: Parameters<Elicit>) => ReturnType<Elicit>;
  /** Resolves with whether the command succeeded. */
  readonly runInTerminal: (command: SignInTerminalCommand) => Promise<boolean>;
}

export class AgentLauncher {
  constructor(private readonly options: AgentLauncherDeps) {}

  /** Creates the backend of an agent. The caller owns the result. */
  async create(entry: CatalogueEntry): Promise<SessionBackend> {
    const { clock, elicit, random } = this.options;
    const { id, title, missingFile } = entry;
    const log = this.options.log.child(`agent ${id}`);
    const startAgent = (): Promise<AgentProcess> => this.startAgent(entry, log);
    const shared = { ...this.options, id, title, log, startAgent };
    if (entry.dialect === 'draft') return new DraftBackend(shared);
    return new AcpBackend({
      ...shared,
      missingFile,
      ...withoutUndefined({
        protocol: entry.protocol,
        knownAs: findKnownAgentByCommand(entry.command, entry.args)?.id,
      }),
      mayDownload: mayDownloadPackage(entry.command, entry.args),
      restartPolicy: new RestartPolicy(() => clock.monotonicNow(), random),
      terminalEnv: await this.options.environment(),
      mcpServers: (request) => this.mcpServers(entry, request, log),
      elicit: (request, signal) => elicit(title, request, signal),
      runInTerminal: (command) => this.signIn(entry, command),
    });
  }

  private async startAgent(entry: CatalogueEntry, log: Logger): Promise<AgentProcess> {
    const { clock, isTrusted, reaper } = this.options;
    if (!isTrusted()) throw untrustedError(entry);
    const { command, args } = entry;
    if (entry.dialect === 'v1') this.prepareWindowServers(log);
    const { env, cwd } = await this.spawnContextOf(entry);
    // Checked last, so that exactly what was approved is started.
    await requireConsent(entry, this.options.agentConsent);
    // Trust may have changed while the user was asked.
    if (!isTrusted()) throw untrustedError(entry);
    const guard = reaper ? { guard: (leader: number, mark: string) => reaper.watch(leader, mark) } : {};
    const agent = await startAgentProcess({ command, args, env, cwd }, { clock, log, ...guard });
    log.info(`Started as process ${agent.pid} in ${cwd}`);
    agent.onDidExit(({ code, signal }) => log.info(`Process ${agent.pid} ended (${signal ?? `exit code ${code}`})`));
    return agent;
  }

  /** Starts the window's servers early, so that they are ready for `session/new`. */
  private prepareWindowServers(log: Logger): void {
    this.options.windowMcpServers?.({ http: true }).catch((error: unknown) => {
      log.debug(`The window's MCP server is not ready: ${messageOf(error)}`);
    });
  }

  /** Returns the MCP servers of this window. If they cannot start, returns none, so that the session starts anyway. */
  private async windowServers(
    { capabilities, toolCaller }: McpServersRequest,
    log: Logger,
  ): Promise<Readonly<Record<string, unknown>>> {
    try {
      return (await this.options.windowMcpServers?.(capabilities, toolCaller)) ?? {};
    } catch (error) {
      log.error("The window's MCP server cannot start, so the agent goes without its tools", error);
      return {};
    }
  }

  private async mcpServers(
    entry: CatalogueEntry,
    requested: McpServersRequest,
    log: Logger,
  ): Promise<readonly McpServer[]> {
    const { capabilities, cwd } = requested;
    const { env } = await this.spawnContextOf(entry);
    const findProgram = (command: string): Promise<FoundCommand> => findCommand(command, env, cwd);
    const windowServers = await this.windowServers(requested, log);
    const isServerAllowed = (server: WorkspaceServer): Promise<boolean> => this.isServerAllowed(server);
    const onServersFound = (servers: readonly NamedServer[]): void => this.withdrawStaleConsents(servers);
    const request = {
      setting: entry.mcpServers,
      cwd,
      windowServers,
      capabilities,
      findProgram,
      isServerAllowed,
      onServersFound,
    };
    return await collectMcpServers(request, this.options.editor, log);
  }

  /** Withdraws consent requests of servers that no file defines any more. */
  private withdrawStaleConsents(servers: readonly NamedServer[]): void {
    this.options.agentConsent.consent.forgetMissing(['mcpServer'], ({ name, source }) =>
      servers.some((server) => server.name === name && server.file === source.file),
    );
  }

  /** Waits for the user's decision; the session starts without servers that were not allowed. */
  private async isServerAllowed({ name, server, folder, file }: WorkspaceServer): Promise<boolean> {
    const { editor, isTrusted, agentConsent } = this.options;
    const folders = editor.folders.map(({ path }) => path);
    const thing = await consentSubjectOfServer(name, server, { cwd: folder, file, folders });
    return isTrusted() && (await agentConsent.consent.ask(thing, 'background')) === 'allowed';
  }

  private async signIn(entry: CatalogueEntry, { label, command, args, env: added }: SignInCommand): Promise<boolean> {
    await requireConsent(entry, this.options.agentConsent);
    const { env, cwd } = await this.spawnContextOf(entry);
    const all = { ...env, ...added };
    const found = await findCommand(command ?? entry.command, all, cwd);
    const own = command === undefined ? entry.args : [];
    const title = `${entry.title}: ${label}`;
    return this.options.runInTerminal({
      title,
      file: found.file,
      args: [...found.args, ...own, ...args],
      env: all,
      cwd,
    });
  }

  private async spawnContextOf(entry: CatalogueEntry): Promise<{ env: Record<string, string>; cwd: string }> {
    const env = { ...(await this.options.environment()), ...entry.env };
    return { env, cwd: entry.cwd ?? this.options.defaultFolder() };
  }
}

function untrustedError({ title }: CatalogueEntry): BackendError {
  return new BackendError('untrusted', `${title} is not started because this workspace is not trusted.`);
}

function findCommand(command: string, env: Readonly<Record<string, string>>, cwd: string): Promise<FoundCommand> {
  return lookupCommand(command, { platform: process.platform, env, cwd, files: diskCommandFiles });
}
