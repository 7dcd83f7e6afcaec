import * as path from 'node:path';
import type { McpServer } from '@agentclientprotocol/sdk';
import { BackendError } from '../../../session/common/sessionBackend';
import type { AgentBackend } from '../../common/agentBackend';
import type { Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';
import type { Logger } from '../../../base/common/log';
import { withoutUndefined } from '../../../base/common/withoutUndefined';
import { isInsideFolder } from '../../../base/node/isInsideFolder';
import { hashJson } from '../../../consent/node/contentHash';
import type { WriteObserver } from '../../../editor/common/writeObserver';
import type { StandingPermissions } from '../../../permissions/common/standingPermissions';
import type { TrafficTap } from '../../../wire/common/traffic';
import type { DraftThreadSource } from '../../common/draft/draftThreads';
import type { AgentLimitStore } from '../../common/connection/agentLimitStore';
import type { WindowToolsStore } from '../../common/connection/windowToolsState';
import { redactingLogger } from '../../common/signIn/redactingLogger';
import { redactingTap } from '../../common/signIn/redactingTap';
import { SecretRedactor } from '../../../session/common/redaction/secretRedactor';
import { redactedProcess } from '../signIn/redactedProcess';
import type { RunningAgent } from '../connection/agentConnection';
import { findKnownAgentById, ownSignInArgs } from '../../common/catalogue/knownAgents';
import { mayDownloadPackage } from '../../common/catalogue/packageRunners';
import { remoteHostOf, shownUrl } from '../../common/remote/agentUrl';
import { resolveHeaders } from '../../common/remote/agentHeaders';
import { remoteConnectionTexts } from '../../common/connection/connectionTexts';
import { connectToAgent } from '../remote/remoteAgentLink';
import { AcpBackend, type AcpBackendDeps } from '../session/acpBackend';
import type { CatalogueEntry, ProcessEntry, UrlEntry } from './agentCatalogue';
import type { OutgoingHttp } from '../../../wire/node/outgoingHttp';
import { requireConsent } from './agentConsent';
import { AgentMcpServers, type AgentMcpServersDeps } from './agentMcpServers';
import { startAgentProcess } from '../process/agentProcess';
import { diskCommandFileAccess, lookupCommand, type FoundCommand } from '../process/commandLookup';
import { DraftBackend } from '../draft/draftBackend';
import { endProcessTree } from '../process/processTree';
import { reconnectRules, RestartPolicy } from '../process/restartPolicy';
import type { McpServersRequest } from '../connection/agentRequestRunner';
import type { SignInCommand } from '../../common/signIn/signInWays';
import type { AgentClient, Elicit, AgentClientDeps } from '../connection/agentClient';
import { applyProviderChoices } from '../connection/applyProviderChoices';
import { secretsOfChoices, type ProviderChoices } from '../../common/providers/providerChoice';
import { tryAgent, TryAgentError, type AgentProgram, type TriedAgent } from './tryAgent';
import { mcpServersOfRemoteAgent } from './mcpServers';
import { missingSecretError, signInElsewhereError, untrustedError, unusableSecretError } from './launchErrors';
import type { LoadQuestions } from './loadQuestions';

export { LoadQuestions } from './loadQuestions';

export interface SignInTerminalCommand {
  readonly title: string;
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

export interface AgentLauncherDeps extends AgentMcpServersDeps {
  readonly clientInfo: AgentClientDeps['clientInfo'];
  readonly clock: Clock;
  readonly http: OutgoingHttp;
  readonly log: Logger;
  readonly tap: TrafficTap;
  readonly standing: StandingPermissions;
  readonly writeObserver?: WriteObserver;
  /** Absolute path of the folder where agents run by default. */
  readonly defaultFolder: () => string;
  /** Ensures that the process group of an agent does not outlive this process. */
  readonly guard?: (leader: number) => Disposable;
  /** Returns the entry to start now for an agent whose backend was created with `entry`. */
  readonly newestEntry?: (entry: ProcessEntry) => Promise<ProcessEntry>;
  /** By default, each backend only remembers the protocol version of its own agent. */
  readonly versionMemory?: AgentLimitStore;
  /** Which agents fail with the window's tools. By default, each backend only remembers that of its own agent. */
  readonly toolsMemory?: WindowToolsStore;
  readonly createId: () => string;
  /** Called before a session is loaded that its agent may lose by that. By default, it is loaded. */
  readonly confirmLoad?: LoadQuestions['mayLoad'];
  readonly threadSources?: readonly DraftThreadSource[];
  /** Returns numbers in [0, 1). */
  readonly random: () => number;
  readonly elicit: (agentTitle: string, ...asked: Parameters<Elicit>) => ReturnType<Elicit>;
  /** Resolves with whether the command succeeded. `signal` ends it. */
  readonly runInTerminal: (command: SignInTerminalCommand, signal: AbortSignal) => Promise<boolean>;
  /** The keys that the user stored for an agent, by variable. */
  readonly keysOf: (agentId: string) => Promise<Readonly<Record<string, string>>>;
  /** What the user has chosen for the LLM providers of an agent. Called at each start. By default nothing. */
  readonly providersOf?: (agentId: string) => Promise<ProviderChoices>;
}

/** How long processes may take to end after a request to end. */
const endGraceMs = 2_000;

export class AgentLauncher {
  /** The command lines of running agents. */
  private readonly commandLineByAgent = new Map<RunningAgent, readonly string[]>();

  private readonly agentMcpServers: AgentMcpServers;
  /** The content of the workspace's MCP servers that sessions of a backend have got, as hashes. */
  private readonly givenServers = new WeakMap<AgentBackend, ReadonlySet<string>>();

  constructor(private readonly deps: AgentLauncherDeps) {
    this.agentMcpServers = new AgentMcpServers(deps);
  }

  /** Whether the program of a running agent is in this folder. */
  isInUse(folder: string): boolean {
    return [...this.commandLineByAgent.values()]
      .flat()
      .some((word) => path.isAbsolute(word) && isInsideFolder(word, folder));
  }

  /** Resolves to undefined if the PATH of `env` has no executable program of that name. Never rejects. */
  async findProgram(name: string, env: Readonly<Record<string, string>>): Promise<FoundCommand | undefined> {
    return await findCommand(name, env, this.deps.defaultFolder()).catch(() => undefined);
  }

  /** Ends a process that is the leader of its group, and its descendants. Never rejects. */
  async endProcessTree(leaderPid: number): Promise<void> {
    await endProcessTree(leaderPid, endGraceMs, this.deps.clock);
  }

  /** Creates the backend of an agent. The caller owns the result. */
  createBackend(entry: CatalogueEntry): AgentBackend {
    const givenServers = new Set<string>();
    const backend = this.createBackendWith(entry, givenServers);
    this.givenServers.set(backend, givenServers);
    return backend;
  }

  /** Whether sessions of the backend have got an MCP server of the workspace that the user no longer allows. */
  hasDeniedServers(backend: AgentBackend): boolean {
    const { consent } = this.deps.agentConsent;
    return [...(this.givenServers.get(backend) ?? [])].some((hash) => consent.decisionOn({ hash }) === 'denied');
  }

  private createBackendWith(entry: CatalogueEntry, givenServers: Set<string>): AgentBackend {
    const { toolsMemory, versionMemory } = this.deps;
    const { id, title } = entry;
    const redactor = new SecretRedactor();
    const redact = (text: string): string => redactor.redactText(text);
    const log = redactingLogger(this.deps.log.child(`agent ${id}`), redact);
    const tap = redactingTap(this.deps.tap, redact);
    const shared = { ...this.deps, id, title, log, tap, givenServers };
    if (entry.url !== undefined) return this.createRemoteBackend(entry, { ...shared, redactor });
    const startAgent = (): Promise<RunningAgent> => this.startAgent(entry, log, redactor);
    if (entry.dialect === 'draft') {
      return new DraftBackend({
        ...shared,
        redactor,
        startAgent: () => this.requireNoProviderChoices(entry).then(startAgent),
      });
    }
    const known = findKnownAgentById(entry.knownAs);
    return new AcpBackend({
      ...this.commonDeps(entry, { ...shared, redactor }),
      startAgent,
      ...withoutUndefined({
        windowToolsMemory: toolsMemory?.memoryOf(versionKeyOf(entry)),
        agentVersionMemory: versionMemory && (() => versionMemory.limitOf(versionKeyOf(entry))),
        knownAs: known?.id,
        protocol: entry.protocol ?? known?.protocol,
      }),
      mayDownload: mayDownloadPackage(entry.command, entry.args),
      restartPolicy: this.createRestartPolicy(),
      runInTerminal: (command, signal) => this.signIn(entry, command, signal),
    });
  }

  private createRemoteBackend(entry: UrlEntry, shared: SharedDeps): AgentBackend {
    return new AcpBackend({
      ...this.commonDeps(entry, shared),
      startAgent: () => this.connect(entry, shared.log, shared.redactor),
      runInTerminal: () => Promise.reject(signInElsewhereError(entry)),
      texts: remoteConnectionTexts,
      restartPolicy: this.createRestartPolicy(reconnectRules),
      ...withoutUndefined({ sessionFolder: entry.cwd }),
    });
  }

  private commonDeps(entry: CatalogueEntry, shared: SharedDeps): CommonDeps {
    const { elicit } = this.deps;
    const { missingFile, title } = entry;
    return {
      ...shared,
      missingFile,
      defaultFolder: () => entry.cwd ?? this.deps.defaultFolder(),
      ...withoutUndefined({ protocol: entry.protocol }),
      terminalEnv: this.deps.environment,
      mcpServers: (request: McpServersRequest) => this.mcpServers(entry, request, shared),
      confirmLoad: async (session: { sessionId: string; cwd: string }, signal?: AbortSignal) => {
        const { env } = this.spawnContextOf(entry);
        return (
          (await this.deps.confirmLoad?.({ agentId: entry.id, agentTitle: title, ...session, env }, signal)) ?? true
        );
      },
      elicit: (...[request, signal]: Parameters<Elicit>) => elicit(title, request, signal),
      prepareAgent: (client: AgentClient, signal: AbortSignal) =>
        this.applyProviders(entry, { client, signal, redactor: shared.redactor }),
    };
  }

  private createRestartPolicy(rules?: typeof reconnectRules): RestartPolicy {
    const { clock, random } = this.deps;
    return new RestartPolicy(() => clock.monotonicNow(), random, rules);
  }

  /** Starts a command that is not configured as an agent yet, and requests its name. @throws TryAgentError */
  async tryAgent(program: AgentProgram, signal?: AbortSignal): Promise<TriedAgent> {
    const { defaultFolder, isTrusted } = this.deps;
    if (!isTrusted()) throw new TryAgentError('untrusted', 'Agents don’t start in an untrusted workspace.');
    return await tryAgent(program, { ...this.deps, defaultFolder: defaultFolder() }, signal);
  }

  private async startAgent(given: ProcessEntry, log: Logger, redactor: SecretRedactor): Promise<RunningAgent> {
    const { clock, guard, isTrusted } = this.deps;
    if (!isTrusted()) throw untrustedError(given);
    const entry = await this.newestEntry(given);
    const { command, args } = entry;
    if (entry.dialect === 'v1' && entry.tools !== false) this.agentMcpServers.prepare(log);
    const { env, cwd } = this.spawnContextOf(entry);
    // Checked last, so that exactly what was approved is started.
    await requireConsent(entry, this.deps.agentConsent);
    // Trust may have changed while the user was asked.
    if (!isTrusted()) throw untrustedError(entry);
    const keys = await this.keysOf(entry);
    for (const key of Object.values(keys)) redactor.addSecret(key);
    const program = { command, args, env: { ...env, ...keys }, cwd };
    const agent = await startAgentProcess(program, { clock, log, ...withoutUndefined({ guard }) });
    log.info(`Started as process ${agent.pid} in ${cwd}`);
    this.commandLineByAgent.set(agent, [command, ...args]);
    agent.onDidExit(({ code, signal }) => {
      this.commandLineByAgent.delete(agent);
      log.info(`Process ${agent.pid} ended (${signal ?? `exit code ${code}`})`);
    });
    return redactedProcess(agent, redactor, (error) => log.error('A listener of an agent process failed', error));
  }

  /** Connects to an agent; the connection is opened with the first message. @throws BackendError */
  private async connect(entry: UrlEntry, log: Logger, redactor: SecretRedactor): Promise<RunningAgent> {
    const { clock, http, isTrusted } = this.deps;
    if (!isTrusted()) throw untrustedError(entry);
    if (isOfThisMachine(entry)) this.agentMcpServers.prepare(log);
    await requireConsent(entry, this.deps.agentConsent);
    // Trust may have changed while the user was asked.
    if (!isTrusted()) throw untrustedError(entry);
    const { headers, missing, secrets, unusable } = resolveHeaders(entry.headers, await this.keysOf(entry));
    for (const secret of secrets) redactor.addSecret(secret);
    if (missing.length > 0) throw missingSecretError(entry, missing);
    const [wrong] = unusable;
    if (wrong !== undefined) throw unusableSecretError(entry, wrong);
    const redact = (text: string): string => redactor.redactText(text);
    const agent = connectToAgent({ url: entry.url, headers }, { clock, http, log, redact });
    log.info(`Connecting to ${shownUrl(entry.url)}`);
    agent.stream.onDidClose(({ error }) => log.info(error?.message ?? 'The connection was closed'));
    return redactedProcess(agent, redactor, (error) => log.error('A listener of a remote agent failed', error));
  }

  private async mcpServers(
    entry: CatalogueEntry,
    request: McpServersRequest,
    { givenServers, log, redactor }: SharedDeps,
  ): Promise<readonly McpServer[]> {
    if (!isOfThisMachine(entry)) return await mcpServersOfRemoteAgent(entry.mcpServers, request, log);
    const { env } = this.spawnContextOf(entry);
    const findProgram = (command: string): Promise<FoundCommand> => findCommand(command, env, request.cwd);
    return await this.agentMcpServers.serversFor({ entry, findProgram, givenServers, log, redactor }, request);
  }

  private async newestEntry(entry: ProcessEntry): Promise<ProcessEntry> {
    return (await this.deps.newestEntry?.(entry)) ?? entry;
  }

  /** The keys are passed only to the agent's process: not to MCP servers, terminals or the command that signs in. */
  private async keysOf({ id, workspaceDefinition }: CatalogueEntry): Promise<Readonly<Record<string, string>>> {
    return workspaceDefinition ? {} : await this.deps.keysOf(id);
  }

  /** Like keys, the choices are for the user's own agents only. */
  private async providerChoicesOf({ id, workspaceDefinition }: CatalogueEntry): Promise<ProviderChoices> {
    return (workspaceDefinition ? undefined : await this.deps.providersOf?.(id)) ?? new Map();
  }

  private async applyProviders(
    entry: CatalogueEntry,
    { client, redactor, signal }: { client: AgentClient; redactor: SecretRedactor; signal: AbortSignal },
  ): Promise<void> {
    const choices = await this.providerChoicesOf(entry);
    for (const secret of secretsOfChoices(choices)) redactor.addSecret(secret);
    await applyProviderChoices(client, choices, entry.title, signal);
  }

  /** The draft dialect cannot take choices, for example those that were made before the entry got this dialect. */
  private async requireNoProviderChoices(entry: ProcessEntry): Promise<void> {
    if ((await this.providerChoicesOf(entry)).size === 0) return;
    const reason = 'the draft dialect cannot use the LLM providers that you have set for it';
    const advice = 'Remove them with "Backline: Manage LLM Providers…".';
    throw new BackendError('notReady', `${entry.title} was not started, because ${reason}. ${advice}`);
  }

  private async signIn(
    given: ProcessEntry,
    { label, command, args, env: added }: SignInCommand,
    signal: AbortSignal,
  ): Promise<boolean> {
    const entry = await this.newestEntry(given);
    await requireConsent(entry, this.deps.agentConsent);
    const { env, cwd } = this.spawnContextOf(entry);
    const all = { ...env, ...added };
    const own = ownSignInArgs(findKnownAgentById(entry.knownAs), command, entry.args);
    const found = await findCommand(own ? entry.command : (command ?? entry.command), all, cwd);
    const title = `${entry.title}: ${label}`;
    const run = { title, file: found.file, args: [...found.args, ...(own ?? []), ...args], env: all, cwd };
    return this.deps.runInTerminal(run, signal);
  }

  private spawnContextOf(entry: CatalogueEntry): { env: Record<string, string>; cwd: string } {
    const own = entry.url === undefined ? entry.env : {};
    const env = { ...this.deps.environment, ...own };
    return { env, cwd: entry.cwd ?? this.deps.defaultFolder() };
  }
}

type CommonDeps = Omit<AcpBackendDeps, 'startAgent' | 'restartPolicy' | 'runInTerminal'>;

interface SharedDeps extends AgentLauncherDeps {
  readonly id: string;
  readonly title: string;
  readonly redactor: SecretRedactor;
  readonly givenServers: Set<string>;
}

/** Whether the agent can use programs and servers of this machine. */
function isOfThisMachine(entry: CatalogueEntry): boolean {
  return entry.url === undefined || remoteHostOf(entry.url) === undefined;
}

/** Returns a key that changes with the command of an agent, but not with the version of an installed agent. */
function versionKeyOf({ id, source, command, args }: ProcessEntry): string {
  return hashJson(source === 'installed' ? [id] : [id, command, args]);
}

function findCommand(command: string, env: Readonly<Record<string, string>>, cwd: string): Promise<FoundCommand> {
  return lookupCommand(command, { platform: process.platform, env, cwd, files: diskCommandFileAccess });
}
