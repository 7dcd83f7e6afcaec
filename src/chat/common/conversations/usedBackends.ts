import type { BackendRegistry } from '../../../session/common/backendRegistry';
import type { BackendState, SessionBackend } from '../../../session/common/sessionBackend';
import type { Disposable } from '../../../base/common/disposable';

/** The backends that this window has talked to, and how they are. They belong to their registry. */
export class UsedBackends implements Disposable {
  private isDisposed = false;
  private readonly used = new Map<string, { readonly backend: SessionBackend; readonly states: Disposable }>();

  constructor(
    private readonly registry: BackendRegistry,
    private readonly told: { onReady(backend: SessionBackend): void; onChange(): void },
  ) {}

  /** Those that can be asked and nothing is started for it. */
  get ready(): readonly SessionBackend[] {
    return [...this.used.values()].map(({ backend }) => backend).filter(({ state }) => state.kind === 'ready');
  }

  get(id: string): SessionBackend | undefined {
    return this.used.get(id)?.backend;
  }

  /** Undefined when it was never used. */
  stateOf(id: string): BackendState | undefined {
    return this.used.get(id)?.backend.state;
  }

  /** @throws BackendError as `BackendRegistry.open` */
  async open(id: string): Promise<SessionBackend> {
    const backend = await this.registry.open(id);
    this.add(backend);
    return backend;
  }

  /** It takes the place of one with its id: that was stopped by a change of its settings. */
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

  dispose(): void {
    this.isDisposed = true;
    for (const { states } of this.used.values()) states.dispose();
    this.used.clear();
  }
}
