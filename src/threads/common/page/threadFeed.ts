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

/** Sends changes of a thread to its page, at most once per frame. Sends nothing while there is no page. */
export class ThreadFeed implements Disposable {
  private readonly disposables = new DisposableStore();
  private readonly frameCoalescer: Coalescer;
  private readonly transcriptFeed: TranscriptFeed;
  private isPageConnected = false;
  /** Whether the page may lack the latest header, outline or problem. */
  private isPageOutdated = false;
  /** The parts that the page has, as JSON. */
  private readonly postedParts = new Map<string, string>();
  /** Id of the last entry that the user has seen. Cleared when it was sent to the page. */
  private lastSeenEntryId: string | undefined;

  constructor(private readonly deps: ThreadFeedDeps) {
    this.frameCoalescer = this.disposables.add(new Coalescer(deps.clock, frameMs, () => this.flush()));
    this.transcriptFeed = this.disposables.add(deps.followed.transcript.createFeed(initialEntryCount));
  }

  start(): void {
    const { followed } = this.deps;
    this.disposables.add(followed.onDidChange(() => this.markPageOutdated()));
    this.disposables.add(followed.transcript.onDidChange(() => this.schedule()));
  }

  get hasPage(): boolean {
    return this.isPageConnected;
  }

  /** Sends everything to a new page. `lastSeen` is the id of the last entry that the user has seen. */
  connectPage(lastSeen?: string): void {
    this.isPageConnected = true;
    this.lastSeenEntryId = lastSeen;
    this.postedParts.clear();
    this.transcriptFeed.restart(initialEntryCount);
    this.markPageOutdated();
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

  private markPageOutdated(): void {
    this.isPageOutdated = true;
    this.schedule();
  }

  private schedule(): void {
    if (this.isPageConnected) this.frameCoalescer.schedule();
  }

  private flush(): void {
    const { followed, hasFile, post } = this.deps;
    const { thread, problem } = followed;
    // Before the first read, nothing is sent, because an empty transcript would look like an empty thread.
    if (!thread && problem === undefined) return;
    const update: ThreadUpdate = {
      ...(this.isPageOutdated && {
        ...(thread && this.takeChangedParts(thread)),
        problem: problem ?? null,
        hasFile: hasFile(),
      }),
      ...(thread && this.transcriptFeed.hasChanges ? { transcript: this.transcriptFeed.takePatch() } : {}),
      ...this.takeUnreadFrom(thread),
    };
    this.isPageOutdated = false;
    if (Object.keys(update).length > 0) post(update);
  }

  private takeChangedParts(thread: ThreadWithEntries): Pick<ThreadUpdate, 'thread' | 'outline'> {
    const header = viewOf(thread, this.deps.actionsFor(thread));
    const outline = threadOutline(thread.entries);
    return {
      ...(this.replacePosted('thread', header) && { thread: header }),
      ...(this.replacePosted('outline', outline) && { outline }),
    };
  }

  /** Stores what the page will have. Returns whether that is new to it. */
  private replacePosted(part: 'thread' | 'outline', value: object): boolean {
    const json = JSON.stringify(value);
    const isChanged = json !== this.postedParts.get(part);
    this.postedParts.set(part, json);
    return isChanged;
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
