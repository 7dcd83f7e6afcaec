import { DisposableStore, type Disposable } from './disposable';
import { Emitter } from './event';

/** One job of the product. A feature that fails to start takes no other one down. */
export interface Feature<Running extends RunningFeature = RunningFeature> {
  /** Also the area of its log lines. */
  readonly id: string;
  /** How users know it. */
  readonly title: string;
  /** The caller owns the result and disposes it on deactivate; `stop`, when there is one, is awaited first. */
  start(): Promise<Running>;
}

export interface RunningFeature extends Disposable {
  /** Ends what needs waiting for: processes, sockets, lockfiles. */
  stop?(): Promise<void>;
}

/** What runs of a feature whose code is loaded when it is first needed. */
export class LazyFeature<Running extends RunningFeature> implements RunningFeature {
  private readonly store = new DisposableStore();
  private using: Promise<Running> | undefined;
  private running: Running | undefined;

  /** `load` loads the code and starts the feature. */
  constructor(private readonly load: () => Promise<Running>) {}

  /** Undefined before it was needed. */
  get loaded(): Running | undefined {
    return this.running;
  }

  /** Loads and starts it the first time. What has failed is tried again. @throws what `load` throws */
  use(): Promise<Running> {
    const using = (this.using ??= this.begin());
    using.catch(() => {
      if (this.using === using) this.using = undefined;
    });
    return using;
  }

  async stop(): Promise<void> {
    const running = await this.using?.catch(() => undefined);
    await running?.stop?.();
  }

  dispose(): void {
    this.store.dispose();
  }

  private async begin(): Promise<Running> {
    if (this.store.isDisposed) throw new Error('Backline has stopped in this window.');
    this.running = this.store.add(await this.load());
    return this.running;
  }
}

export type FeatureState = 'off' | 'starting' | 'ready' | 'attention' | 'failed';

/** A thing the user can do about a status, by command. */
export interface StatusAction {
  readonly label: string;
  readonly command: string;
  readonly arguments?: readonly unknown[];
}

export interface FeatureStatus {
  readonly id: string;
  readonly title: string;
  readonly state: FeatureState;
  /** A few words for the status bar, for example `8000`, when the feature wants to be seen there. */
  readonly badge?: string;
  /** What is going on, in one sentence; for `attention` and `failed` also what to do. */
  readonly summary: string;
  readonly actions?: readonly StatusAction[];
}

/** What every feature says of itself, in the order in which they first spoke. */
export class StatusBoard implements Disposable {
  private readonly emitter = new Emitter<void>((error) => this.onListenerError(error));
  readonly onDidChange = this.emitter.event;
  private readonly lookEmitter = new Emitter<void>((error) => this.onListenerError(error));
  /** The user looks: who does not follow what it tells of asks now. */
  readonly onDidLook = this.lookEmitter.event;
  private readonly byId = new Map<string, FeatureStatus>();

  constructor(private readonly onListenerError: (error: unknown) => void) {}

  get all(): readonly FeatureStatus[] {
    return [...this.byId.values()];
  }

  set(status: FeatureStatus): void {
    this.byId.set(status.id, status);
    this.emitter.fire();
  }

  /** There is nothing to say any more. One that is not there is no error. */
  remove(id: string): void {
    if (this.byId.delete(id)) this.emitter.fire();
  }

  /** To be called when the statuses are shown to the user. */
  look(): void {
    this.lookEmitter.fire();
  }

  dispose(): void {
    this.emitter.dispose();
    this.lookEmitter.dispose();
    this.byId.clear();
  }
}
