import { backoffMs, type Backoff } from '../../../base/common/backoff';
import type { Clock } from '../../../base/common/async';
import { type Disposable, DisposableStore, toDisposable } from '../../../base/common/disposable';
import { messageOf } from '../../../base/common/errors';
import { Emitter } from '../../../base/common/event';
import type { Entry } from '../../../transcript/common/entries';
import { TranscriptDocument } from '../../../transcript/common/transcriptDocument';
import { trimEntry } from '../../../transcript/common/trim';
import { nextStaleAt } from '../heads/heads';
import { inKnownOrder, OpenSubthreads, type EntryOrigin, type SubthreadScope } from '../subthreads/openSubthreads';
import { ThreadError, type OpenThread, type ThreadSource } from '../threadPorts';

export type FollowedThreadPorts = Pick<ThreadSource, 'read' | 'subscribe'>;

const retries: Backoff = { firstMs: 250, maxMs: 2_000 };

interface Patience {
  /** For so long nothing is said of it. */
  readonly quietMs: number;
  /** It is read again and again, also after that. */
  readonly isEndless: boolean;
}

/** Undefined for what does not pass. A file may be read between two changes of one that writes into it. */
function patienceFor(error: unknown, wasWhole: boolean): Patience | undefined {
  const code = error instanceof ThreadError ? error.code : undefined;
  if (code === 'beingWritten') return { quietMs: wasWhole ? 30_000 : 5_000, isEndless: true };
  return code === 'unreadable' && wasWhole ? { quietMs: 3_000, isEndless: false } : undefined;
}

/** A thread that somebody looks at: read at the start, and again whenever it changes, one reading at a time. */
export class FollowedThread implements Disposable {
  readonly transcript: TranscriptDocument;
  private readonly store = new DisposableStore();
  private readonly emitter = this.store.add(new Emitter<void>((error) => this.onListenerError(error)));
  /** It was read, or could not be; the transcript tells of itself. */
  readonly onDidChange = this.emitter.event;
  private readonly end = new AbortController();
  /** What pages are told of an entry; the same object as long as the entry is. */
  private readonly trimmed = new WeakMap<Entry, Entry>();
  private readonly subthreads: OpenSubthreads;
  private hasShownSubthreads = false;
  /** As it was read, without the steps of subagents that have threads of their own. */
  private own: OpenThread | undefined;
  private current: OpenThread | undefined;
  private currentProblem: string | undefined;
  private reading: Promise<void> | undefined;
  private isReadAgainDue = false;
  /** All of it has been here once. */
  private isWhole = false;
  private failing: { readonly sinceMs: number; readonly times: number } | undefined;
  private retryTimer: Disposable | undefined;

  constructor(
    readonly threadId: string,
    private readonly ports: FollowedThreadPorts,
    private readonly clock: Clock,
    private readonly onListenerError: (error: unknown) => void,
    scope: SubthreadScope = { chain: [threadId], count: { open: 0 } },
  ) {
    this.subthreads = this.store.add(
      new OpenSubthreads({
        scope,
        follow: (id, inner) => this.followInside(id, inner),
        onDidChange: () => this.update(),
      }),
    );
    this.transcript = this.store.add(new TranscriptDocument(onListenerError));
  }

  /** As it was read last, with the steps of the subagents that are shown; undefined before it was read. */
  get thread(): OpenThread | undefined {
    return this.current;
  }

  /** Why it could not be read the last time. */
  get problem(): string | undefined {
    return this.currentProblem;
  }

  /** Never rejects. */
  async start(): Promise<void> {
    await this.refresh();
    // After the first reading, which finds the source that has it.
    if (this.store.isDisposed) return;
    this.store.add(this.ports.subscribe(this.threadId, () => void this.refresh()));
    // What was written in between.
    await this.refresh();
  }

  /** Reads it again. Never rejects. */
  async refresh(): Promise<void> {
    if (this.reading) {
      this.isReadAgainDue = true;
      await this.reading;
      return;
    }
    do {
      this.isReadAgainDue = false;
      this.reading = this.read();
      await this.reading;
      this.reading = undefined;
    } while (this.mustReadAgain());
  }

