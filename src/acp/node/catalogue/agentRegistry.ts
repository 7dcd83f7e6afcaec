import type { BackendEntry, BackendRegistry } from '../../../session/common/backendRegistry';
import { BackendError, type SessionBackend } from '../../../session/common/sessionBackend';
import { KeyedQueue } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';
import { Emitter } from '../../../base/common/event';
import { messageOf } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';
import { withoutUndefined } from '../../../base/common/withoutUndefined';
import { untilAborted } from '../../../session/common/untilAborted';
import type { Catalogue, CatalogueEntry } from './agentCatalogue';
import { decisionFor, permissionMessage, requirePermission, type AgentPermission } from './broughtAgent';
import { knownAgentOf } from '../../common/catalogue/knownAgents';

interface AgentRegistryOptions {
  /** Starts nothing, except the user's login shell once. */
  readonly loadCatalogue: () => Promise<Catalogue>;
  /** The registry owns the result. */
  readonly createBackend: (entry: CatalogueEntry) => Promise<SessionBackend>;
  readonly isTrusted: () => boolean;
  /** Consent for agents that the workspace defines. */
  readonly permission: AgentPermission;
  readonly log: Logger;
}

interface Opened {
  readonly backend: SessionBackend;
  /** The entry that the backend was created from. */
  readonly entry: CatalogueEntry;
  readonly subscription: Disposable;
}

interface Lack {
  readonly problem: string;
  /** Absent if the user cannot allow the agent either. */
  readonly decision?: 'denied' | 'ask';
}

const untrustedMessage =
  'Agents don’t start in an untrusted workspace. Run "Workspaces: Manage Workspace Trust" to trust it.';

/** Provides the catalogue's agents as backends. Each is created once, and stopped when its settings change. */
export class AgentRegistry implements BackendRegistry, Disposable {
  private readonly emitter = new Emitter<void>((error) =>
    this.options.log.error('A listener of the agents failed', error),
  );
  readonly onDidChange = this.emitter.event;
  private readonly opened = new Map<string, Opened>();
  /** Backends that are being stopped. */
  private readonly leaving = new Set<Opened>();
  private readonly queue = new KeyedQueue();
  /** Ids of agents that were requested. */
  private readonly wanted = new Set<string>();
  private last: Catalogue | undefined;
  private isDisposed = false;

  constructor(private readonly options: AgentRegistryOptions) {}

  /** The last catalogue; undefined before the first load. */
  get catalogue(): Catalogue | undefined {
    return this.last;
  }

  /** Backends created so far, running or not. */
  get backends(): readonly SessionBackend[] {
    return [...this.opened.values()].map(({ backend }) => backend);
  }

  /** Problems of agents that were requested. */
  get problemsInUse(): readonly string[] {
    const used = this.last?.agents.filter(({ id }) => this.wanted.has(id)) ?? [];
    return used.flatMap(({ problem, title }) => (problem ? [`${title}: ${problem.message}`] : []));
  }

  async list(signal?: AbortSignal): Promise<readonly BackendEntry[]> {
    const { agents } = await untilAborted(this.load(), signal);
    const isTrusted = this.options.isTrusted();
    const entries = await Promise.all(
      agents.map(async (entry): Promise<BackendEntry> => {
        const listed = toBackendEntry(entry, isTrusted);
        if (listed.problem !== undefined) return listed;
        const lack = await this.lackOf(entry);
        return lack
          ? { ...listed, problem: lack.problem, ...(lack.decision ? { needsPermission: true } : {}) }
          : listed;
      }),
    );
    // The settings may have changed meanwhile.
    this.keepNamed();
    return entries;
  }

  async open(id: string): Promise<SessionBackend> {
    return await this.queue.run(id, async () => {
      this.refuseUnlessTrusted();
      const entry = (await this.load()).agents.find((agent) => agent.id === id);
      const opened = this.opened.get(id);
      if (opened && isSame(opened.entry, entry)) return opened.backend;
      if (opened) await this.drop(id, opened);
      if (!entry) throw new BackendError('notFound', `There is no agent "${id}". Choose another one.`);
      this.wanted.add(id);
      if (entry.problem) throw new BackendError('notReady', entry.problem.message, entry.problem.details);
      await requirePermission(entry, this.options.permission);
      return await this.create(entry);
    });
  }

