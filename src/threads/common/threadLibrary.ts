import { Coalescer, type Clock } from '../../base/common/async';
import { DisposableStore, toDisposable, type Disposable } from '../../base/common/disposable';
import { messageOf } from '../../base/common/errors';
import { Emitter } from '../../base/common/event';
import type { Logger } from '../../base/common/log';
import { mergeAccountHead } from './heads/mergeAccountHead';
import {
  ThreadError,
  type ThreadWithEntries,
  type ThreadHead,
  type ThreadSource,
  type SourceProblem,
} from './threadPorts';

interface ThreadLibraryDeps {
  /** For equal numbers of messages, the first source is preferred. The library owns the sources. */
  readonly sources: readonly ThreadSource[];
  /** Objects that the sources share. They are disposed after the sources. */
  readonly owned?: readonly Disposable[];
  /** Called once, before the first list. */
  readonly startWatching: () => Promise<void>;
  /** Polls sources that have no change events, until the result is disposed. */
  readonly startPolling: () => Disposable;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Delay before the threads are listed again, because changes often come in groups. */
const settleMs = 200;

interface ListedHead {
  readonly head: ThreadHead;
  readonly source: ThreadSource;
}

/** Combines the threads of all sources in one list without duplicates. Reads nothing before the first request. */
export class ThreadLibrary implements Disposable {
  private readonly disposables = new DisposableStore();
  private readonly changeEmitter = this.disposables.add(
    new Emitter<void>((error) => this.deps.log.error('A listener of the thread list failed', error)),
  );
  /** Fires when the list or the state of a source has changed. */
  readonly onDidChange = this.changeEmitter.event;
  private readonly relistCoalescer: Coalescer;
  private readonly headsBySource = new Map<ThreadSource, readonly ThreadHead[]>();
  private listedById: ReadonlyMap<string, ListedHead> = new Map();
  private firstListing: Promise<void> | undefined;
  private activeListing: Promise<void> | undefined;
  private mustListAgain = false;
  private hasList = false;
  private sortedHeads: readonly ThreadHead[] = [];

  constructor(private readonly deps: ThreadLibraryDeps) {
    const { clock, owned = [], sources } = deps;
    for (const shared of owned) this.disposables.add(shared);
    this.relistCoalescer = this.disposables.add(new Coalescer(clock, settleMs, () => void this.list()));
    for (const source of sources) this.disposables.add(source);
  }

  /** The threads, newest prompt first. Empty before the first list is complete. */
  get heads(): readonly ThreadHead[] {
    return this.sortedHeads;
  }

  /** Whether the list was loaded. It may be empty. */
  get isListed(): boolean {
    return this.hasList;
  }

  /** Why sources have failed, and what the user can do. */
  get problemTexts(): readonly string[] {
    return this.sourceProblems.map(({ title, message }) => `${title}: ${message}`);
  }

  get sourceProblems(): readonly SourceProblem[] {
    return this.deps.sources.flatMap(({ kind, state, title }) =>
      state.kind === 'failed' ? [{ source: kind, title, summary: state.summary, message: state.message }] : [],
    );
  }

  /** Why sources have no threads. */
  get absenceReasons(): readonly string[] {
    return this.deps.sources.flatMap(({ state }) => (state.kind === 'absent' ? [state.message] : []));
  }

  /** Starts the library if necessary and resolves when the first list is complete. Never rejects. */
  async waitForFirstList(): Promise<void> {
    this.firstListing ??= this.startAndList();
    await this.firstListing;
  }

  /** Creates the list again without cached data. Never rejects. Failures are logged and reported in `problems`. */
  async refresh(): Promise<void> {
    for (const source of this.deps.sources) source.invalidate?.();
    const polling = this.deps.startPolling();
    if (this.firstListing) await this.list();
    else await this.waitForFirstList();
    polling.dispose();
  }

  /** Keeps the list up to date until the result is disposed. */
  keepUpToDate(): Disposable {
    void this.waitForFirstList();
    return this.deps.startPolling();
  }

  find(threadId: string): ThreadHead | undefined {
    return this.listedById.get(threadId)?.head;
  }

  /** Reads a thread. `onFirst` gets the last entries before, at most once. @throws ThreadError */
  async read(
    threadId: string,
    signal?: AbortSignal,
    onFirst?: (thread: ThreadWithEntries) => void,
  ): Promise<ThreadWithEntries> {
    return await this.withSource(threadId, (source) => source.read(threadId, signal, onFirst));
  }

