import { Coalescer, type Clock } from '../../base/common/async';
import { DisposableStore, toDisposable, type Disposable } from '../../base/common/disposable';
import { messageOf } from '../../base/common/errors';
import { Emitter } from '../../base/common/event';
import type { Logger } from '../../base/common/log';
import { layered } from './heads/layeredHead';
import { ThreadError, type OpenThread, type ThreadHead, type ThreadSource, type SourceProblem } from './threadPorts';

interface ThreadLibraryOptions {
  /**
   * The first one wins where two have the same thread to the same length, and adds what a longer one of the account does not
   * say. The library disposes them.
   */
  readonly sources: readonly ThreadSource[];
  /** What the sources share, disposed after them. */
  readonly owned?: readonly Disposable[];
  /** Begins to watch the sources; called once, when somebody first wants to know what there is. */
  readonly begin: () => Promise<void>;
  /** Somebody looks at the list, until the result is disposed: sources that have to ask do it now and again. */
  readonly look: () => Disposable;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Changes come in bursts, and a list is long. */
const settleMs = 200;

interface Listed {
  readonly head: ThreadHead;
  readonly source: ThreadSource;
}

/** All threads of all sources as one list, each once. Nothing is read before somebody asks. */
export class ThreadLibrary implements Disposable {
  private readonly store = new DisposableStore();
  private readonly emitter = this.store.add(
    new Emitter<void>((error) => this.options.log.error('a listener of the threads failed', error)),
  );
  /** The list, or what a source says of itself, has changed. */
  readonly onDidChange = this.emitter.event;
  private readonly later: Coalescer;
  private readonly bySource = new Map<ThreadSource, readonly ThreadHead[]>();
  private byId: ReadonlyMap<string, Listed> = new Map();
  private begun: Promise<void> | undefined;
  private listing: Promise<void> | undefined;
  private isListAgainDue = false;
  private hasList = false;
  private sorted: readonly ThreadHead[] = [];

  constructor(private readonly options: ThreadLibraryOptions) {
    const { clock, owned = [], sources } = options;
    for (const shared of owned) this.store.add(shared);
    this.later = this.store.add(new Coalescer(clock, settleMs, () => void this.list()));
    for (const source of sources) this.store.add(source);
  }

  /** Newest prompt first; empty before `ready`. */
  get heads(): readonly ThreadHead[] {
    return this.sorted;
  }

  /** There has been a list, even if an empty one. */
  get isListed(): boolean {
    return this.hasList;
  }

  /** What sources cannot do, and what the user can do about it. */
  get problems(): readonly string[] {
    return this.sourceProblems.map(({ title, message }) => `${title}: ${message}`);
  }

  get sourceProblems(): readonly SourceProblem[] {
    return this.options.sources.flatMap(({ kind, state, title }) =>
      state.kind === 'failed' ? [{ source: kind, title, summary: state.summary, message: state.message }] : [],
    );
  }

  /** Why a source has nothing, and where its threads would come from. */
  get absences(): readonly string[] {
    return this.options.sources.flatMap(({ state }) => (state.kind === 'absent' ? [state.message] : []));
  }

  /** Begins, when nobody has before, and resolves with the first list. Never rejects. */
  async ready(): Promise<void> {
    this.begun ??= this.begin();
    await this.begun;
  }

  /** Reads the list anew, as if nothing were known. Never rejects: what cannot be listed is in the log and in `problems`. */
  async refresh(): Promise<void> {
    for (const source of this.options.sources) source.renew?.();
    const looking = this.options.look();
    if (this.begun) await this.list();
    else await this.ready();
    looking.dispose();
  }

  /** The caller disposes it when nobody looks any more. */
  look(): Disposable {
    void this.ready();
    return this.options.look();
  }

  find(threadId: string): ThreadHead | undefined {
    return this.byId.get(threadId)?.head;
  }

  /** @throws ThreadError */
  async read(threadId: string, signal?: AbortSignal, onFirst?: (thread: OpenThread) => void): Promise<OpenThread> {
    return await this.anywhere(threadId, (source) => source.read(threadId, signal, onFirst));
  }

