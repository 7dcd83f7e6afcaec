import { Coalescer, type Clock } from '../../../base/common/async';
import { DisposableStore, type Disposable } from '../../../base/common/disposable';
import { withoutUndefined } from '../../../base/common/withoutUndefined';
import type { TranscriptFeed } from '../../../transcript/common/transcriptFeed';
import type { FollowedThread } from './followedThread';
import type { ThreadAction, ThreadUpdate, ThreadView } from './threadApi';
import { threadOutline } from './threadOutline';
import type { OpenThread } from '../threadPorts';
import { titleOf } from '../tree/threadRow';

interface ThreadFeedPorts {
  readonly followed: FollowedThread;
  readonly actionsFor: (thread: OpenThread) => readonly ThreadAction[];
  /** It is in a file of this machine, also when it could not be read. */
  readonly hasFile: () => boolean;
  readonly post: (update: ThreadUpdate) => void;
  readonly clock: Clock;
}

/** One frame of a screen. */
const frameMs = 16;
const tail = 40;

type Part = 'thread' | 'outline' | 'problem';

/** Tells the page of a thread what has changed, at most once a frame, and nothing while there is no page. */
export class ThreadFeed implements Disposable {
  private readonly store = new DisposableStore();
  private readonly frame: Coalescer;
  private readonly feed: TranscriptFeed;
  private readonly dirty = new Set<Part>();
  private isListening = false;
  private told: ThreadView | undefined;
  private toldOutline = '';
  /** The entry after which everything is new to the user, until a page was told. */
  private lastSeen: string | undefined;

  constructor(private readonly ports: ThreadFeedPorts) {
    this.frame = this.store.add(new Coalescer(ports.clock, frameMs, () => this.flush()));
    this.feed = this.store.add(ports.followed.transcript.feed(tail));
  }

  start(): void {
    const { followed } = this.ports;
    this.store.add(followed.onDidChange(() => this.changed('thread', 'outline', 'problem')));
    this.store.add(followed.transcript.onDidChange(() => this.schedule()));
  }

  get hasPage(): boolean {
    return this.isListening;
  }

  /** There is a page now, and it knows nothing. `lastSeen` is the entry that the user had come to. */
  pageCame(lastSeen?: string): void {
    this.isListening = true;
    this.lastSeen = lastSeen;
    this.told = undefined;
    this.toldOutline = '';
    this.feed.restart(tail);
    this.changed('thread', 'outline', 'problem');
    this.frame.flushNow();
  }

  /** It is hidden or gone. */
  pageLeft(): void {
    this.isListening = false;
    this.frame.dispose();
    this.feed.restart(tail);
  }

  /** About `count` entries more from before those that the page has. */
  loadOlder(count: number): void {
    this.feed.showOlder(count);
    this.schedule();
  }

  /** The same from after those that the page has. */
  loadLater(count: number): void {
    this.feed.showLater(count);
    this.schedule();
  }

  /** The entries around the one that the page goes to. False when there is no such entry. */
  loadAround(entryId: string): boolean {
    const isThere = this.feed.showAround(entryId);
    this.schedule();
    return isThere;
  }

  /** The last entries, and all that come. */
  loadLatest(): void {
    this.feed.restart(tail);
    this.schedule();
  }

  dispose(): void {
    this.isListening = false;
    this.store.dispose();
  }

  private changed(...parts: readonly Part[]): void {
    for (const part of parts) this.dirty.add(part);
    this.schedule();
  }

  private schedule(): void {
    if (this.isListening) this.frame.schedule();
  }

  private flush(): void {
    const { followed, post } = this.ports;
    const { thread, problem } = followed;
    // Before there is anything, an empty transcript would look like an empty thread.
    if (!thread && problem === undefined) return;
    const update: ThreadUpdate = {
      ...this.newView(thread),
      ...this.newOutline(thread),
      ...(thread && this.feed.hasNews ? { transcript: this.feed.take() } : {}),
      ...(this.dirty.has('problem') ? { problem: problem ?? null, hasFile: this.ports.hasFile() } : {}),
      ...this.unreadFrom(thread),
    };
    this.dirty.clear();
    if (Object.keys(update).length > 0) post(update);
  }

  private newView(thread: OpenThread | undefined): Pick<ThreadUpdate, 'thread'> {
    if (!thread || !this.dirty.has('thread')) return {};
    const view = viewOf(thread, this.ports.actionsFor(thread));
    if (this.told && JSON.stringify(view) === JSON.stringify(this.told)) return {};
    this.told = view;
    return { thread: view };
  }

  private newOutline(thread: OpenThread | undefined): Pick<ThreadUpdate, 'outline'> {
    if (!thread || !this.dirty.has('outline')) return {};
    const outline = threadOutline(thread.entries);
    const text = JSON.stringify(outline);
    if (text === this.toldOutline) return {};
    this.toldOutline = text;
    return { outline };
  }

  private unreadFrom(thread: OpenThread | undefined): Pick<ThreadUpdate, 'unreadFrom'> {
    const { lastSeen } = this;
    if (!thread || lastSeen === undefined) return {};
    this.lastSeen = undefined;
    const at = thread.entries.findIndex(({ id }) => id === lastSeen);
    const next = at < 0 ? undefined : thread.entries.slice(at + 1).find(({ parent }) => parent === undefined);
    return next ? { unreadFrom: next.id } : {};
  }
}

function viewOf({ head, facts, notes }: OpenThread, actions: readonly ThreadAction[]): ThreadView {
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
