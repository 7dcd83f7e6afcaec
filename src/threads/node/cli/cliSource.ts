import { stat } from 'node:fs/promises';
import { KeyedQueue, type Clock } from '../../../base/common/async';
import { backoffMs, type Backoff } from '../../../base/common/backoff';
import { DisposableStore, toDisposable, type Disposable } from '../../../base/common/disposable';
import { Emitter } from '../../../base/common/event';
import type { Logger } from '../../../base/common/log';
import { fileUriPath } from '../../common/model/fileUriPath';
import { createPlausibleTimeTest, creationTimeFromId } from '../../common/heads/heads';
import { asTimeMs } from '../../common/model/jsonValues';
import {
  type ThreadWithEntries,
  type ThreadError,
  type ThreadHead,
  type ThreadSource,
  type ThreadSourceState,
} from '../../common/threadPorts';
import type { ThreadFile, ThreadReader } from '../../common/threadReader';
import type { AmpCli, ListedThread } from './ampCli';
import { newestFirstWithoutDuplicates } from '../../common/heads/newestFirst';
import { toThreadError } from '../files/threadFile';
import { ThreadSubscriptions } from '../threadSubscriptions';

interface CliSourceDeps {
  readonly cli: AmpCli;
  readonly reader: ThreadReader;
  readonly clock: Clock;
  readonly log: Logger;
  /** The folder with the CLI's output files. It is disposed with this source. */
  readonly folder: Disposable;
}

interface ExportedThread {
  readonly path: string;
  /** The thread in the list at the time of the export. Undefined if it was not listed. */
  readonly row: ListedThread | undefined;
  readonly head: ThreadHead;
}

/** Temporary states, which an old export cannot prove. */
const transientStates: ReadonlySet<ThreadHead['state']> = new Set(['running', 'waiting', 'stale']);
/** Amp's developers have asked clients not to poll faster than this. */
const pollBackoff: Backoff = { firstMs: 10_000, maxMs: 5 * 60_000 };

/**
 * The threads of the user's Amp account, read with the Amp CLI. Polls the CLI only while the user views the list.
 * Exports a thread again only if it has new messages, if it was running and has changed, or after `invalidate`.
 */
export class CliSource implements ThreadSource {
  readonly kind = 'cli';
  readonly title = 'Amp account';
  private readonly disposables = new DisposableStore();
  private readonly onListenerError = (error: unknown): void =>
    this.deps.log.error('A listener of threads failed', error);
  private readonly changeEmitter = this.disposables.add(new Emitter<void>(this.onListenerError));
  readonly onDidChange = this.changeEmitter.event;
  private readonly subscriptions: ThreadSubscriptions;
  private readonly queue = new KeyedQueue();
  private readonly exportById = new Map<string, ExportedThread>();
  /** Ids of threads whose exports must not be used any more. */
  private outdatedExportIds = new Set<string>();
  private listedThreads: readonly ListedThread[] = [];
  /** Archived threads rarely change, so they are listed only once and after `invalidate`. */
  private archivedById: ReadonlyMap<string, ListedThread> = new Map();
  private mustListArchived = true;
  private lastPollAt = -Infinity;
  private failureCount = 0;
  private viewerCount = 0;
  private pollTimer: Disposable | undefined;
  private currentState: ThreadSourceState = {
    kind: 'absent',
    message: 'The threads of your Amp account have not been loaded yet.',
  };

  constructor(private readonly deps: CliSourceDeps) {
    this.disposables.add(deps.folder);
    const costMs = (id: string): number => deps.reader.costMs(this.exportById.get(id)?.path ?? '');
    this.subscriptions = this.disposables.add(new ThreadSubscriptions(deps.clock, costMs, this.onListenerError));
    this.disposables.add({ dispose: () => this.pollTimer?.dispose() });
  }

  get state(): ThreadSourceState {
    return this.currentState;
  }

  /** Polls the CLI until the result is disposed. */
  startPolling(): Disposable {
    this.viewerCount++;
    if (this.viewerCount === 1) this.poll();
    return toDisposable(() => {
      this.viewerCount--;
      if (this.viewerCount > 0) return;
      this.pollTimer?.dispose();
      this.pollTimer = undefined;
    });
  }

