import type { TextCoverage, TextKind } from '../../texts/common/searchableText';
import type { Disposable } from '../../base/common/disposable';
import type { Event } from '../../base/common/event';
import type { Entry, Usage } from '../../transcript/common/entries';

/** The summary of a thread without its entries. Times are milliseconds since the epoch. */
export interface ThreadHead {
  /** Id of the thread, usually `T-…`. Otherwise the path of the file. */
  readonly id: string;
  readonly source: ThreadSourceKind;
  /** Absolute path of the thread's file. Undefined for a thread in the account's list that was not opened. */
  readonly path?: string;
  readonly sizeBytes?: number;
  readonly mtimeMs?: number;
  readonly title?: string;
  /** The first line of the first prompt. */
  readonly firstPrompt?: string;
  /** Absolute paths of the folders in which the thread worked. */
  readonly folders: readonly string[];
  readonly repository?: string;
  readonly branch?: string;
  readonly createdAt?: number;
  /** Time of the last prompt, or else of the creation. The list is sorted by this time. */
  readonly lastPromptAt: number;
  readonly promptCount: number;
  readonly messageCount: number;
  readonly mode?: string;
  readonly model?: string;
  readonly usage?: Usage;
  readonly hasChanges: boolean;
  readonly isArchived: boolean;
  /** `waiting`: for an approval. `stale`: marked as running, but its file was not written for a while. */
  readonly state: (typeof threadStates)[number];
  readonly relations: readonly ThreadRelation[];
  /** Why the thread cannot be read, as a message for the user. */
  readonly problem?: string;
  /** Set if the file changed while it was read, so that this head must not be cached. */
  readonly isBeingWritten?: true;
}

export const threadStates = ['idle', 'running', 'waiting', 'stale', 'cancelled', 'error'] as const;

export const threadSourceKinds = ['local', 'cli', 'file'] as const;
export type ThreadSourceKind = (typeof threadSourceKinds)[number];

export const relationTypes = ['fork', 'handoff', 'mention', 'subthread'] as const;
export const relationRoles = ['parent', 'child'] as const;

export interface ThreadRelation {
  readonly type: (typeof relationTypes)[number];
  /** The role of the related thread. */
  readonly role: (typeof relationRoles)[number];
  readonly threadId: string;
}

/** A thread with all its entries. */
export interface ThreadWithEntries {
  readonly head: ThreadHead;
  /** The entries in reading order. Entries that have not changed since the last read are the same objects. */
  readonly entries: readonly Entry[];
  /** Labeled details, such as repository, branch, commit, platform and client version. */
  readonly facts: readonly { readonly label: string; readonly value: string }[];
  /** Notes for the user, for example that this machine may have only part of the thread. */
  readonly notes: readonly string[];
}

/** A read-only source of threads: those on this machine, in the Amp account, or in opened files. */
export interface ThreadSource extends Disposable {
  readonly kind: ThreadSourceKind;
  readonly title: string;
  readonly state: ThreadSourceState;
  /** Fires when the threads or the state may have changed. */
  readonly onDidChange: Event<void>;
  /** Returns all threads that Amp does not hide, newest prompt first. An unreadable thread has a `problem`. */
  list(signal?: AbortSignal): Promise<readonly ThreadHead[]>;
  /** Drops cached data. Called when the user has requested a refresh. */
  invalidate?(): void;
  /** Reads a thread. `onFirst` gets the last entries before, at most once. @throws ThreadError */
  read(
    threadId: string,
    signal?: AbortSignal,
    onFirst?: (thread: ThreadWithEntries) => void,
  ): Promise<ThreadWithEntries>;
  /** Returns the source of an entry as indented JSON. Undefined if there is no such entry. @throws ThreadError */
  rawJson(threadId: string, entryId: string): Promise<string | undefined>;
  /** Calls the listener after changes of a thread, combining quick ones. The caller disposes the result. */
  subscribe(threadId: string, listener: () => void): Disposable;
  /** Returns the id of the thread that Amp would continue, if known. */
  currentThreadId?(): Promise<string | undefined>;
}

export type ThreadSourceState =
  | { readonly kind: 'ready' }
  /** There is nothing to read, which is not an error. For example, the Amp CLI is not installed. */
  | { readonly kind: 'absent'; readonly message: string }
  /** The source has failed. `summary` is one or two words. */
  | { readonly kind: 'failed'; readonly summary: string; readonly message: string };

/** Why a source cannot list its threads. */
export interface SourceProblem {
  readonly source: ThreadSourceKind;
  readonly title: string;
  readonly summary: string;
  /** What happened and what to do, in complete sentences. */
  readonly message: string;
}

export interface ThreadHit {
  readonly threadId: string;
  /** Id of the entry to which the user can jump. Undefined for a hit in the title or the details of the thread. */
  readonly entryId?: string;
  /** The kind of text that contains the snippet. */
  readonly kind: TextKind | 'title';
  readonly snippet: string;
  readonly score: number;
}

export interface TextSearchResult {
  readonly hits: readonly ThreadHit[];
  readonly coverage: TextCoverage;
}

/** `beingWritten`: the file changed while it was read. It may be complete soon. */
export type ThreadErrorCode =
  'notFound' | 'tooLarge' | 'unreadable' | 'beingWritten' | 'notSignedIn' | 'offline' | 'cancelled' | 'cli';

/** An error while reading threads. The message explains why it failed and what to do. */
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
