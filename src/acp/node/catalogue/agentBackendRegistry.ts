import type { BackendEntry, BackendRegistry } from '../../../session/common/backendRegistry';
import { BackendError, type BackendState } from '../../../session/common/sessionBackend';
import type { AgentBackend } from '../../common/agentBackend';
import { KeyedQueue } from '../../../base/common/async';
import { DisposableStore, type Disposable } from '../../../base/common/disposable';
import { Emitter } from '../../../base/common/event';
import { messageOf } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';
import { withoutUndefined } from '../../../base/common/withoutUndefined';
import { OpenGenerations } from '../../../session/common/generations/openGenerations';
import { rejectOnAbort } from '../../../session/common/rejectOnAbort';
import type { Catalogue, CatalogueEntry, ProcessEntry } from './agentCatalogue';
import { consentDecisionFor, missingConsentMessage, requireConsent, type AgentConsentContext } from './agentConsent';
import { findKnownAgentById, instructionFilesOf } from '../../common/catalogue/knownAgents';
import { remoteHostOf, shownUrl } from '../../common/remote/agentUrl';

interface AgentRegistryDeps {
  /** Loads the catalogue. Starts no process. */
  readonly loadCatalogue: () => Promise<Catalogue>;
  /** Creates the backend of an agent. The registry owns the result. */
  readonly createBackend: (entry: CatalogueEntry) => Promise<AgentBackend>;
  readonly isTrusted: () => boolean;
  /** Whether sessions of the backend have got an MCP server of the workspace that the user no longer allows. */
  readonly hasDeniedServers?: (backend: AgentBackend) => boolean | undefined;
  /** Consent for agents that the workspace defines. */
  readonly agentConsent: AgentConsentContext;
  /**
   * Ensures that what is stored for the agent's id may be used by its program. Resolves when the user has answered.
   * @throws BackendError if the user has not decided
   */
  readonly settleOrigin?: (entry: CatalogueEntry) => Promise<void>;
  /** Whether the agent needed a sign-in when it was used last. */
  readonly needsSignIn: (id: string) => boolean;
  /** Whether a turn of the agent runs in this window. */
  readonly isWorking: (id: string) => boolean;
  /** Called when turns of an agent go on although its settings have changed. */
  readonly onDidPostpone: (agent: AgentBackend) => void;
  readonly log: Logger;
}

interface MissingConsent {
  readonly problem: string;
  /** The user's decision. Absent if the user cannot allow the agent. */
  readonly decision?: 'denied' | 'ask';
}

const untrustedMessage =
  'Agents don’t start in an untrusted workspace. Run "Workspaces: Manage Workspace Trust" to trust it.';

/**
 * Provides the catalogue's agents as backends, one for each agent and its settings. After a change, running turns are
 * completed with the earlier settings. An agent that must not run any more is stopped at once.
 */
export class AgentBackendRegistry implements BackendRegistry, Disposable {
  private readonly emitter = new Emitter<void>((error) =>
    this.deps.log.error('A listener of the agents failed', error),
  );
  readonly onDidChange = this.emitter.event;
  private readonly signInEmitter = new Emitter<string>((error) =>
    this.deps.log.error('A listener of the agents failed', error),
  );
  readonly onDidSignIn = this.signInEmitter.event;
  private readonly openAgents = new Map<string, OpenGenerations<AgentBackend>>();
  /** The entry of each agent when its last backend was created. */
  private readonly openedEntries = new Map<string, CatalogueEntry>();
  private readonly backendOpenQueue = new KeyedQueue();
  private readonly requestedAgentIds = new Set<string>();
  private lastCatalogue: Catalogue | undefined;
  /** Number of the load that began last, and number of the load that returned `lastCatalogue`. */
  private lastLoadNumber = 0;
  private loadNumberOfCatalogue = 0;
  private isDisposed = false;

  constructor(private readonly deps: AgentRegistryDeps) {}

  /** The last catalogue; undefined before the first load. */
  get catalogue(): Catalogue | undefined {
    return this.lastCatalogue;
  }

  /** The entry of an agent in the last catalogue. */
  entryOf(id: string): CatalogueEntry | undefined {
    return this.lastCatalogue?.agents.find((agent) => agent.id === id);
  }

  get backends(): readonly AgentBackend[] {
    return [...this.openAgents.values()].flatMap(({ latest }) => latest ?? []);
  }

  /** The backend of an agent that was opened in this window. If its settings have changed, the one that is completing its turns. */
  backendOf(id: string): AgentBackend | undefined {
    return this.openAgents.get(id)?.latest;
  }

  /** The states of all backends of an agent, also of those that complete their turns with earlier settings. */
  statesOf(id: string): readonly BackendState[] {
    return this.openAgents.get(id)?.inUse.map(({ state }) => state) ?? [];
  }

