import type { PromptAttachment } from '../../session/common/sessionBackend';
import type { Disposable } from '../../base/common/disposable';
import type { Event } from '../../base/common/event';
import type { WriteOptions } from '../../editor/common/editorPort';
import type { Hunk } from '../../changes/common/review/hunks';
import type { TextsShownToUser } from '../../changes/common/review/reviewSource';
import type { FileState } from '../../changes/common/checkpoint';
import type { FolderCheckpoint } from '../../changes/common/workspaceCheckpoints';
import type { Entry, FileChange, Part } from '../../transcript/common/entries';
import type { TranscriptDocument } from '../../transcript/common/transcriptDocument';
import type { RemainingChange, LogRecord } from './conversation/logRecord';
import type { Restore } from './restore/restoreHistory';
import type { BackendView, Draft, DraftAttachment, MentionRow, SessionRow, SessionView } from './chatView';

/** The conversations of a window, saved to disk while they run. */
export interface Chats extends Disposable {
  /** Fires when the list or the contents of a row may have changed. */
  readonly onDidChange: Event<void>;
  readonly onDidChangeBackends: Event<void>;
  /** The conversations open in this window; the last one was opened last. */
  readonly openChats: readonly Chat[];
  /** Fires when a conversation is opened or closed, or when its list of file changes may have changed. */
  readonly onDidChangeFiles: Event<void>;
  /** Newest first, without conversations that have no messages. */
  readonly rows: readonly SessionRow[];
  /** Finds saved conversations by title and text, and sessions of running backends by title. All words must match. */
  search(query: string, signal?: AbortSignal): Promise<readonly SessionRow[]>;
  /** Lists the sessions that a backend keeps, newest first. Starts the backend. @throws BackendError, for example `unsupported` */
  listRemoteSessions(backendId: string, signal: AbortSignal): Promise<readonly SessionRow[]>;
  backends(): Promise<readonly BackendView[]>;

  /**
   * Creates a session for the next conversation with the backend, so that its options are known, or applies the current choices
   * to the one that exists. If this needs the user or fails, the first prompt creates the session. Never throws.
   */
  prepare(backendId: string, folder?: string): void;
  /** Closes the prepared session unless it belongs to this backend. */
  closePreparedExcept(backendId: string | undefined): void;
  /**
   * Reports whether a page shows an empty conversation. Call again with `true` while the user types: the prepared session is
   * closed shortly after the last such page is gone, or after a long time without typing.
   */
  setPromptExpected(isExpected: boolean): void;
  /**
   * Creates a conversation. It is saved, and its agent started, with the first prompt. The agent works in `folder` (absolute) if
   * that is inside the workspace, else in the first workspace folder. @throws BackendError `notFound`
   */
  create(backendId: string, folder?: string): Promise<Chat>;
  /**
   * Opens the conversation of a row. Read-only while another window writes it. A turn cut off when its window closed is marked as
   * interrupted. The backend starts with the next prompt. @throws ChatError `notFound`, `unreadable`
   */
  open(sessionId: string): Promise<Chat>;
  /**
   * Creates a conversation with everything before a prompt, and the prompt as its draft. Its next prompt starts a new session with
   * a summary. The conversation of the prompt stays as it is. @throws ChatError `notFound`, `unreadable`, `storage`
   */
  fork(sessionId: string, entryId: string): Promise<Chat>;
  /** @throws ChatError */
  rename(sessionId: string, title: string): Promise<void>;
  /** Stops and deletes the conversation, and its session when the backend supports that and next runs. @throws ChatError */
  delete(sessionId: string): Promise<void>;
  export(sessionId: string, format: ExportFormat): Promise<string>;
  /** Ends running turns as interrupted and closes all sessions and files. Never rejects. */
  stop(): Promise<void>;
}

export type ExportFormat = 'markdown' | 'html' | 'json';

/** One conversation. `Chats` owns and disposes it. */
export interface Chat {
  readonly id: string;
  readonly view: SessionView;
  /** Whether another window has taken over. Reopen the conversation to follow what it writes. */
  readonly isOutdated: boolean;
  readonly transcript: TranscriptDocument;
  /** Fires when the view has changed. The transcript has its own event. */
  readonly onDidChange: Event<void>;
  readonly draft: Draft;
  /** Fires when the draft was sent, or restored because the backend refused it. */
  readonly onDidSendOrRestoreDraft: Event<DraftTransition>;
  /** Survives a reload, except for large images and while another window writes the conversation. */
  saveDraft(draft: Draft, revision?: PageDraftRevision): void;
  /** The prompts sent so far, oldest first. */
  readonly history: readonly string[];
  /** Keeps the conversation open until the result is disposed. */
  keepOpen(): Disposable;
  /** Whether the user sees it, so that a turn that ends now is not marked unread. */
  isShown: boolean;

