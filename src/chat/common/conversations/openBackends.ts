import type { BackendEntry, BackendRegistry } from '../../../session/common/backendRegistry';
import type { BackendState, SessionBackend } from '../../../session/common/sessionBackend';
import { withDeadline, type Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';
import { messageOf } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';

const requestTimeoutMs = 5000;

/** The backends used by this window. Their registry owns them. */
export class OpenBackends implements Disposable {
  private isDisposed = false;
  private connectingServers: Promise<void> | undefined;
  private readonly backendsById = new Map<
    string,
    { readonly backend: SessionBackend; readonly stateListener: Disposable }
  >();

  constructor(
    private readonly registry: BackendRegistry,
    private readonly clock: Clock,
    private readonly log: Logger,
    private readonly handlers: { onReady(backend: SessionBackend): void; onChange(): void },
  ) {}

  get runningBackends(): readonly SessionBackend[] {
    return [...this.backendsById.values()].map(({ backend }) => backend).filter(({ state }) => state.kind === 'ready');
  }

  get(id: string): SessionBackend | undefined {
    return this.backendsById.get(id)?.backend;
  }

  stateOf(id: string): BackendState | undefined {
    return this.backendsById.get(id)?.backend.state;
  }

  /** Opens a backend. @throws the same BackendErrors as `BackendRegistry.open` */
  async open(id: string): Promise<SessionBackend> {
    const backend = await this.registry.open(id);
    this.add(backend);
    return backend;
  }

  /** Closes a copy of a session that was not loaded, if its backend runs. Never rejects. */
  async closeFork(id: string, sessionId: string): Promise<void> {
    const backend = this.get(id);
    if (backend?.state.kind !== 'ready') return;
    try {
      await withDeadline(this.clock, 'Closing a session', requestTimeoutMs, async () => {
        await backend.closeFork?.(sessionId);
      });
    } catch (error) {
      this.log.debug(`${backend.title} did not close a session: ${messageOf(error)}`);
    }
  }

  /** Adds a backend. It replaces a backend with the same id that was stopped after its settings changed. */
  add(backend: SessionBackend): void {
    const known = this.backendsById.get(backend.id);
    if (known?.backend === backend || this.isDisposed) return;
    known?.stateListener.dispose();
    let isReady = false;
    const update = (): void => {
      const wasReady = isReady;
      isReady = backend.state.kind === 'ready';
      if (isReady && !wasReady) this.handlers.onReady(backend);
      this.handlers.onChange();
    };
    this.backendsById.set(backend.id, { backend, stateListener: backend.onDidChangeState(update) });
    update();
  }

  /** Whether the backend is a server, which also runs without this window. */
  async isServer(id: string): Promise<boolean> {
    return (await this.listServers()).some((server) => server.id === id);
  }

  /** Connects to all servers that are known to be running. Never rejects. */
  connectRunningServers(): Promise<void> {
    this.connectingServers ??= this.connectServers().finally(() => (this.connectingServers = undefined));
    return this.connectingServers;
  }

  dispose(): void {
    this.isDisposed = true;
    for (const { stateListener } of this.backendsById.values()) stateListener.dispose();
    this.backendsById.clear();
  }

  private async connectServers(): Promise<void> {
    for (const { health, id, title } of await this.listServers()) {
      // A server that was used before is connected again.
      if (health?.kind !== 'answers' || this.stateOf(id)?.kind === 'ready') continue;
      try {
        const backend = await this.open(id);
        await withDeadline(this.clock, `Asking ${title}`, requestTimeoutMs, (signal) => backend.capabilities(signal));
      } catch (error) {
        this.log.debug(`Cannot connect to ${title}: ${messageOf(error)}`);
      }
    }
  }

  private async listServers(): Promise<readonly BackendEntry[]> {
    try {
      const entries = await withDeadline(this.clock, 'Listing the backends', requestTimeoutMs, (signal) =>
        this.registry.list(signal),
      );
      return entries.filter(({ problem, source }) => source === 'server' && problem === undefined);
    } catch (error) {
      this.log.debug(`Cannot list the backends: ${messageOf(error)}`);
      return [];
    }
  }
}