  get requestedAgentProblems(): readonly string[] {
    const requested = this.lastCatalogue?.agents.filter(({ id }) => this.requestedAgentIds.has(id)) ?? [];
    return requested.flatMap(({ problem, title }) => (problem ? [`${title}: ${problem.message}`] : []));
  }

  async list(signal?: AbortSignal): Promise<readonly BackendEntry[]> {
    const { agents } = await rejectOnAbort(this.refreshCatalogue(), signal);
    const isTrusted = this.deps.isTrusted();
    const entries = await Promise.all(
      agents.map(async (entry): Promise<BackendEntry> => {
        const isSignInMissing = this.deps.needsSignIn(entry.id);
        const listed = {
          ...toBackendEntry(entry, isTrusted),
          ...(isSignInMissing ? { needsSignIn: true as const } : {}),
        };
        if (listed.problem !== undefined) return listed;
        const missing = await this.missingConsentFor(entry);
        return missing
          ? { ...listed, problem: missing.problem, ...(missing.decision ? { needsPermission: true } : {}) }
          : listed;
      }),
    );
    this.withdrawStaleConsents();
    return entries;
  }

  async open(id: string): Promise<AgentBackend> {
    return await this.backendOpenQueue.run(id, async () => {
      this.requireTrust();
      await this.refreshCatalogue();
      const entry = this.entryOf(id);
      const opened = this.openAgents.get(id);
      if (entry) opened?.use(configurationKey(entry));
      else await this.leaveMissing(id);
      if (opened?.current) return opened.current;
      if (!entry) throw new BackendError('notFound', `There is no agent "${id}". Choose another one.`);
      this.requestedAgentIds.add(id);
      if (entry.problem) throw new BackendError('notReady', entry.problem.message, entry.problem.details);
      await requireConsent(entry, this.deps.agentConsent);
      await this.deps.settleOrigin?.(entry);
      return await this.createBackend(entry);
    });
  }

  /**
   * Call when settings, folders, consent or trust change. Backends whose entry has changed complete their turns; those that must
   * not run any more are stopped. Never rejects.
   */
  async refresh(): Promise<void> {
    if (this.lastLoadNumber > 0) {
      await this.refreshCatalogue();
      await Promise.all([...this.openAgents].map(async ([id, opened]) => await this.followEntry(id, opened)));
    }
    this.emitter.fire();
  }

  private async followEntry(id: string, opened: OpenGenerations<AgentBackend>): Promise<void> {
    const known = this.entryOf(id);
    const isDenied = known !== undefined && (await this.missingConsentFor(known))?.decision === 'denied';
    // The entry is looked up again after the wait, because a newer catalogue may have been loaded in the meantime.
    const entry = this.entryOf(id);
    if (isDenied || !this.deps.isTrusted()) await opened.stopAll();
    else if (entry) {
      const { current } = opened;
      opened.use(current && this.deps.hasDeniedServers?.(current) ? '' : configurationKey(entry));
    } else await this.leaveMissing(id);
  }

  /**
   * Nothing of an agent goes on whose files the user has removed. Settings can lose an agent while they are being written or edited,
   * and PATH during an update, so its turns are completed then.
   */
  private async leaveMissing(id: string): Promise<void> {
    const opened = this.openAgents.get(id);
    if (this.openedEntries.get(id)?.source === 'installed') await opened?.stopAll();
    else opened?.use('');
  }

  /** An installed agent is started in its newest version, which may have been installed since its backend was created. */
  async newestEntry(entry: ProcessEntry): Promise<ProcessEntry> {
    if (entry.source !== 'installed') return entry;
    const newest = (await this.refreshCatalogue()).agents.find(({ id }) => id === entry.id);
    return newest?.source === 'installed' && newest.url === undefined ? newest : entry;
  }

  /** Stops the processes of an agent, with all its turns. The next request starts it again. Never rejects. */
  async stop(id: string): Promise<void> {
    await this.openAgents.get(id)?.restart();
  }

  /** Resolves when all agents have ended. Never rejects. */
  async stopAll(): Promise<void> {
    await Promise.all([...this.openAgents.values()].map((opened) => opened.stopAll()));
  }

  dispose(): void {
    this.isDisposed = true;
    for (const opened of this.openAgents.values()) opened.dispose();
    this.openAgents.clear();
    this.emitter.dispose();
    this.signInEmitter.dispose();
  }

