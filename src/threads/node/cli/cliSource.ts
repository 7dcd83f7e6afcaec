import { access } from 'node:fs/promises';
import { KeyedQueue, type Clock } from '../../../base/common/async';
import { backoffMs, type Backoff } from '../../../base/common/backoff';
import { DisposableStore, toDisposable, type Disposable } from '../../../base/common/disposable';
import { Emitter } from '../../../base/common/event';
import type { Logger } from '../../../base/common/log';
import { fileUriPath } from '../../common/model/fileUriPath';
import { pastFrom, timeInId } from '../../common/heads/heads';
import { timeOf } from '../../common/model/jsonValues';
import {
  type OpenThread,
  type ThreadError,
  type ThreadHead,
  type ThreadSource,
  type ThreadSourceState,
} from '../../common/threadPorts';
import type { ThreadFile, ThreadReader } from '../../common/threadReader';
import type { AmpCli, ListedThread } from './ampCli';
import { newestFirst } from '../../common/heads/newestFirst';
import { asThreadError } from '../files/threadFile';
import { ThreadSubscriptions } from '../threadSubscriptions';

interface CliSourceOptions {
  readonly cli: AmpCli;
  readonly reader: ThreadReader;
  readonly clock: Clock;
  readonly log: Logger;
  /** What the CLI's files are kept in; disposed with this source. */
  readonly folder: Disposable;
}

interface Exported {
  readonly path: string;
  /** What the list said at the time; undefined when it was not listed. */
  readonly row: ListedThread | undefined;
  readonly head: ThreadHead;
}

/** What is said of a moment: when an export was written says nothing of now. */
const passingStates: ReadonlySet<ThreadHead['state']> = new Set(['running', 'waiting', 'stale']);
/** Amp's staff asks for no faster than this. */
const polls: Backoff = { firstMs: 10_000, maxMs: 5 * 60_000 };

/**
 * The threads of the user's Amp account, as the `amp` CLI tells them. It is asked only while somebody looks, and a thread is
 * exported only when it has grown, when it was at work and something has changed, or when the user asks for all anew.
 */
export class CliSource implements ThreadSource {
  readonly kind = 'cli';
  readonly title = 'Amp account';
  private readonly store = new DisposableStore();
  private readonly onListenerError = (error: unknown): void =>
    this.options.log.error('A listener of threads failed', error);
  private readonly changes = this.store.add(new Emitter<void>(this.onListenerError));
  readonly onDidChange = this.changes.event;
  private readonly subscriptions: ThreadSubscriptions;
  private readonly queue = new KeyedQueue();
  private readonly exported = new Map<string, Exported>();
  /** Ids of what was exported before the user asked for all anew. */
  private distrusted = new Set<string>();
  private listed: readonly ListedThread[] = [];
  /** By id. They hardly change: they are asked for at first, and when the user asks for all anew. */
  private archived: ReadonlyMap<string, ListedThread> = new Map();
  private isArchiveDue = true;
  private askedAt = -Infinity;
  private failures = 0;
  private lookers = 0;
  private timer: Disposable | undefined;
  private current: ThreadSourceState = { kind: 'absent', message: 'The amp CLI has not been asked yet.' };

  constructor(private readonly options: CliSourceOptions) {
    this.store.add(options.folder);
    const costMs = (id: string): number => options.reader.costMs(this.exported.get(id)?.path ?? '');
    this.subscriptions = this.store.add(new ThreadSubscriptions(options.clock, costMs, this.onListenerError));
    this.store.add({ dispose: () => this.timer?.dispose() });
  }

  get state(): ThreadSourceState {
    return this.current;
  }

  /** Somebody looks: the CLI is asked now and again until the result is disposed. */
  activate(): Disposable {
    this.lookers++;
    if (this.lookers === 1) this.poll();
    return toDisposable(() => {
      this.lookers--;
      if (this.lookers > 0) return;
      this.timer?.dispose();
      this.timer = undefined;
    });
  }