  /** Returns the last list. While the user views it, refreshes it first if due. `state` reports failures. */
  async list(signal?: AbortSignal): Promise<readonly ThreadHead[]> {
    if (this.viewerCount > 0) await this.refreshIfDue(signal);
    return newestFirstWithoutDuplicates(
      [...this.listedThreads, ...this.archivedById.values()].map((thread) => this.headOf(thread)),
    );
  }

  invalidate(): void {
    this.outdatedExportIds = new Set(this.exportById.keys());
    this.mustListArchived = true;
    // The user may have fixed the cause of the failure, so the next poll is not delayed.
    if (this.failureCount > 0) this.lastPollAt = -Infinity;
  }

  async read(
    threadId: string,
    signal?: AbortSignal,
    onFirst?: (thread: ThreadWithEntries) => void,
  ): Promise<ThreadWithEntries> {
    return this.queue.run(threadId, async () => {
      const file = await this.exportUnlessCurrent(threadId, signal);
      const thread = await this.deps.reader.read(file, signal, onFirst);
      const known = this.exportById.get(threadId);
      if (known) this.exportById.set(threadId, { ...known, head: thread.head });
      return { ...thread, head: this.addListedTitle(thread.head) };
    });
  }

  async rawJson(threadId: string, entryId: string): Promise<string | undefined> {
    return this.queue.run(threadId, async () =>
      this.deps.reader.rawJson(await this.exportUnlessCurrent(threadId), entryId),
    );
  }

  /** Searches with Amp's own query language, best match first. Empty if the CLI is unavailable. @throws ThreadError */
  async search(query: string, signal?: AbortSignal): Promise<readonly ThreadHead[]> {
    // If the user views the list, the first list must be complete before the search.
    if (this.viewerCount > 0) await this.refreshIfDue();
    if (this.currentState.kind !== 'ready' || signal?.aborted === true) return [];
    try {
      return (await this.deps.cli.search(query, signal)).map((thread) => this.headOf(thread));
    } catch (error) {
      throw toThreadError(error, signal);
    }
  }

  /** Calls the listener for new messages, and for any change while the thread is running. */
  subscribe(threadId: string, listener: () => void): Disposable {
    const subscription = this.subscriptions.add(threadId, listener);
    const polling = this.startPolling();
    return toDisposable(() => {
      subscription.dispose();
      polling.dispose();
    });
  }

  dispose(): void {
    this.viewerCount = 0;
    this.disposables.dispose();
  }

  private poll(): void {
    this.pollTimer = undefined;
    void this.refreshIfDue().finally(() => {
      if (this.viewerCount === 0 || this.pollTimer || this.disposables.isDisposed) return;
      this.pollTimer = this.deps.clock.setTimer(this.pollIntervalMs, () => this.poll());
    });
  }

  private get pollIntervalMs(): number {
    return backoffMs(pollBackoff, this.failureCount + 1);
  }

  private async refreshIfDue(signal?: AbortSignal): Promise<void> {
    await this.queue.run('', async () => {
      if (this.deps.clock.monotonicNow() - this.lastPollAt < this.pollIntervalMs || this.disposables.isDisposed) return;
      this.lastPollAt = this.deps.clock.monotonicNow();
      try {
        this.updateListedThreads(await this.deps.cli.list(signal));
        if (this.mustListArchived) await this.refreshArchived(signal);
      } catch (error) {
        this.applyFailure(toThreadError(error, signal));
      }
    });
  }

  private updateListedThreads(listed: readonly ListedThread[]): void {
    const before = new Map(this.listedThreads.map((thread) => [thread.id, thread]));
    const isUnchanged = (thread: ListedThread): boolean =>
      JSON.stringify(before.get(thread.id)) === JSON.stringify(thread);
    const isSameList = listed.length === this.listedThreads.length && listed.every(isUnchanged);
    const hasChanged = !isSameList || this.currentState.kind !== 'ready';
    const updated = listed.filter(
      (thread) =>
        before.has(thread.id) && hasNewContent(before.get(thread.id), thread, this.exportById.get(thread.id)?.head),
    );
    this.listedThreads = listed;
    const ids = new Set(listed.map(({ id }) => id));
    this.archivedById = new Map([...this.archivedById].filter(([id]) => !ids.has(id)));
    this.failureCount = 0;
    this.currentState = { kind: 'ready' };
    this.subscriptions.notify(new Set(updated.map(({ id }) => id)));
    if (hasChanged) this.changeEmitter.fire();
  }