  /** Reads a thread only if it is in the list. @throws ThreadError */
  async readListed(threadId: string): Promise<ThreadWithEntries> {
    await this.waitForFirstList();
    if (!this.find(threadId)) throw new ThreadError('notFound', `Thread ${threadId} is not in the list.`);
    return await this.read(threadId);
  }

  /** Returns the source of an entry as indented JSON. @throws ThreadError */
  async rawJson(threadId: string, entryId: string): Promise<string | undefined> {
    return await this.withSource(threadId, (source) => source.rawJson(threadId, entryId));
  }

  /** Calls the listener after each change of a thread. The caller must dispose the result. */
  subscribe(threadId: string, listener: () => void): Disposable {
    const known = this.listedById.get(threadId)?.source;
    const sources = known ? [known] : this.deps.sources.filter(({ kind }) => kind !== 'cli');
    const subscriptions = sources.map((source) => source.subscribe(threadId, listener));
    return toDisposable(() => {
      for (const subscription of subscriptions) subscription.dispose();
    });
  }

  /** Returns the thread that Amp would continue. */
  async currentThreadId(): Promise<string | undefined> {
    for (const source of this.deps.sources) {
      const threadId = await source.currentThreadId?.();
      if (threadId !== undefined) return threadId;
    }
    return undefined;
  }

  dispose(): void {
    this.disposables.dispose();
  }

  private async startAndList(): Promise<void> {
    const { startWatching, sources, log } = this.deps;
    for (const source of sources) this.disposables.add(source.onDidChange(() => this.relistCoalescer.schedule()));
    await startWatching().catch((error: unknown) => log.error('Cannot watch the threads', error));
    await this.list();
  }

  /** Lists the threads, one listing at a time. A request during a listing schedules another one. */
  private async list(): Promise<void> {
    if (this.activeListing) {
      this.mustListAgain = true;
      await this.activeListing;
      return;
    }
    this.activeListing = this.listAll();
    await this.activeListing;
    this.activeListing = undefined;
    if (!this.mustListAgain || this.disposables.isDisposed) return;
    this.mustListAgain = false;
    this.relistCoalescer.schedule();
  }

  /** Lists the threads of all sources. Does not wait for the account, because it uses the network. */
  private async listAll(): Promise<void> {
    const { sources } = this.deps;
    for (const source of sources) if (source.kind === 'cli') void this.listOne(source).then(() => this.mergeSources());
    await Promise.all(sources.filter(({ kind }) => kind !== 'cli').map((source) => this.listOne(source)));
    this.mergeSources();
  }

  private async listOne(source: ThreadSource): Promise<void> {
    try {
      this.headsBySource.set(source, await source.list());
    } catch (error) {
      if (this.disposables.isDisposed) return;
      this.deps.log.warn(`Cannot list the threads of "${source.title}": ${messageOf(error)}`);
    }
  }

  private mergeSources(): void {
    if (this.disposables.isDisposed) return;
    const listedById = new Map<string, ListedHead>();
    for (const source of this.deps.sources) {
      for (const head of this.headsBySource.get(source) ?? []) {
        const known = listedById.get(head.id)?.head;
        if (known && known.messageCount >= head.messageCount) continue;
        listedById.set(head.id, {
          head: known && source.kind === 'cli' ? mergeAccountHead(known, head) : head,
          source,
        });
      }
    }
    this.listedById = listedById;
    this.sortedHeads = [...listedById.values()]
      .map(({ head }) => head)
      .sort((one, other) => other.lastPromptAt - one.lastPromptAt);
    this.hasList = true;
    this.changeEmitter.fire();
  }

  /** Uses the source that lists the thread, or else all: a thread may exist without being listed. */
  private async withSource<Result>(threadId: string, work: (source: ThreadSource) => Promise<Result>): Promise<Result> {
    await this.waitForFirstList();
    const known = this.listedById.get(threadId)?.source;
    if (known) return await work(known);
    let failure: unknown = new ThreadError(
      'notFound',
      `Thread ${threadId} was not found. Refresh the list of threads.`,
    );
    for (const source of this.deps.sources) {
      try {
        return await work(source);
      } catch (error) {
        if (!(error instanceof ThreadError && error.code === 'notFound')) failure = error;
      }
    }
    throw failure;
  }
}
