import type { Disposable } from '../../base/common/disposable';
import { DisposableStore } from '../../base/common/disposable';
import { Emitter } from '../../base/common/event';
import type { Logger } from '../../base/common/log';
import type { BackendEntry, BackendRegistry } from './backendRegistry';
import { withSessionObserver, type SessionObserver } from './sessionObserver';
import { BackendError, type SessionBackend, isBackendError } from './sessionBackend';

/** Combines registries. For equal ids, the earlier one takes precedence. Calls `observeSession` for every session. */
export class CombinedBackends implements BackendRegistry, Disposable {
  private readonly disposables = new DisposableStore();
  private readonly changeEmitter = this.disposables.add(
    new Emitter<void>((error) => this.log.error('a listener failed', error)),
  );
  readonly onDidChange = this.changeEmitter.event;
  private readonly signInEmitter = this.disposables.add(
    new Emitter<string>((error) => this.log.error('a listener failed', error)),
  );
  readonly onDidSignIn = this.signInEmitter.event;
  private readonly wrapperByBackend = new WeakMap<SessionBackend, SessionBackend>();

  constructor(
    private readonly registries: readonly BackendRegistry[],
    private readonly observeSession: SessionObserver,
    private readonly log: Logger,
  ) {}

  start(): void {
    for (const registry of this.registries) {
      this.disposables.add(registry.onDidChange(() => this.changeEmitter.fire()));
      if (registry.onDidSignIn) this.disposables.add(registry.onDidSignIn((id) => this.signInEmitter.fire(id)));
    }
  }

  /** Lists the entries of all registries. Logs and skips a registry that fails. */
  async list(signal?: AbortSignal): Promise<readonly BackendEntry[]> {
    const lists = await Promise.all(
      this.registries.map((registry) =>
        registry.list(signal).catch((error: unknown) => {
          this.log.error('cannot list backends', error);
          return [];
        }),
      ),
    );
    const entries = lists.flat();
    return entries.filter(({ id }, index) => entries.findIndex((other) => other.id === id) === index);
  }

  async open(id: string): Promise<SessionBackend> {
    for (const registry of this.registries) {
      try {
        return this.wrapWithObserver(await registry.open(id));
      } catch (error) {
        if (!(isBackendError(error) && error.code === 'notFound')) throw error;
      }
    }
    throw new BackendError('notFound', `There is no agent or server "${id}". Choose another one.`);
  }

  dispose(): void {
    this.disposables.dispose();
  }

  private wrapWithObserver(backend: SessionBackend): SessionBackend {
    const observed = this.wrapperByBackend.get(backend) ?? withSessionObserver(backend, this.observeSession);
    this.wrapperByBackend.set(backend, observed);
    return observed;
  }
}