  /** Call when settings, folders or trust change: stops backends whose entry has changed. Never rejects. */
  async refresh(): Promise<void> {
    const wasLoaded = this.last !== undefined;
    this.last = undefined;
    if (wasLoaded || this.opened.size > 0) {
      const { agents } = await this.load();
      const isTrusted = this.options.isTrusted();
      await Promise.all(
        [...this.opened].map(async ([id, opened]) => {
          const entry = agents.find((agent) => agent.id === id);
          const isDenied = entry !== undefined && (await this.lackOf(entry))?.decision === 'denied';
          if (!isTrusted || isDenied || !isSame(opened.entry, entry)) await this.drop(id, opened);
        }),
      );
    }
    this.emitter.fire();
  }

  /** Resolves when all agents have ended. Never rejects. */
  async stopAll(): Promise<void> {
    await Promise.all([...this.opened.values(), ...this.leaving].map(({ backend }) => backend.stop()));
  }

  /** Kills running agents. */
  dispose(): void {
    this.isDisposed = true;
    for (const opened of [...this.opened.values(), ...this.leaving]) release(opened);
    this.opened.clear();
    this.emitter.dispose();
  }

  private async load(): Promise<Catalogue> {
    const catalogue = await this.options.loadCatalogue();
    const told = new Set(this.last?.problems);
    for (const problem of catalogue.problems) if (!told.has(problem)) this.options.log.warn(problem);
    const hasChanged = JSON.stringify(catalogue) !== JSON.stringify(this.last);
    this.last = catalogue;
    this.keepNamed();
    if (hasChanged) this.emitter.fire();
    return catalogue;
  }

  /** Withdraws consent requests of agents that are no longer configured. */
  private keepNamed(): void {
    const ids = new Set(this.last?.agents.map(({ id }) => id));
    if (this.last) this.options.permission.consent.keepOnly(['agent'], ({ id }) => id !== undefined && ids.has(id));
  }

  private async create(entry: CatalogueEntry): Promise<SessionBackend> {
    const backend = await this.options.createBackend(entry);
    if (this.isDisposed) {
      backend.dispose();
      throw new BackendError('closed', 'Backline is ending.');
    }
    const subscription = backend.onDidChangeState(() => this.emitter.fire());
    this.opened.set(entry.id, { backend, entry, subscription });
    return backend;
  }

  private async drop(id: string, opened: Opened): Promise<void> {
    if (this.opened.get(id) === opened) this.opened.delete(id);
    this.leaving.add(opened);
    await opened.backend.stop();
    this.leaving.delete(opened);
    release(opened);
  }

  /** Returns undefined if the agent is allowed, or needs no consent. Never rejects. */
  private async lackOf(entry: CatalogueEntry): Promise<Lack | undefined> {
    try {
      const decision = await decisionFor(entry, this.options.permission);
      return decision === 'allowed' ? undefined : { problem: permissionMessage(decision), decision };
    } catch (error) {
      return { problem: `It cannot be allowed because not all of it can be read: ${messageOf(error)}` };
    }
  }

  private refuseUnlessTrusted(): void {
    if (!this.options.isTrusted()) throw new BackendError('untrusted', untrustedMessage);
  }
}

function toBackendEntry(entry: CatalogueEntry, isTrusted: boolean): BackendEntry {
  const { id, title, source, command, args, defaults } = entry;
  const description = source === 'demo' ? 'Built-in demo. No account needed' : [command, ...args].join(' ');
  const problem = isTrusted ? entry.problem?.message : untrustedMessage;
  const install = isTrusted ? entry.problem?.install : undefined;
  return {
    id,
    title,
    source,
    description,
    ...withoutUndefined({ problem, install, defaults, cannotList: knownAgentOf(command, args)?.cannotList }),
  };
}

/** Ignores `problem`: a changed problem does not require a restart. */
function isSame(made: CatalogueEntry, entry: CatalogueEntry | undefined): boolean {
  return entry !== undefined && keyOf(made) === keyOf(entry);
}

function keyOf({ command, args, env, cwd, dialect, mcpServers, missingFile }: CatalogueEntry): string {
  return JSON.stringify([command, args, env, cwd, dialect, mcpServers, missingFile]);
}

function release({ backend, subscription }: Opened): void {
  subscription.dispose();
  backend.dispose();
}
