import type { Clock } from '../../base/common/async';
import { DisposableStore, toDisposable, type Disposable } from '../../base/common/disposable';
import { Emitter, type Event } from '../../base/common/event';
import type { Logger } from '../../base/common/log';
import type { OpenThread, ThreadHead, ThreadHit, ThreadSource, ThreadSourceState } from '../common/threadPorts';
import type { ThreadReader } from '../common/threadReader';
import type { AmpPlaces } from './ampData';
import type { ThreadIndex } from './index/threadIndex';
import { LocalStore } from './localStore';

export interface IndexedStoreOptions {
  readonly places: AmpPlaces;
  readonly index: ThreadIndex;
  readonly reader: ThreadReader;
  readonly clock: Clock;
  readonly log: Logger;
}

interface Follower {
  readonly threadId: string;
  readonly listener: () => void;
  subscription: Disposable;
}

/** The threads on this machine, listed and searched by the index, which reads only what has changed. */
export class IndexedStore implements ThreadSource {
  readonly kind = 'local';
  readonly title = 'This machine';
  private readonly changes: Emitter<void>;
  private readonly followers = new Set<Follower>();
  private store: LocalStore;
  private watching = new DisposableStore();
  private hasStarted = false;
  private isDisposed = false;

  constructor(private readonly options: IndexedStoreOptions) {
    this.changes = new Emitter<void>((error) => options.log.error('a listener of threads failed', error));
    this.store = this.storeOf([]);
  }

  get state(): ThreadSourceState {
    return this.store.state;
  }

  get onDidChange(): Event<void> {
    return this.changes.event;
  }

  /** Watches Amp's folder and these, absolute ones; to be called again when they are others. */
  async use(moreFolders: readonly string[]): Promise<void> {
    const store = this.storeOf(moreFolders);
    if (this.hasStarted && store.folders.join('\n') === this.store.folders.join('\n')) {
      store.dispose();
      return;
    }
    this.hasStarted = true;
    this.watching.dispose();
    this.watching = new DisposableStore();
    this.watching.add(store);
    this.watching.add(store.onDidChange(() => this.changes.fire()));
    this.store = store;
    for (const follower of this.followers) {
      follower.subscription.dispose();
      follower.subscription = store.subscribe(follower.threadId, follower.listener);
    }
    if (this.isDisposed) this.watching.dispose();
    else await store.start();
    this.changes.fire();
  }

  async list(signal?: AbortSignal): Promise<readonly ThreadHead[]> {
    const { store } = this;
    // What its state is shows when it looks at its folders.
    const [{ heads }] = await Promise.all([
      this.options.index.list(store.folders, signal ? { signal } : {}),
      store.files(),
    ]);
    return heads;
  }

  /** Through prompts, answers and titles. @throws ThreadError */
  async search(query: string, limit: number): Promise<readonly ThreadHit[]> {
    return (await this.options.index.search(query, limit)).hits;
  }

  async read(threadId: string, signal?: AbortSignal): Promise<OpenThread> {
    return await this.store.read(threadId, signal);
  }

  async rawJson(threadId: string, entryId: string): Promise<string | undefined> {
    return await this.store.rawJson(threadId, entryId);
  }

  subscribe(threadId: string, listener: () => void): Disposable {
    const follower: Follower = { threadId, listener, subscription: this.store.subscribe(threadId, listener) };
    this.followers.add(follower);
    return toDisposable(() => {
      this.followers.delete(follower);
      follower.subscription.dispose();
    });
  }

  async currentHint(): Promise<string | undefined> {
    return await this.store.currentHint();
  }

  dispose(): void {
    this.isDisposed = true;
    this.watching.dispose();
    this.store.dispose();
    this.options.index.dispose();
    this.changes.dispose();
  }

  private storeOf(moreFolders: readonly string[]): LocalStore {
    const { places, reader, clock, log } = this.options;
    return new LocalStore({ places, moreFolders, reader, clock, log });
  }
}
