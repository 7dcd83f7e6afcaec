import { backoffMs, type Backoff } from '../../../base/common/backoff';
import type { Clock } from '../../../base/common/async';
import { type Disposable, DisposableStore, toDisposable } from '../../../base/common/disposable';
import { messageOf } from '../../../base/common/errors';
import { Emitter } from '../../../base/common/event';
import type { Entry } from '../../../transcript/common/entries';
import { TranscriptDocument } from '../../../transcript/common/transcriptDocument';
import { truncateEntry } from '../../../transcript/common/truncateEntry';
import { nextStaleAt } from '../heads/heads';
import {
  sortLikeKnownEntries,
  OpenSubthreads,
  type EntryOrigin,
  type SubthreadNesting,
} from '../subthreads/openSubthreads';
import { ThreadError, type ThreadWithEntries, type ThreadSource } from '../threadPorts';

export type FollowedThreadSource = Pick<ThreadSource, 'read' | 'subscribe'>;

const retryBackoff: Backoff = { firstMs: 250, maxMs: 2_000 };

interface RetryPolicy {
  /** How long the error is hidden from the user, in milliseconds. */
  readonly hiddenMs: number;
  /** Whether to keep retrying after that time. */
  readonly isEndless: boolean;
}

/**
 * Returns how to retry after an error, or undefined for a permanent error. Some programs write files in place, so a
 * read may find an incomplete file.
 */
function retryPolicyFor(error: unknown, wasComplete: boolean): RetryPolicy | undefined {
  const code = error instanceof ThreadError ? error.code : undefined;
  if (code === 'beingWritten') return { hiddenMs: wasComplete ? 30_000 : 5_000, isEndless: true };
  return code === 'unreadable' && wasComplete ? { hiddenMs: 3_000, isEndless: false } : undefined;
}

/** Reads a thread that is displayed, and reads it again after each change. Only one read runs at a time. */
export class FollowedThread implements Disposable {
  readonly transcript: TranscriptDocument;
  private readonly disposables = new DisposableStore();
  private readonly changeEmitter = this.disposables.add(new Emitter<void>((error) => this.onListenerError(error)));
  /** Fires after each read, even if it failed. The transcript has its own event. */
  readonly onDidChange = this.changeEmitter.event;
  private readonly disposeAbortController = new AbortController();
  /** Truncated entries for pages. They are kept, so that an unchanged entry stays the same object. */
  private readonly trimmedEntries = new WeakMap<Entry, Entry>();
  private readonly subthreads: OpenSubthreads;
  private hasShownSubthreads = false;
  /** The thread as it was read, without the steps of subthreads. */
  private threadWithoutSubthreadSteps: ThreadWithEntries | undefined;
  private currentThread: ThreadWithEntries | undefined;
  private currentProblem: string | undefined;
  private activeRead: Promise<void> | undefined;
  private mustReadAgain = false;
  /** Whether the thread was read completely at least once. */
  private hasReadCompletely = false;
  private temporaryFailures: { readonly startedAt: number; readonly count: number } | undefined;
  private retryTimer: Disposable | undefined;

  constructor(
    readonly threadId: string,
    private readonly threadSource: FollowedThreadSource,
    private readonly clock: Clock,
    private readonly onListenerError: (error: unknown) => void,
    scope: SubthreadNesting = { chain: [threadId], shared: { openCount: 0 } },
  ) {
    this.subthreads = this.disposables.add(
      new OpenSubthreads({
        scope,
        follow: (id, innerScope) => this.followSubthread(id, innerScope),
        onDidChange: () => this.updateThreadWithSteps(),
      }),
    );
    this.transcript = this.disposables.add(new TranscriptDocument(onListenerError));
  }

  /** The thread as it was last read, with the steps of open subthreads. */
  get thread(): ThreadWithEntries | undefined {
    return this.currentThread;
  }

  /** Why the last read failed; undefined if it succeeded. */
  get problem(): string | undefined {
    return this.currentProblem;
  }

  /** Reads the thread and subscribes to its changes. Never rejects. */
  async start(): Promise<void> {
    await this.refresh();
    // The subscription follows the first read, because that finds the source of the thread.
    if (this.disposables.isDisposed) return;
    this.disposables.add(this.threadSource.subscribe(this.threadId, () => void this.refresh()));
    // The thread may have changed between the read and the subscription.
    await this.refresh();
  }

  /** Reads the thread again. Never rejects. */
  async refresh(): Promise<void> {
    if (this.activeRead) {
      this.mustReadAgain = true;
      await this.activeRead;
      return;
    }
    do {
      this.mustReadAgain = false;
      this.activeRead = this.read();
      await this.activeRead;
      this.activeRead = undefined;
    } while (this.shouldReadAgain());
  }

