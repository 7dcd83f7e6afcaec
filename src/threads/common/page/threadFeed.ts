import { Coalescer, type Clock } from '../../../base/common/async';
import { DisposableStore, type Disposable } from '../../../base/common/disposable';
import { withoutUndefined } from '../../../base/common/withoutUndefined';
import type { LoadAnswer, LoadRequest } from '../../../transcript/common/loadRequest';
import { initialEntryCount, type TranscriptFeed } from '../../../transcript/common/transcriptFeed';
import type { FollowedThread } from './followedThread';
import type { ThreadAction, ThreadUpdate, ThreadHeaderView } from './threadApi';
import { threadOutline } from './threadOutline';
import type { ThreadWithEntries } from '../threadPorts';
import { titleOf } from '../tree/threadRow';

interface ThreadFeedDeps {
  readonly followed: FollowedThread;
  readonly actionsFor: (thread: ThreadWithEntries) => readonly ThreadAction[];
  /** Whether the thread has a file on this machine, even if the file is unreadable. */
  readonly hasFile: () => boolean;
  readonly post: (update: ThreadUpdate) => void;
  readonly clock: Clock;
}

/** Duration of one frame of a typical screen. */
const frameMs = 16;

type UpdatePart = 'thread' | 'outline' | 'problem';

/** Sends changes of a thread to its page, at most once per frame. Sends nothing while there is no page. */
export class ThreadFeed implements Disposable {
  private readonly disposables = new DisposableStore();
  private readonly frameCoalescer: Coalescer;
  private readonly transcriptFeed: TranscriptFeed;
  private readonly changedParts = new Set<UpdatePart>();
  private isPageConnected = false;
  private postedHeader: ThreadHeaderView | undefined;
  private postedOutline = '';
  /** Id of the last entry that the user has seen. Cleared when it was sent to the page. */
  private lastSeenEntryId: string | undefined;

  constructor(private readonly deps: ThreadFeedDeps) {
    this.frameCoalescer = this.disposables.add(new Coalescer(deps.clock, frameMs, () => this.flush()));
    this.transcriptFeed = this.disposables.add(deps.followed.transcript.createFeed(initialEntryCount));
  }

  start(): void {
    const { followed } = this.deps;
    this.disposables.add(followed.onDidChange(() => this.markChanged('thread', 'outline', 'problem')));
    this.disposables.add(followed.transcript.onDidChange(() => this.schedule()));
  }

  get hasPage(): boolean {
    return this.isPageConnected;
  }

  /** Sends everything to a new page. `lastSeen` is the id of the last entry that the user has seen. */
  connectPage(lastSeen?: string): void {
    this.isPageConnected = true;
    this.lastSeenEntryId = lastSeen;
    this.postedHeader = undefined;
    this.postedOutline = '';
    this.transcriptFeed.restart(initialEntryCount);
    this.markChanged('thread', 'outline', 'problem');
    this.frameCoalescer.flushNow();
  }

  /** Call when the page is hidden or closed. */
  disconnectPage(): void {
    this.isPageConnected = false;
    this.frameCoalescer.dispose();
    this.transcriptFeed.restart(initialEntryCount);
  }

  /** Sends the entries at once, so that the page has them before the answer. */
  load(request: LoadRequest): LoadAnswer {
    const answer = this.transcriptFeed.load(request);
    this.schedule();
    this.frameCoalescer.flushNow();
    return answer;
  }

  dispose(): void {
    this.isPageConnected = false;
    this.disposables.dispose();
  }

  private markChanged(...parts: readonly UpdatePart[]): void {
    for (const part of parts) this.changedParts.add(part);
    this.schedule();
  }

  private schedule(): void {
    if (this.isPageConnected) this.frameCoalescer.schedule();
  }

  private flush(): void {
    const { followed, post } = this.deps;
    const { thread, problem } = followed;
    // Before the first read, nothing is sent, because an empty transcript would look like an empty thread.
    if (!thread && problem === undefined) return;
    const update: ThreadUpdate = {
      ...this.takeChangedHeader(thread),
      ...this.takeChangedOutline(thread),
      ...(thread && this.transcriptFeed.hasChanges ? { transcript: this.transcriptFeed.takePatch() } : {}),
      ...(this.changedParts.has('problem') ? { problem: problem ?? null, hasFile: this.deps.hasFile() } : {}),
      ...this.takeUnreadFrom(thread),
    };
    this.changedParts.clear();
    if (Object.keys(update).length > 0) post(update);
  }

  private takeChangedHeader(thread: ThreadWithEntries | undefined): Pick<ThreadUpdate, 'thread'> {
    if (!thread || !this.changedParts.has('thread')) return {};
    const view = viewOf(thread, this.deps.actionsFor(thread));
    if (this.postedHeader && JSON.stringify(view) === JSON.stringify(this.postedHeader)) return {};
    this.postedHeader = view;
    return { thread: view };
  }

  private takeChangedOutline(thread: ThreadWithEntries | undefined): Pick<ThreadUpdate, 'outline'> {
    if (!thread || !this.changedParts.has('outline')) return {};
    const outline = threadOutline(thread.entries);
    const text = JSON.stringify(outline);
    if (text === this.postedOutline) return {};
    this.postedOutline = text;
    return { outline };
  }

  private takeUnreadFrom(thread: ThreadWithEntries | undefined): Pick<ThreadUpdate, 'unreadFrom'> {
    const { lastSeenEntryId } = this;
    if (!thread || lastSeenEntryId === undefined) return {};
    this.lastSeenEntryId = undefined;
    const index = thread.entries.findIndex(({ id }) => id === lastSeenEntryId);
    const next = index < 0 ? undefined : thread.entries.slice(index + 1).find(({ parent }) => parent === undefined);
    return next ? { unreadFrom: next.id } : {};
  }
}

function viewOf({ head, facts, notes }: ThreadWithEntries, actions: readonly ThreadAction[]): ThreadHeaderView {
  const { id, state, isArchived, mode, usage, folders, promptCount, messageCount } = head;
  return {
    id,
    title: titleOf(head),
    state,
    isArchived,
    ...withoutUndefined({ mode, usage }),
    ...(folders.length === 0 ? {} : { folders: [...folders] }),
    promptCount,
    messageCount,
    facts: [...facts],
    notes: [...notes],
    actions: [...actions],
  };
}