  /**
   * Loads the catalogue. If a load that began later has already ended, its result is used instead, because it may contain
   * agents that were installed in the meantime.
   */
  private async refreshCatalogue(): Promise<Catalogue> {
    const load = ++this.lastLoadNumber;
    const catalogue = await this.deps.loadCatalogue();
    if (this.lastCatalogue && this.loadNumberOfCatalogue > load) return this.lastCatalogue;
    this.loadNumberOfCatalogue = load;
    const reportedProblems = new Set(this.lastCatalogue?.problems);
    for (const problem of catalogue.problems) if (!reportedProblems.has(problem)) this.deps.log.warn(problem);
    const hasChanged = JSON.stringify(catalogue) !== JSON.stringify(this.lastCatalogue);
    this.lastCatalogue = catalogue;
    this.withdrawStaleConsents();
    if (hasChanged) this.emitter.fire();
    return catalogue;
  }

  /** Withdraws consent requests of agents that are no longer configured. */
  private withdrawStaleConsents(): void {
    const ids = new Set(this.lastCatalogue?.agents.map(({ id }) => id));
    if (this.lastCatalogue)
      this.deps.agentConsent.consent.forgetMissing(['agent'], ({ id }) => id !== undefined && ids.has(id));
  }

  private async createBackend(entry: CatalogueEntry): Promise<AgentBackend> {
    const backend = await this.deps.createBackend(entry);
    if (this.isDisposed) {
      backend.dispose();
      throw new BackendError('closed', 'Backline is shutting down.');
    }
    const subscription = new DisposableStore();
    subscription.add(backend.onDidChangeState(() => this.emitter.fire()));
    if (backend.onDidSignIn) subscription.add(backend.onDidSignIn(() => this.signInEmitter.fire(entry.id)));
    this.openedEntries.set(entry.id, entry);
    const generations = this.generationsOf(entry.id);
    generations.add(backend, configurationKey(entry), subscription);
    // While it was created, nothing could be stopped.
    await this.followEntry(entry.id, generations);
    return backend;
  }

  private generationsOf(id: string): OpenGenerations<AgentBackend> {
    const known = this.openAgents.get(id);
    if (known) return known;
    const onDidPostpone = (): void => {
      const { latest } = created;
      if (latest) this.deps.onDidPostpone(latest);
    };
    const created = new OpenGenerations<AgentBackend>({ isWorking: () => this.deps.isWorking(id), onDidPostpone });
    this.openAgents.set(id, created);
    return created;
  }

  /** Returns undefined if the agent is allowed, or needs no consent. Never rejects. */
  private async missingConsentFor(entry: CatalogueEntry): Promise<MissingConsent | undefined> {
    try {
      const decision = await consentDecisionFor(entry, this.deps.agentConsent);
      return decision === 'allowed' ? undefined : { problem: missingConsentMessage(decision), decision };
    } catch (error) {
      return { problem: `This agent can’t be allowed because some of its files can’t be read: ${messageOf(error)}` };
    }
  }

  private requireTrust(): void {
    if (!this.deps.isTrusted()) throw new BackendError('untrusted', untrustedMessage);
  }
}

function toBackendEntry(entry: CatalogueEntry, isTrusted: boolean): BackendEntry {
  const { id, title, source, defaults } = entry;
  const description = descriptionOf(entry);
  const problem = isTrusted ? entry.problem?.message : untrustedMessage;
  const install = isTrusted ? entry.problem?.install : undefined;
  return {
    id,
    title,
    source,
    description,
    ...withoutUndefined({
      problem,
      install,
      defaults,
      isListingUnsupported: findKnownAgentById(entry.knownAs)?.cannotList,
      // An agent on another machine does not see the workspace.
      instructionFiles: entry.url === undefined ? instructionFilesOf(entry.knownAs) : undefined,
      remoteHost: entry.url === undefined ? undefined : remoteHostOf(entry.url),
    }),
  };
}

function descriptionOf(entry: CatalogueEntry): string {
  if (entry.url !== undefined) return shownUrl(entry.url);
  if (entry.source === 'demo') return 'Built-in demo. No account needed';
  return entry.source === 'installed' ? 'Installed by Backline' : [entry.command, ...entry.args].join(' ');
}

/** Ignores `problem`: a changed problem does not require a restart. */
function configurationKey(entry: CatalogueEntry): string {
  const { cwd, protocol, mcpServers, missingFile, source, tools = true } = entry;
  if (entry.url !== undefined) return JSON.stringify([entry.url, entry.headers, cwd, protocol, mcpServers, tools]);
  const { command, args, env, dialect } = entry;
  // A running agent keeps its version when another one is installed. The next start uses the newest one.
  if (source === 'installed') return JSON.stringify([source, entry.identity?.origin, missingFile, tools]);
  return JSON.stringify([command, args, env, cwd, dialect, protocol, mcpServers, missingFile, tools]);
}