  /**
   * What the CLI said last. While somebody looks, it is asked when that is older than the time between two questions.
   * Failures show in `state`.
   */
  async list(signal?: AbortSignal): Promise<readonly ThreadHead[]> {
    if (this.lookers > 0) await this.refresh(signal);
    return newestFirst([...this.listed, ...this.archived.values()].map((thread) => this.headOf(thread)));
  }

  renew(): void {
    this.distrusted = new Set(this.exported.keys());
    this.isArchiveDue = true;
    // The user may have mended what it failed for.
    if (this.failures > 0) this.askedAt = -Infinity;
  }

  async read(threadId: string, signal?: AbortSignal, onFirst?: (thread: OpenThread) => void): Promise<OpenThread> {
    return this.queue.run(threadId, async () => {
      const file = await this.fileOf(threadId, signal);
      const thread = await this.options.reader.read(file, signal, onFirst);
      const known = this.exported.get(threadId);
      if (known) this.exported.set(threadId, { ...known, head: thread.head });
      return { ...thread, head: this.merged(thread.head) };
    });
  }

  async rawJson(threadId: string, entryId: string): Promise<string | undefined> {
    return this.queue.run(threadId, async () => this.options.reader.rawJson(await this.fileOf(threadId), entryId));
  }

  /** Best first, in the words and the search language of Amp; nothing where the CLI cannot list. @throws ThreadError */
  async search(query: string, signal?: AbortSignal): Promise<readonly ThreadHead[]> {
    // Who has just begun to look waits for the first list.
    if (this.lookers > 0) await this.refresh();
    if (this.current.kind !== 'ready' || signal?.aborted === true) return [];
    try {
      return (await this.options.cli.search(query, signal)).map((thread) => this.headOf(thread));
    } catch (error) {
      throw asThreadError(error, signal);
    }
  }

  /** Told when it grows, and of any change while it is at work, as long as somebody looks. */
  subscribe(threadId: string, listener: () => void): Disposable {
    const subscription = this.subscriptions.add(threadId, listener);
    const looking = this.activate();
    return toDisposable(() => {
      subscription.dispose();
      looking.dispose();
    });
  }

  dispose(): void {
    this.lookers = 0;
    this.store.dispose();
  }

  private poll(): void {
    this.timer = undefined;
    void this.refresh().finally(() => {
      if (this.lookers === 0 || this.timer || this.store.isDisposed) return;
      this.timer = this.options.clock.setTimer(this.pauseMs, () => this.poll());
    });
  }

  private get pauseMs(): number {
    return backoffMs(polls, this.failures + 1);
  }

  private async refresh(signal?: AbortSignal): Promise<void> {
    await this.queue.run('', async () => {
      if (this.options.clock.monotonicNow() - this.askedAt < this.pauseMs || this.store.isDisposed) return;
      this.askedAt = this.options.clock.monotonicNow();
      try {
        this.accept(await this.options.cli.list(signal));
        if (this.isArchiveDue) await this.listArchived(signal);
      } catch (error) {
        this.fail(asThreadError(error, signal));
      }
    });
  }

  private accept(listed: readonly ListedThread[]): void {
    const before = new Map(this.listed.map((thread) => [thread.id, thread]));
    const changed = new Set(listed.filter((thread) => !isSame(before.get(thread.id), thread)).map(({ id }) => id));
    const isNews = changed.size > 0 || listed.length !== this.listed.length || this.current.kind !== 'ready';
    const grown = listed.filter(
      (thread) => before.has(thread.id) && hasGrown(before.get(thread.id), thread, this.exported.get(thread.id)?.head),
    );
    this.listed = listed;
    const ids = new Set(listed.map(({ id }) => id));
    this.archived = new Map([...this.archived].filter(([id]) => !ids.has(id)));
    this.failures = 0;
    this.current = { kind: 'ready' };
    this.subscriptions.changed(new Set(grown.map(({ id }) => id)));
    if (isNews) this.changes.fire();
  }

