import { DisposableStore, type Disposable } from './disposable';
import { Emitter } from './event';

/** One independent part of the product. A feature that fails to start does not affect the others. */
export interface Feature<Running extends RunningFeature = RunningFeature> {
  /** Id of the feature. The log lines of the feature start with it, as `[area]`. */
  readonly id: string;
  /** Display name. */
  readonly title: string;
  /** The caller owns the result. On deactivation it awaits `stop`, if present, and then disposes the result. */
  start(): Promise<Running>;
}

export interface RunningFeature extends Disposable {
  /** Ends processes, closes sockets and removes lockfiles. Resolves when this is done. */
  stop?(): Promise<void>;
}

/** A feature whose code is loaded on first use. */
export class LazyFeature<Running extends RunningFeature> implements RunningFeature {
  private readonly disposables = new DisposableStore();
  private loadPromise: Promise<Running> | undefined;
  private loadedFeature: Running | undefined;

  constructor(private readonly load: () => Promise<Running>) {}

  get featureIfLoaded(): Running | undefined {
    return this.loadedFeature;
  }

  /** Loads and starts the feature on the first call. Retries after a failure. @throws the error of `load` */
  getOrLoad(): Promise<Running> {
    const using = (this.loadPromise ??= this.loadAndStart());
    using.catch(() => {
      if (this.loadPromise === using) this.loadPromise = undefined;
    });
    return using;
  }

  async stop(): Promise<void> {
    const running = await this.loadPromise?.catch(() => undefined);
    await running?.stop?.();
  }

  dispose(): void {
    this.disposables.dispose();
  }

  private async loadAndStart(): Promise<Running> {
    if (this.disposables.isDisposed) throw new Error('Backline has stopped in this window.');
    this.loadedFeature = this.disposables.add(await this.load());
    return this.loadedFeature;
  }
}

export type FeatureState = 'off' | 'starting' | 'ready' | 'attention' | 'failed';

/** An action offered with a status, run as a command. */
export interface StatusAction {
  readonly label: string;
  readonly command: string;
  readonly arguments?: readonly unknown[];
}

/** What the status bar shows of a feature while something is going on. */
export interface StatusHighlight {
  /** Name of a codicon. */
  readonly icon: string;
  /** A few words that follow the product's name. */
  readonly text?: string;
  /** Whether the user must act. It then takes precedence over the states of all features. */
  readonly isUrgent: boolean;
  /** What is going on, one line each, as plain text. */
  readonly lines: readonly string[];
  /** Id of the command that a click runs. By default, it shows the status of all features. */
  readonly command?: string;
}

export interface FeatureStatus {
  readonly id: string;
  readonly title: string;
  readonly state: FeatureState;
  /** Describes the state in one sentence. For `attention` and `failed`, a second sentence explains what to do. */
  readonly summary: string;
  readonly actions?: readonly StatusAction[];
  readonly highlight?: StatusHighlight;
}

/** The current status of each feature, in the order in which they first reported one. */
export class StatusBoard implements Disposable {
  private readonly changeEmitter = new Emitter<void>((error) => this.onListenerError(error));
  readonly onDidChange = this.changeEmitter.event;
  private readonly refreshEmitter = new Emitter<void>((error) => this.onListenerError(error));
  /** Fires when the user opens the status list. Features without a continuous status then report again. */
  readonly onDidRequestRefresh = this.refreshEmitter.event;
  private readonly statusById = new Map<string, FeatureStatus>();

  constructor(private readonly onListenerError: (error: unknown) => void) {}

  get featureStatuses(): readonly FeatureStatus[] {
    return [...this.statusById.values()];
  }

  set(status: FeatureStatus): void {
    this.statusById.set(status.id, status);
    this.changeEmitter.fire();
  }

  /** Removes a status. Does nothing if there is none. */
  remove(id: string): void {
    if (this.statusById.delete(id)) this.changeEmitter.fire();
  }

  requestRefresh(): void {
    this.refreshEmitter.fire();
  }

  dispose(): void {
    this.changeEmitter.dispose();
    this.refreshEmitter.dispose();
    this.statusById.clear();
  }
}
