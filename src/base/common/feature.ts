import type { Disposable } from './disposable';
import { Emitter, type Event } from './event';

/** One job of the product. A feature that fails to start takes no other one down. */
export interface Feature {
  /** Also the area of its log lines. */
  readonly id: string;
  /** How users know it. */
  readonly title: string;
  /** The caller owns the result and disposes it on deactivate; `stop`, when there is one, is awaited first. */
  start(): Promise<RunningFeature>;
}

export interface RunningFeature extends Disposable {
  /** Ends what needs waiting for: processes, sockets, lockfiles. */
  stop?(): Promise<void>;
}

/** A feature whose code is loaded when it starts: until then the window does without. */
export class LateFeature<Loaded extends Feature> implements Feature {
  readonly id: string;
  readonly title: string;
  private feature: Loaded | undefined;

  constructor(
    { id, title }: Pick<Feature, 'id' | 'title'>,
    private readonly load: () => Promise<Loaded>,
  ) {
    this.id = id;
    this.title = title;
  }

  /** Undefined before it has started. */
  get loaded(): Loaded | undefined {
    return this.feature;
  }

  async start(): Promise<RunningFeature> {
    this.feature = await this.load();
    return await this.feature.start();
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
  private readonly emitter: Emitter<void>;
  private readonly lookEmitter: Emitter<void>;
  private readonly byId = new Map<string, FeatureStatus>();

  constructor(onListenerError: (error: unknown) => void) {
    this.emitter = new Emitter(onListenerError);
    this.lookEmitter = new Emitter(onListenerError);
  }

  get onDidChange(): Event<void> {
    return this.emitter.event;
  }

  /** The user looks: who does not follow what it tells of asks now. */
  get onDidLook(): Event<void> {
    return this.lookEmitter.event;
  }

  get all(): readonly FeatureStatus[] {
    return [...this.byId.values()];
  }

  set(status: FeatureStatus): void {
    this.byId.set(status.id, status);
    this.emitter.fire();
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