  /** Rows do not say that they are archived; the other list leaves these out. */
  private async listArchived(signal?: AbortSignal): Promise<void> {
    const all = await this.options.cli.listWithArchived(signal);
    this.isArchiveDue = false;
    const others = new Set(this.listed.map(({ id }) => id));
    const archived = new Map(all.filter(({ id }) => !others.has(id)).map((thread) => [thread.id, thread]));
    if (archived.size === 0 && this.archived.size === 0) return;
    this.archived = archived;
    this.changes.fire();
  }

  private fail(error: ThreadError): void {
    if (error.code === 'cancelled') {
      this.askedAt = -Infinity;
      return;
    }
    this.failures++;
    const kind = error.code === 'notFound' ? 'absent' : 'failed';
    const isNews = this.current.kind !== kind || this.current.message !== error.message;
    const { message } = error;
    this.current = kind === 'absent' ? { kind, message } : { kind, message, summary: summaryOf(error) };
    if (!isNews) return;
    this.options.log.info(`Threads of the amp CLI: ${error.message}`);
    this.changes.fire();
  }

  private async fileOf(threadId: string, signal?: AbortSignal): Promise<ThreadFile> {
    const row = this.rowOf(threadId);
    const known = this.exported.get(threadId);
    const isCurrent = known && !this.distrusted.has(threadId) && !hasGrown(known.row, row, known.head);
    if (isCurrent && (await isThere(known.path))) return { path: known.path, source: 'cli', threadId };
    const { distrusted } = this;
    const path = await this.options.cli.export(threadId, signal);
    // Not in the set of a renewal that came meanwhile.
    distrusted.delete(threadId);
    const head = known?.head ?? this.headOf({ id: threadId, updated: undefined, updatedAt: undefined });
    this.exported.set(threadId, { path, row, head });
    return { path, source: 'cli', threadId };
  }

  private headOf(thread: ListedThread): ThreadHead {
    const known = this.exported.get(thread.id)?.head;
    const updatedAt = updatedOf(thread);
    const createdAt = [known?.createdAt, timeInId(thread.id)].find(pastFrom(this.options.clock.now()));
    const folder = typeof thread.tree === 'string' ? fileUriPath(thread.tree) : undefined;
    return {
      ...(known ?? { promptCount: 0, hasChanges: false, relations: [] }),
      id: thread.id,
      source: 'cli',
      ...(thread.title === undefined || thread.title === '' ? {} : { title: thread.title }),
      folders: known && known.folders.length > 0 ? known.folders : folder === undefined ? [] : [folder],
      ...(createdAt === undefined ? {} : { createdAt }),
      lastPromptAt: updatedAt ?? known?.lastPromptAt ?? createdAt ?? 0,
      messageCount: thread.messageCount ?? known?.messageCount ?? 0,
      isArchived: this.archived.has(thread.id),
      state: known === undefined || passingStates.has(known.state) ? 'idle' : known.state,
    };
  }

  private rowOf(threadId: string): ListedThread | undefined {
    return this.listed.find(({ id }) => id === threadId) ?? this.archived.get(threadId);
  }

  private merged(head: ThreadHead): ThreadHead {
    const listed = this.rowOf(head.id);
    return listed?.title === undefined || listed.title === '' ? head : { ...head, title: listed.title };
  }
}

function summaryOf({ code }: ThreadError): string {
  if (code === 'notSignedIn') return 'not signed in';
  return code === 'offline' ? 'offline' : 'cannot be listed';
}

function isSame(one: ListedThread | undefined, other: ListedThread): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** A message more; of one that was at work, any change: its last message may have become longer. */
function hasGrown(
  before: ListedThread | undefined,
  now: ListedThread | undefined,
  head: ThreadHead | undefined,
): boolean {
  if (before?.messageCount !== now?.messageCount) return true;
  return head !== undefined && passingStates.has(head.state) && updatedOf(before) !== updatedOf(now);
}

/** Milliseconds since the epoch. */
function updatedOf(thread: ListedThread | undefined): number | undefined {
  return timeOf(thread?.updated) ?? timeOf(thread?.updatedAt);
}

async function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