  /** Asks no source for a thread that none of them lists. @throws ThreadError */
  async readListed(threadId: string): Promise<OpenThread> {
    await this.ready();
    if (!this.find(threadId))
      throw new ThreadError('notFound', `The thread ${threadId} is not in the list of threads.`);
    return await this.read(threadId);
  }

  /** @throws ThreadError */
  async rawJson(threadId: string, entryId: string): Promise<string | undefined> {
    return await this.anywhere(threadId, (source) => source.rawJson(threadId, entryId));
  }

  /** Tells of each change of one thread. The caller disposes. */
  subscribe(threadId: string, listener: () => void): Disposable {
    const known = this.byId.get(threadId)?.source;
    const sources = known ? [known] : this.options.sources.filter(({ kind }) => kind !== 'cli');
    const subscriptions = sources.map((source) => source.subscribe(threadId, listener));
    return toDisposable(() => {
      for (const subscription of subscriptions) subscription.dispose();
    });
  }

  /** The thread that "continue" means. */
  async currentHint(): Promise<string | undefined> {
    for (const source of this.options.sources) {
      const hint = await source.currentHint?.();
      if (hint !== undefined) return hint;
    }
    return undefined;
  }

  dispose(): void {
    this.store.dispose();
  }

  private async begin(): Promise<void> {
    const { begin, sources, log } = this.options;
    for (const source of sources) this.store.add(source.onDidChange(() => this.later.schedule()));
    await begin().catch((error: unknown) => log.error('the threads cannot be watched', error));
    await this.list();
  }

  /** One listing at a time: what changes meanwhile is listed after it. */
  private async list(): Promise<void> {
    if (this.listing) {
      this.isListAgainDue = true;
      await this.listing;
      return;
    }
    this.listing = this.listAll();
    await this.listing;
    this.listing = undefined;
    if (!this.isListAgainDue || this.store.isDisposed) return;
    this.isListAgainDue = false;
    this.later.schedule();
  }

  /** The account is on a network: it comes when it comes, and the others do not wait for it. */
  private async listAll(): Promise<void> {
    const { sources } = this.options;
    for (const source of sources) if (source.kind === 'cli') void this.listOne(source).then(() => this.merge());
    await Promise.all(sources.filter(({ kind }) => kind !== 'cli').map((source) => this.listOne(source)));
    this.merge();
  }

  private async listOne(source: ThreadSource): Promise<void> {
    try {
      this.bySource.set(source, await source.list());
    } catch (error) {
      if (this.store.isDisposed) return;
      this.options.log.warn(`cannot list the threads of "${source.title}": ${messageOf(error)}`);
    }
  }

  private merge(): void {
    if (this.store.isDisposed) return;
    const byId = new Map<string, Listed>();
    for (const source of this.options.sources) {
      for (const head of this.bySource.get(source) ?? []) {
        const known = byId.get(head.id)?.head;
        if (known && known.messageCount >= head.messageCount) continue;
        byId.set(head.id, { head: known && source.kind === 'cli' ? layered(known, head) : head, source });
      }
    }
    this.byId = byId;
    this.sorted = [...byId.values()]
      .map(({ head }) => head)
      .sort((one, other) => other.lastPromptAt - one.lastPromptAt);
    this.hasList = true;
    this.emitter.fire();
  }

  /** Where it is listed; a thread that is not, by its id, may still be somewhere. */
  private async anywhere<Result>(threadId: string, work: (source: ThreadSource) => Promise<Result>): Promise<Result> {
    await this.ready();
    const known = this.byId.get(threadId)?.source;
    if (known) return await work(known);
    let missing: unknown = new ThreadError(
      'notFound',
      `There is no thread ${threadId} here. Refresh the list of threads.`,
    );
    for (const source of this.options.sources) {
      try {
        return await work(source);
      } catch (error) {
        if (!(error instanceof ThreadError && error.code === 'notFound')) missing = error;
      }
    }
    throw missing;
  }
}