  /**
   * Lists archived threads. Rows have no flag for this, so the archived threads are those that are missing in the list
   * without archived threads.
   */
  private async refreshArchived(signal?: AbortSignal): Promise<void> {
    const all = await this.deps.cli.listWithArchived(signal);
    this.mustListArchived = false;
    const activeIds = new Set(this.listedThreads.map(({ id }) => id));
    const archived = new Map(all.filter(({ id }) => !activeIds.has(id)).map((thread) => [thread.id, thread]));
    if (archived.size === 0 && this.archivedById.size === 0) return;
    this.archivedById = archived;
    this.changeEmitter.fire();
  }

  private applyFailure(error: ThreadError): void {
    if (error.code === 'cancelled') {
      this.lastPollAt = -Infinity;
      return;
    }
    this.failureCount++;
    const kind = error.code === 'notFound' ? 'absent' : 'failed';
    const hasChanged = this.currentState.kind !== kind || this.currentState.message !== error.message;
    const { message } = error;
    this.currentState = kind === 'absent' ? { kind, message } : { kind, message, summary: failureSummary(error) };
    if (!hasChanged) return;
    this.deps.log.info(`Amp CLI threads: ${error.message}`);
    this.changeEmitter.fire();
  }

  /** Exports the thread unless there is a current export. */
  private async exportUnlessCurrent(threadId: string, signal?: AbortSignal): Promise<ThreadFile> {
    const row = this.listedThread(threadId);
    const known = this.exportById.get(threadId);
    const isCurrent = known && !this.outdatedExportIds.has(threadId) && !hasNewContent(known.row, row, known.head);
    if (isCurrent && (await fileExists(known.path))) return { path: known.path, source: 'cli', threadId };
    const { outdatedExportIds: outdatedExports } = this;
    const path = await this.deps.cli.export(threadId, signal);
    // If `invalidate` was called during the export, it has replaced the set, and the thread stays in the new set.
    outdatedExports.delete(threadId);
    const head = known?.head ?? this.headOf({ id: threadId, updated: undefined, updatedAt: undefined });
    this.exportById.set(threadId, { path, row, head });
    return { path, source: 'cli', threadId };
  }

  private headOf(thread: ListedThread): ThreadHead {
    const known = this.exportById.get(thread.id)?.head;
    const updatedAt = updatedAtOf(thread);
    const createdAt = [known?.createdAt, creationTimeFromId(thread.id)].find(
      createPlausibleTimeTest(this.deps.clock.now()),
    );
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
      isArchived: this.archivedById.has(thread.id),
      state: known === undefined || transientStates.has(known.state) ? 'idle' : known.state,
    };
  }

  private listedThread(threadId: string): ListedThread | undefined {
    return this.listedThreads.find(({ id }) => id === threadId) ?? this.archivedById.get(threadId);
  }

  private addListedTitle(head: ThreadHead): ThreadHead {
    const listed = this.listedThread(head.id);
    return listed?.title === undefined || listed.title === '' ? head : { ...head, title: listed.title };
  }
}

function failureSummary({ code }: ThreadError): string {
  if (code === 'notSignedIn') return 'not signed in';
  return code === 'offline' ? 'offline' : 'unavailable';
}

/** Whether the number of messages changed. While running, any change counts: the last one may have grown. */
function hasNewContent(
  before: ListedThread | undefined,
  now: ListedThread | undefined,
  head: ThreadHead | undefined,
): boolean {
  if (before?.messageCount !== now?.messageCount) return true;
  return head !== undefined && transientStates.has(head.state) && updatedAtOf(before) !== updatedAtOf(now);
}

/** Returns the time of the last change, in milliseconds since the epoch. */
function updatedAtOf(thread: ListedThread | undefined): number | undefined {
  return asTimeMs(thread?.updated) ?? asTimeMs(thread?.updatedAt);
}

async function fileExists(file: string): Promise<boolean> {
  return (await stat(file).catch(() => undefined)) !== undefined;
}
