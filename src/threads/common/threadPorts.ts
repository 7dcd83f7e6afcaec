import type { Disposable } from '../../base/common/disposable';
import type { Event } from '../../base/common/event';
import type { Entry, Usage } from '../../transcript/common/entries';

/** What the list knows of a thread without opening it. Times are milliseconds since the epoch. */
export interface ThreadHead {
  /** `T-…`. */
  readonly id: string;
  readonly source: ThreadSourceKind;
  /** Absolute, of the file it was read from; undefined for what the CLI lists and nobody has opened yet. */
  readonly path?: string;
  /** Of the file. */
  readonly sizeBytes?: number;
  readonly mtimeMs?: number;
  readonly title?: string;
  /** Cut to a line. */
  readonly firstPrompt?: string;
  /** Absolute folders that it worked in, the first one first. */
  readonly folders: readonly string[];
  readonly repository?: string;
  readonly branch?: string;
  readonly createdAt?: number;
  /** When somebody last wrote a prompt, else when it was created. The list is sorted by it. */
  readonly lastPromptAt: number;
  readonly promptCount: number;
  readonly messageCount: number;
  readonly mode?: string;
  readonly model?: string;
  readonly usage?: Usage;
  readonly hasChanges: boolean;
  readonly isArchived: boolean;
  /**
   * `waiting`: the user has to allow something. `stale`: its file says that it runs, but nobody has written it for a
   * while.
   */
  readonly state: (typeof threadStates)[number];
  readonly relations: readonly ThreadRelation[];
  /** Why it cannot be read, for a row that says so. */
  readonly problem?: string;
  /** The problem is that its file changed while it was read: nothing of this head is to be kept. */
  readonly isBeingWritten?: true;
}

export const threadStates = ['idle', 'running', 'waiting', 'stale', 'cancelled', 'error'] as const;

export const threadSourceKinds = ['local', 'cli', 'file'] as const;
export type ThreadSourceKind = (typeof threadSourceKinds)[number];

export const relationTypes = ['fork', 'handoff', 'mention', 'subthread'] as const;
export const relationRoles = ['parent', 'child'] as const;

export interface ThreadRelation {
  readonly type: (typeof relationTypes)[number];
  /** What the other thread is to this one. */
  readonly role: (typeof relationRoles)[number];
  readonly threadId: string;
}

/** A thread that was opened: all there is to look at. */
export interface OpenThread {
  readonly head: ThreadHead;
  /** In reading order. Entries that have not changed since the last reading are the same objects. */
  readonly entries: readonly Entry[];
  /** Label and value: repository, branch, commit, platform, client version and what else is known. */
  readonly facts: readonly { readonly label: string; readonly value: string }[];
  /** What the user should know about how it was read, for example that only a stub is on this machine. */
  readonly notes: readonly string[];
}

/** Somewhere threads are: the store of this machine, the CLI, an exported file. Read only, all of it. */
export interface ThreadSource extends Disposable {
  readonly kind: ThreadSourceKind;
  readonly title: string;
  readonly state: ThreadSourceState;
  /** What it has, or its state, may have changed. */
  readonly onDidChange: Event<void>;
  /** All of them, newest prompt first, without what Amp itself hides (empty ones without a draft). Broken ones have a `problem`. */
  list(signal?: AbortSignal): Promise<readonly ThreadHead[]>;
  /** The user asks for all anew: what the source keeps to save work is not to be relied on. */
  renew?(): void;
  /** `onFirst` may be called once, before all of it is here, with the last of its entries. @throws ThreadError */
  read(threadId: string, signal?: AbortSignal, onFirst?: (thread: OpenThread) => void): Promise<OpenThread>;
  /** The block an entry was made of, as indented JSON; undefined when there is none. @throws ThreadError */
  rawJson(threadId: string, entryId: string): Promise<string | undefined>;
  /** Tells of each change of one thread, coalesced, while it is subscribed to. The caller disposes. */
  subscribe(threadId: string, listener: () => void): Disposable;
  /** The thread that "continue" means, if the source knows. */
  currentHint?(): Promise<string | undefined>;
}

export type ThreadSourceState =
  | { readonly kind: 'ready' }
  /** There is none, which is no fault: for example no `amp` on this machine. */
  | { readonly kind: 'absent'; readonly message: string }
  /** `summary` is a word or two. */
  | { readonly kind: 'failed'; readonly summary: string; readonly message: string };

/** Why a source does not say all that it has. */
export interface SourceProblem {
  readonly source: ThreadSourceKind;
  readonly title: string;
  readonly summary: string;
  /** Sentences: what happened, and what to do. */
  readonly message: string;
}

/** What a text of a thread is, for a search that says what it has found. */
export const textKinds = [
  'prompt',
  'answer',
  'thinking',
  'command',
  'path',
  'call',
  'output',
  'note',
  'details',
] as const;
export type TextKind = (typeof textKinds)[number];

export interface ThreadHit {
  readonly threadId: string;
  /** The entry to jump to; undefined for what is said of the thread as a whole. */
  readonly entryId?: string;
  /** What the snippet is of. */
  readonly kind: TextKind | 'title';
  readonly snippet: string;
  readonly score: number;
}

/** How many of the threads on this machine a search looks through. */
export interface TextCoverage {
  readonly indexed: number;
  readonly total: number;
}

/** What a search has found, and in how much. */
export interface TextHits {
  readonly hits: readonly ThreadHit[];
  readonly coverage: TextCoverage;
}

/** `beingWritten`: the file changed while it was read, so that it may be whole a moment later. */
export type ThreadErrorCode =
  'notFound' | 'tooLarge' | 'unreadable' | 'beingWritten' | 'notSignedIn' | 'offline' | 'cancelled' | 'cli';

/** Why a thread cannot be shown, and what to do. */
export class ThreadError extends Error {
  override readonly name = 'ThreadError';
  constructor(
    readonly code: ThreadErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