  /** Returns the complete form of an entry, which is truncated on pages. */
  entry(entryId: string): Entry | undefined {
    return this.currentThread?.entries.find(({ id }) => id === entryId);
  }

  /** Shows a subagent's thread as the steps of its call. Returns a message if that is impossible. */
  showSubthread(callId: string): string | undefined {
    this.hasShownSubthreads = true;
    return this.subthreads.show(callId, this.threadWithoutSubthreadSteps?.entries ?? []);
  }

  hideSubthread(callId: string): void {
    this.subthreads.hide(callId);
  }

  /** Call for a new page, because it has no open subthreads. */
  hideSubthreads(): void {
    if (this.subthreads.size === 0) return;
    this.subthreads.closeAll();
    this.updateThreadWithSteps();
  }

  originOf(entryId: string): EntryOrigin {
    return this.subthreads.originOf(entryId) ?? { threadId: this.threadId, entryId };
  }

  dispose(): void {
    this.disposeAbortController.abort();
    this.retryTimer?.dispose();
    this.disposables.dispose();
  }

  private shouldReadAgain(): boolean {
    return this.mustReadAgain && !this.disposables.isDisposed;
  }

  private followSubthread(threadId: string, scope: SubthreadNesting): FollowedThread {
    const followed = new FollowedThread(threadId, this.threadSource, this.clock, this.onListenerError, scope);
    followed.disposables.add(refreshWhenStale(followed, this.clock));
    return followed;
  }

  private async read(): Promise<void> {
    this.retryTimer?.dispose();
    try {
      const onFirst = this.currentThread ? undefined : (thread: ThreadWithEntries): void => this.setThread(thread);
      this.setThread(await this.threadSource.read(this.threadId, this.disposeAbortController.signal, onFirst));
      this.hasReadCompletely = true;
      this.temporaryFailures = undefined;
    } catch (error) {
      if (this.disposables.isDisposed || (error instanceof ThreadError && error.code === 'cancelled')) return;
      if (this.scheduleRetry(error)) return;
      this.currentProblem = messageOf(error);
      this.changeEmitter.fire();
    }
  }

  /** Schedules another read after a temporary error. Returns false if the user must see the error. */
  private scheduleRetry(error: unknown): boolean {
    const policy = retryPolicyFor(error, this.hasReadCompletely);
    const { startedAt, count } = this.temporaryFailures ?? { startedAt: this.clock.monotonicNow(), count: 0 };
    const isHidden = this.clock.monotonicNow() - startedAt < (policy?.hiddenMs ?? 0);
    this.temporaryFailures = policy ? { startedAt, count: count + 1 } : undefined;
    if (policy?.isEndless === true || isHidden) {
      this.retryTimer = this.clock.setTimer(backoffMs(retryBackoff, count + 1), () => void this.refresh());
    }
    return isHidden;
  }

  private setThread(thread: ThreadWithEntries): void {
    if (this.disposables.isDisposed) return;
    this.threadWithoutSubthreadSteps = thread;
    this.currentProblem = undefined;
    this.updateThreadWithSteps();
  }

  private updateThreadWithSteps(): void {
    const { threadWithoutSubthreadSteps: ownThread } = this;
    if (!ownThread || this.disposables.isDisposed) return;
    const entries = this.subthreads.addSteps(ownThread.entries);
    const ordered = this.hasShownSubthreads
      ? sortLikeKnownEntries(this.currentThread?.entries ?? [], entries)
      : entries;
    this.currentThread = ordered === ownThread.entries ? ownThread : { ...ownThread, entries: ordered };
    this.transcript.replaceAll(ordered.map((entry) => this.truncateEntryOnce(entry)));
    this.changeEmitter.fire();
  }

  private truncateEntryOnce(entry: Entry): Entry {
    const known = this.trimmedEntries.get(entry);
    if (known) return known;
    const trimmed = truncateEntry(entry);
    this.trimmedEntries.set(entry, trimmed);
    return trimmed;
  }
}

/** Reads a running thread again when it becomes stale, which no event reports. The caller disposes it. */
export function refreshWhenStale(followed: FollowedThread, clock: Clock): Disposable {
  let timer: Disposable | undefined;
  const subscription = followed.onDidChange(() => {
    timer?.dispose();
    const { problem, thread } = followed;
    // Nothing is scheduled after a failed read, because it would be repeated endlessly.
    const staleAt = thread && problem === undefined ? nextStaleAt([thread.head]) : undefined;
    if (staleAt !== undefined) timer = clock.setTimer(staleAt - clock.now(), () => void followed.refresh());
  });
  return toDisposable(() => {
    subscription.dispose();
    timer?.dispose();
  });
}