  /**
   * Resolves when the backend has accepted the prompt, or it is queued. Clears the draft immediately; a refused prompt is put
   * back before newer text, without `contextAttachments`. @throws BackendError, ChatError
   */
  send(draft: Draft, contextAttachments?: readonly DraftAttachment[], revision?: PageDraftRevision): Promise<void>;
  /** Removes a prompt from the queue and returns it; empty if it was already sent. @throws ChatError `readonly` */
  unqueue(id: string): Promise<Draft>;
  sendQueued(): Promise<void>;
  /** Ends the turn in the transcript immediately, then in the backend. */
  stop(): Promise<void>;
  /** Asks the agent to continue an answer that was cut off. Leaves the draft unchanged. @throws BackendError, ChatError */
  continueTurn(): Promise<void>;
  /**
   * Answers an approval. A `reason` becomes the next prompt, ahead of the queue, sent as soon as no turn runs.
   * @throws BackendError `approvalInvalid`, `approvalResolved`
   */
  answerApproval(approvalId: string, option: string, reason?: string): Promise<void>;
  setOption(optionId: string, value: string | boolean): Promise<void>;
  /** The entries of the transcript, untrimmed. */
  readonly fullEntries: FullContents<Entry>;
  /** The parts of pending approvals, trimmed only to what a page can show. */
  readonly fullApprovals: FullContents<Part[]>;

  /** Text of a file before the conversation changed it; null if it did not exist, undefined if unknown. */
  textBefore(path: string): Promise<string | null | undefined>;
  /** Texts of a file before and after a turn, even if its changes were kept; undefined if the earlier text is unknown. */
  turnTexts(path: string, turn: number): Promise<TurnTexts | undefined>;
  /**
   * Reverts the changes of the conversation, or of one turn, to a file. Returns the id of a restore that can be undone if the change
   * has no text, which an editor could undo. @throws ChatError `changedSince` unless `force`
   */
  revert(path: string, options?: RevertOptions): Promise<string | undefined>;
  keepChanges(path?: string): Promise<void>;
  readonly fileChanges: ChatFileChanges;
  readonly restores: RestoreRecords;
}

/** Turns by number, both inclusive. */
export interface TurnRange {
  readonly first: number;
  readonly last: number;
}

/** A file that turns have changed. */
export interface FileChangedByTurns {
  readonly path: string;
  readonly renamedFrom?: string;
}

/** A file before and after turns; null if it did not exist, undefined if its text is unknown. */
export interface TextsAroundTurns {
  readonly before: string | null | undefined;
  readonly after: string | null | undefined;
  /** Whether the file still has the text after the turns. */
  readonly isCurrent: boolean;
}

/** A file before and after a change without texts; undefined if it did not exist. */
export interface StatesBeforeAndAfter {
  readonly before: FileState | undefined;
  readonly after: FileState | undefined;
}

export interface SeparableCounts {
  readonly separable: number;
  readonly total: number;
}

/** The file changes of a conversation. */
export interface ChatFileChanges {
  /** The changes that the user has neither kept nor undone. */
  readonly list: readonly FileChange[];
  readonly onDidChange: Event<void>;
  /** Returns the files that turns have changed, also if the user has kept the changes. A renamed file is listed once. */
  filesOfTurns(turns: TurnRange): readonly FileChangedByTurns[];
  /** Never rejects. */
  textsOfTurns(path: string, turns: TurnRange): Promise<TextsAroundTurns>;
  /** Returns what is known about a change without texts, of the conversation or of one turn. */
  statesOf(path: string, turn?: number): StatesBeforeAndAfter | undefined;
  /** Counts the changes of a file, and those whose lines nobody has edited since. Never rejects. */
  countSeparable(path: string): Promise<SeparableCounts>;
  /** Undoes the separable changes. Later edits stay. @throws ChatError `notFound`, `readonly`, EditorError */
  undoSeparable(path: string, options: Pick<RevertOptions, 'protectedFiles'>): Promise<SeparableCounts>;
  /** Implements `ReviewSource.baseline`. */
  baseline(path: string): Promise<string | null | undefined>;
  /** @throws ChatError `changedSince` if the file differs from what was seen, `notFound`, `readonly` */
  keepHunk(path: string, hunk: Hunk, seen: TextsShownToUser): Promise<void>;
  /** @throws ChatError as `keepHunk`, EditorError */
  undoHunk(path: string, hunk: Hunk, seen: TextsShownToUser): Promise<void>;
  /** Compares the changed files with the disk and the editors again. Never rejects. */
  refresh(): Promise<void>;
}

