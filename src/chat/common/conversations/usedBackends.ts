import type { BackendEntry, BackendRegistry } from '../../../session/common/backendRegistry';
import type { BackendState, SessionBackend } from '../../../session/common/sessionBackend';
import { withDeadline, type Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';
import { messageOf } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';

const askMs = 5000;

/** The backends used by this window. Their registry owns them. */
export class UsedBackends implements Disposable {
  private isDisposed = false;
  private asking: Promise<void> | undefined;
  private readonly used = new Map<string, { readonly backend: SessionBackend; readonly states: Disposable }>();

  constructor(
    private readonly registry: BackendRegistry,
    private readonly clock: Clock,
    private readonly log: Logger,
    private readonly told: { onReady(backend: SessionBackend): void; onChange(): void },
  ) {}

  /** Backends that are running. */
  get ready(): readonly SessionBackend[] {
    return [...this.used.values()].map(({ backend }) => backend).filter(({ state }) => state.kind === 'ready');
  }

  get(id: string): SessionBackend | undefined {
    return this.used.get(id)?.backend;
  }

  /** Undefined if it was never used. */
  stateOf(id: string): BackendState | undefined {
    return this.used.get(id)?.backend.state;
  }

  /** @throws BackendError as `BackendRegistry.open` */
  async open(id: string): Promise<SessionBackend> {
    const backend = await this.registry.open(id);
    this.add(backend);
    return backend;
  }

  /** Adds a backend. Replaces one with the same id, which was stopped by a change of settings. */
  add(backend: SessionBackend): void {
    const known = this.used.get(backend.id);
    if (known?.backend === backend || this.isDisposed) return;
    known?.states.dispose();
    let isReady = false;
    const look = (): void => {
      const wasReady = isReady;
      isReady = backend.state.kind === 'ready';
      if (isReady && !wasReady) this.told.onReady(backend);
      this.told.onChange();
    };
    this.used.set(backend.id, { backend, states: backend.onDidChangeState(look) });
    look();
  }

  /** Whether the backend is a server, which keeps running without this window. */
  async livesOn(id: string): Promise<boolean> {
    return (await this.servers()).some((server) => server.id === id);
  }

  /** Connects to all servers that are known to be running. Never rejects. */
  openServers(): Promise<void> {
    this.asking ??= this.askServers().finally(() => (this.asking = undefined));
    return this.asking;
  }

  dispose(): void {
    this.isDisposed = true;
    for (const { states } of this.used.values()) states.dispose();
    this.used.clear();
  }

  private async askServers(): Promise<void> {
    for (const { health, id, title } of await this.servers()) {
      // Also reconnects to a server that was used before.
      if (health?.kind !== 'answers' || this.stateOf(id)?.kind === 'ready') continue;
      try {
        const backend = await this.open(id);
        await withDeadline(this.clock, `Asking ${title}`, askMs, (signal) => backend.capabilities(signal));
      } catch (error) {
        this.log.debug(`Cannot connect to ${title}: ${messageOf(error)}`);
      }
    }
  }

  private async servers(): Promise<readonly BackendEntry[]> {
    try {
      const entries = await withDeadline(this.clock, 'Listing the backends', askMs, (signal) =>
        this.registry.list(signal),
      );
      return entries.filter(({ problem, source }) => source === 'server' && problem === undefined);
    } catch (error) {
      this.log.debug(`Cannot list the backends: ${messageOf(error)}`);
      return [];
    }
  }
}
