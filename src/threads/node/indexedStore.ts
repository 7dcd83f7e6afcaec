import type { Clock } from '../../base/common/async';
import { DisposableStore, toDisposable, type Disposable } from '../../base/common/disposable';
import { messageOf } from '../../base/common/errors';
import { Emitter, type Event } from '../../base/common/event';
import type { Logger } from '../../base/common/log';
import type { OpenThread, TextCoverage, ThreadHead, ThreadSource, ThreadSourceState } from '../common/threadPorts';
import type { ThreadReader } from '../common/threadReader';
import type { AmpPlaces } from './ampFolder/ampData';
import { Pacer } from '../common/pacer';
import type { SearchResult, ThreadIndex } from './index/threadIndex';
import { LocalStore } from './localStore';

interface IndexedStoreOptions {
  readonly places: AmpPlaces;
  readonly index: ThreadIndex;
  readonly reader: ThreadReader;
  readonly clock: Clock;
  readonly log: Logger;
}

/** A huge thread that is written all the time must not be read all the time; the tree can wait for it. */
const listPace = { minMs: 50, share: 0.02 };

interface Follower {
  readonly threadId: string;
  readonly listener: () => void;
  subscription: Disposable;
}

/** After a list in which a file was being written. */
const settleMs = 1_000;

/** The threads on this machine, listed and searched by the index, which reads only what has changed. */
export class IndexedStore implements ThreadSource {
  readonly kind = 'local';
  readonly title = 'This machine';
  private readonly changes: Emitter<void>;
  private readonly followers = new Set<Follower>();
  private readonly relisting: Pacer;
  private heads: readonly ThreadHead[] | undefined;
  private store: LocalStore;
  private watching = new DisposableStore();
  private hasStarted = false;
  private isDisposed = false;
  private settling: Disposable | undefined;

  constructor(private readonly options: IndexedStoreOptions) {
    this.changes = new Emitter<void>((error) => options.log.error('a listener of threads failed', error));
    this.relisting = new Pacer(
      options.clock,
      listPace,
      () => this.relist(),
      (error) => {
        if (!this.isDisposed) options.log.warn(`cannot list the threads that have changed: ${messageOf(error)}`);
      },
    );
    this.store = this.storeOf([]);
  }

  get state(): ThreadSourceState {
    return this.store.state;
  }

  get onDidChange(): Event<void> {
    return this.changes.event;
  }

  /** More of the text can be searched. */
  get onDidChangeCoverage(): Event<TextCoverage> {
    return this.options.index.onDidChangeCoverage;
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
    this.watching.add(store.onDidChange(() => this.relisting.touch()));
    this.store = store;
    this.heads = undefined;
    for (const follower of this.followers) {
      follower.subscription.dispose();
      follower.subscription = store.subscribe(follower.threadId, follower.listener);
    }
    if (this.isDisposed) this.watching.dispose();
    else await store.start();
    this.changes.fire();
  }

  /** After a change it is as new as the pace of listing allows; `onDidChange` tells when there is more. */
  async list(signal?: AbortSignal): Promise<readonly ThreadHead[]> {
    if (this.heads && this.relisting.isResting) return this.heads;
    return await this.listNow(signal);
  }

  /** Through prompts, answers and titles of what is indexed. @throws ThreadError */
  async search(query: string, limit: number): Promise<SearchResult> {
    return await this.options.index.search(query, limit);
  }

  async read(threadId: string, signal?: AbortSignal, onFirst?: (thread: OpenThread) => void): Promise<OpenThread> {
    return await this.store.read(threadId, signal, onFirst);
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
    this.relisting.dispose();
    this.settling?.dispose();
    this.watching.dispose();
    this.store.dispose();
    this.options.index.dispose();
    this.changes.dispose();
  }

  /** What it took, in milliseconds. */
  private async relist(): Promise<number> {
    const { clock } = this.options;
    const startedAt = clock.monotonicNow();
    await this.listNow();
    this.changes.fire();
    return clock.monotonicNow() - startedAt;
  }

  private async listNow(signal?: AbortSignal): Promise<readonly ThreadHead[]> {
    const { store } = this;
    // What its state is shows when it looks at its folders.
    const [{ heads, isUnsettled }] = await Promise.all([
      this.options.index.list(store.folders, signal ? { signal } : {}),
      store.files(),
    ]);
    this.settling?.dispose();
    this.settling =
      isUnsettled && !this.isDisposed ? this.options.clock.setTimer(settleMs, () => this.relisting.touch()) : undefined;
    const completed = await store.completed(heads);
    if (store === this.store) this.heads = completed;
    return completed;
  }

  private storeOf(moreFolders: readonly string[]): LocalStore {
    const { places, reader, clock, log } = this.options;
    return new LocalStore({ places, moreFolders, reader, clock, log });
  }
}
