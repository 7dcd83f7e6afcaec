import { DisposableStore, type Disposable } from '../../../base/common/disposable';
import { nextGenerations, type GenerationEffect, type GenerationInput, type Generations } from './backendGenerations';
import type { SessionBackend } from '../sessionBackend';

interface GenerationPorts {
  /** Whether a turn of the agent or server runs in this window. */
  readonly isWorking: () => boolean;
  /** Called when turns go on although their settings have changed. */
  readonly onDidPostpone: () => void;
}

type Backend = Pick<SessionBackend, 'retire' | 'stop' | 'dispose'>;

/** Owns the backends that were opened for one agent or server: the current one, and those that complete their turns. */
export class OpenGenerations<T extends Backend> implements Disposable {
  private generations: Generations<T> = [];
  private readonly subscriptions = new Map<T, DisposableStore>();
  private readonly pendingStops = new Map<T, Promise<void>>();
  private isDisposed = false;

  constructor(private readonly ports: GenerationPorts) {}

  /** The backend for new work. */
  get current(): T | undefined {
    return this.generations.find(({ kind }) => kind === 'current')?.backend;
  }

  /** The current backend, or else the last one that still completes its turns. */
  get latest(): T | undefined {
    return this.current ?? this.generations.findLast(({ kind }) => kind === 'retiring')?.backend;
  }

  /** Those whose processes may run, except those that are being stopped. */
  get inUse(): readonly T[] {
    return this.generations.flatMap(({ backend, kind }) => (kind === 'stopping' ? [] : backend));
  }

  /** Takes over `backend`, and `subscription`, which is disposed with it. */
  add(backend: T, settings: string, subscription: Disposable): void {
    const owned = new DisposableStore();
    owned.add(subscription);
    this.subscriptions.set(backend, owned);
    this.dispatch({ type: 'opened', backend, settings });
  }

  /** Retires the current backend unless it was opened with these settings. */
  use(settings: string): void {
    this.dispatch({ type: 'settings', settings, isWorking: this.ports.isWorking() });
  }

  /** Stops all at once. Resolves when all have ended, also those that were being stopped. Never rejects. */
  async stopAll(): Promise<void> {
    this.dispatch({ type: 'forbidden' });
    await this.whenStopped();
  }

  /** Stops the process of the current backend, which the next request starts again, and all earlier ones. Never rejects. */
  async restart(): Promise<void> {
    this.dispatch({ type: 'restart' });
    await Promise.all([this.current?.stop(), this.whenStopped()]);
  }

  dispose(): void {
    this.isDisposed = true;
    for (const { backend } of this.generations) this.disposeBackend(backend);
    this.generations = [];
  }

  private async whenStopped(): Promise<void> {
    await Promise.all(this.pendingStops.values());
  }

  private dispatch(input: GenerationInput<T>): void {
    if (this.isDisposed) return;
    const { effects, generations } = nextGenerations(this.generations, input);
    this.generations = generations;
    for (const effect of effects) this.perform(effect);
  }

  private perform(effect: GenerationEffect<T>): void {
    switch (effect.type) {
      case 'tell':
        this.ports.onDidPostpone();
        return;
      case 'retire':
        void effect.backend.retire().then(() => this.dispatch({ type: 'drained', backend: effect.backend }));
        return;
      case 'stop': {
        const { backend } = effect;
        const stopped = backend.stop().then(() => {
          this.pendingStops.delete(backend);
          this.dispatch({ type: 'stopped', backend });
        });
        this.pendingStops.set(backend, stopped);
        return;
      }
      case 'dispose':
        this.disposeBackend(effect.backend);
    }
  }

  private disposeBackend(backend: T): void {
    this.subscriptions.get(backend)?.dispose();
    this.subscriptions.delete(backend);
    backend.dispose();
  }
}