/** Takes a conversation and its files back to an earlier prompt. */
export interface RestoreRecords {
  /** The remaining changes of all files. */
  readonly remainingChanges: readonly RemainingChange[];
  /** Returns a restore that can be undone. */
  get(id: string): Restore | undefined;
  /** Returns what is known about the moment before a prompt. @throws ChatError `notFound`, `unreadable`, `storage` */
  restorePointBefore(entryId: string): Promise<RestorePoint>;
  /** Returns the files that are no longer as the agent left them, unsaved text included. Never rejects. */
  editedPaths(): Promise<ReadonlySet<string>>;
  /** Resolves when the changes of the last turn are recorded. */
  whenTurnRecorded(): Promise<void>;
  /** Makes this window the writer of the conversation. @throws ChatError `readonly` */
  claim(): Promise<void>;
  /** Replaces the remaining changes of files. @throws ChatError `readonly` */
  replaceChanges(files: readonly RemainingChange[]): Promise<void>;
  /** @throws ChatError `readonly` */
  recordRestore(restore: NewRestore): Promise<void>;
  /** `replaced` are the changes that the files have again. @throws ChatError `readonly` */
  recordUndone(id: string, replaced: readonly RemainingChange[]): Promise<void>;
}

/** `replaced` are the remaining changes after the restore. */
export type NewRestore = Restore & { readonly replaced: readonly RemainingChange[] };

/** The moment before a prompt was sent, found in the records of its conversation. */
export interface PromptMoment {
  readonly draft: Draft;
  /** The checkpoint of the prompt; empty if there is none. */
  readonly folders: readonly FolderCheckpoint[];
  /** Without queued prompts. */
  readonly recordsBefore: readonly LogRecord[];
  readonly recordsSince: readonly LogRecord[];
  /** Whether the user had stopped the turn before, and the backend had not confirmed its end. */
  readonly isStopping: boolean;
}

/** The moment before a prompt, with what the agent has changed before and since. */
export interface RestorePoint extends PromptMoment {
  readonly turn: number;
  /** The remaining changes at that moment. */
  readonly remainingChanges: readonly RemainingChange[];
  /** Absolute paths of the files that the agent has written since then. */
  readonly writtenPaths: ReadonlySet<string>;
  /** The files that the turns since then have changed, newest first. */
  readonly pathsByTurn: ReadonlyMap<number, readonly string[]>;
}

/** A draft that was sent, or restored because the backend refused it. */
export interface DraftTransition {
  readonly kind: 'sent' | 'refused';
  readonly draft: Draft;
}

/** The page that wrote a draft and its revision on that page. A lower revision that arrives late is ignored. */
export interface PageDraftRevision {
  readonly page: object;
  readonly revision: number;
}

/** The full version, by id, of things that pages show trimmed. */
export interface FullContents<Shown> {
  fullContent(id: string): Shown | undefined;
  /** The complete texts of a diff; `part` is the index among the item’s parts. */
  diffTexts(id: string, part: number): DiffTexts | undefined;
}

export interface DiffTexts {
  readonly path: string;
  /** Null if the file did not exist. */
  readonly before: string | null;
  readonly after: string;
}

export interface TurnTexts {
  readonly path: string;
  /** Null if the file did not exist. */
  readonly before: string | null;
  /** Undefined if the text was not stored; then show the current file instead. */
  readonly after: string | undefined;
}

export interface RevertOptions extends Pick<WriteOptions, 'protectedFiles'> {
  /** Overwrites later changes by others. */
  readonly force?: boolean;
  /** Reverts only the changes of this turn. */
  readonly turn?: number | undefined;
}

/** A source of rows for the `@` list: files, the selection, problems and others. */
export interface MentionSource {
  readonly kind: DraftAttachment['kind'];
  /** Best match first. Ids are unique within the source and survive a reload. */
  search(query: string, signal: AbortSignal): Promise<readonly MentionRow[]>;
  /** Whether more results for the query are still being collected. */
  isSearching?(query: string): boolean;
  /** Waits for more results. Resolves to whether to search again. Never rejects. */
  waitForMore?(query: string, signal: AbortSignal): Promise<boolean>;
  /** Returns what is sent to the backend; empty if there is nothing to send any more. @throws EditorError */
  resolve(attachment: DraftAttachment, signal: AbortSignal): Promise<readonly PromptAttachment[]>;
}

type ChatErrorCode = 'notFound' | 'busy' | 'unreadable' | 'readonly' | 'changedSince' | 'storage';

/** An error shown to the user: a conversation could not be saved, found or changed. */
export class ChatError extends Error {
  override readonly name = 'ChatError';
  constructor(
    readonly code: ChatErrorCode,
    message: string,
    readonly details?: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