  /** With nothing cut away. */
  entry(entryId: string): Entry | undefined {
    return this.current?.entries.find(({ id }) => id === entryId);
  }

  /** Reads the thread of a subagent, and shows it as the steps of its call. Returns why it cannot be shown. */
  showSubthread(callId: string): string | undefined {
    this.hasShownSubthreads = true;
    return this.subthreads.show(callId, this.own?.entries ?? []);
  }

  hideSubthread(callId: string): void {
    this.subthreads.hide(callId);
  }

  /** For a page that has not opened any. */
  hideSubthreads(): void {
    if (this.subthreads.size === 0) return;
    this.subthreads.closeAll();
    this.update();
  }

  originOf(entryId: string): EntryOrigin {
    return this.subthreads.originOf(entryId) ?? { threadId: this.threadId, entryId };
  }

  dispose(): void {
    this.end.abort();
    this.retryTimer?.dispose();
    this.store.dispose();
  }

  private mustReadAgain(): boolean {
    return this.isReadAgainDue && !this.store.isDisposed;
  }

  private followInside(threadId: string, scope: SubthreadScope): FollowedThread {
    const followed = new FollowedThread(threadId, this.ports, this.clock, this.onListenerError, scope);
    followed.store.add(refreshWhenStale(followed, this.clock));
    return followed;
  }

  private async read(): Promise<void> {
    this.retryTimer?.dispose();
    try {
      const onFirst = this.current ? undefined : (thread: OpenThread): void => this.show(thread);
      this.show(await this.ports.read(this.threadId, this.end.signal, onFirst));
      this.isWhole = true;
      this.failing = undefined;
    } catch (error) {
      if (this.store.isDisposed || (error instanceof ThreadError && error.code === 'cancelled')) return;
      if (this.mayPass(error)) return;
      this.currentProblem = messageOf(error);
      this.emitter.fire();
    }
  }

  /** Reads a file again that may be whole in a moment; false when it is time to tell the user. */
  private mayPass(error: unknown): boolean {
    const patience = patienceFor(error, this.isWhole);
    const { sinceMs, times } = this.failing ?? { sinceMs: this.clock.monotonicNow(), times: 0 };
    const isPatient = this.clock.monotonicNow() - sinceMs < (patience?.quietMs ?? 0);
    this.failing = patience ? { sinceMs, times: times + 1 } : undefined;
    if (patience?.isEndless === true || isPatient) {
      this.retryTimer = this.clock.setTimer(backoffMs(retries, times + 1), () => void this.refresh());
    }
    return isPatient;
  }

  private show(thread: OpenThread): void {
    if (this.store.isDisposed) return;
    this.own = thread;
    this.currentProblem = undefined;
    this.update();
  }

  private update(): void {
    const { own, store } = this;
    if (!own || store.isDisposed) return;
    const entries = this.subthreads.expanded(own.entries);
    const ordered = this.hasShownSubthreads ? inKnownOrder(this.current?.entries ?? [], entries) : entries;
    this.current = ordered === own.entries ? own : { ...own, entries: ordered };
    this.transcript.replaceAll(ordered.map((entry) => this.trim(entry)));
    this.emitter.fire();
  }

  private trim(entry: Entry): Entry {
    const known = this.trimmed.get(entry);
    if (known) return known;
    const trimmed = trimEntry(entry);
    this.trimmed.set(entry, trimmed);
    return trimmed;
  }
}

/** Reads one that runs again when it would be stale: nobody writes its file then, so nobody tells. The caller disposes. */
export function refreshWhenStale(followed: FollowedThread, clock: Clock): Disposable {
  let timer: Disposable | undefined;
  const changed = followed.onDidChange(() => {
    timer?.dispose();
    const { problem, thread } = followed;
    // One that cannot be read any more would be read on and on.
    const at = thread && problem === undefined ? nextStaleAt([thread.head]) : undefined;
    timer = at === undefined ? undefined : clock.setTimer(at - clock.now(), () => void followed.refresh());
  });
  return toDisposable(() => {
    changed.dispose();
    timer?.dispose();
  });
}
