import type { Disposable } from '../../base/common/disposable';
import type { Event } from '../../base/common/event';
import type { WriteOptions } from '../../editor/common/editorPort';
import type { Hunk } from '../../changes/common/review/hunks';
import type { TextsOfChange, TextsShownToUser } from '../../changes/common/review/reviewSource';
import type { FileState } from '../../changes/common/checkpoint';
import type { Entry, FileChange, Part } from '../../transcript/common/entries';
import type { TranscriptDocument } from '../../transcript/common/transcriptDocument';
import type { ConversationMarks } from './list/conversationMarks';
import type { ChatRestores } from './restore/restorePorts';
import type { ConversationHead, SearchProgress } from './chatStore';
import type { BackendView, Draft, DraftAttachment, ConversationRow, ConversationView } from './chatView';

/** The conversations of a window. They are saved to disk while they run. */
export interface Chats extends Disposable {
  /** Fires when the list or the contents of a row may have changed. */
  readonly onDidChange: Event<void>;
  readonly onDidChangeBackends: Event<void>;
  /** The conversations that are open in this window, in the order in which they were opened. */
  readonly openChats: readonly Chat[];
  /** Fires when a conversation is opened or closed, or when its list of file changes may have changed. */
  readonly onDidChangeFiles: Event<void>;
  /**
   * Rows for the list: what needs the user first, then what works, then the newest of this window and of other folders. Omits
   * conversations without messages, and those that are deleted. A row that has not changed is the same object as before.
   */
  readonly rows: readonly ConversationRow[];
  /** Ids of the repositories in which this window works, as in rows. */
  readonly repositories: readonly string[];
  /**
   * Finds saved conversations by title and text, and sessions of running backends by title. A result contains all words
   * of the query. Those whose titles match come first, the newest before others, then those whose texts do, the best first.
   */
  search(query: string, signal?: AbortSignal): Promise<FoundConversations>;
  /**
   * Lists the sessions that a backend stores, newest first. Starts the backend. @throws BackendError, for example
   * `unsupported`
   */
  listRemoteSessions(backendId: string, signal: AbortSignal): Promise<readonly ConversationRow[]>;
  backends(): Promise<readonly BackendView[]>;

  /**
   * Creates a session for the next conversation with the backend, so that its options are known. If a session already
   * exists, applies the current choices to it. If this fails or needs the user, the first prompt creates the session.
   * Never throws.
   */
  prepare(backendId: string, folder?: string): void;
  /** Closes the prepared session if it belongs to another backend. */
  closePreparedExcept(backendId: string | undefined): void;
  /**
   * Reports whether a page shows an empty conversation. Call again with `true` while the user types. The prepared
   * session is closed shortly after the last such page has closed, or after a long time without typing.
   */
  setPromptExpected(isExpected: boolean): void;
  /**
   * Creates a conversation. The first prompt saves it and starts its agent. The agent works in `folder` (absolute) if
   * that is inside the workspace, and otherwise in the first workspace folder. @throws BackendError `notFound`
   */
  create(backendId: string, options?: NewChatOptions): Promise<Chat>;
  /** Whether a conversation has the prompt with this id as its first one. Never rejects. */
  isStartedBy(promptId: string): Promise<boolean>;
  /**
   * Opens the conversation of a row. It is read-only while another window works in it. If its window was closed during
   * a turn, the turn is marked as interrupted. The next prompt starts the backend. @throws ChatError `notFound`,
   * `unreadable`
   */
  open(sessionId: string): Promise<Chat>;
  /** Writes the log of a closed conversation again, without what is replaced. @throws ChatError `notFound`, `readonly`, `storage` */
  compact(sessionId: string): Promise<void>;
  /**
   * Creates a conversation with everything before a prompt, and with the prompt as its draft. Its next prompt starts a
   * new session with a summary. The original conversation is not changed. Without a prompt, it continues from the present
   * state, in a copy of the session if the backend can copy it; with an agent, in a new session of that agent, and its draft is
   * the last prompt, also if that was not accepted. `aside`: it is a side question, which can only read; a turn may run.
   * @throws ChatError `notFound`, `unreadable`, `storage`; without a prompt also `busy`, `readonly`; BackendError `unsupported`
   */
  fork(sessionId: string, entryId?: string, how?: ForkAgent | 'aside'): Promise<Chat>;
  /**
   * Records that the user has moved a folder: all its conversations belong to the new place. Closes those that are open here
   * and idle, because the paths of their files change. Both paths are absolute. Resolves to a function that takes this back,
   * except for conversations that were continued at the new place. Both throw ChatError `storage`.
   */
  locateFolder(from: string, to: string): Promise<() => Promise<void>>;
  /** Fires with the id of a conversation that the user wants to see in this window, which runs it. */
  readonly onDidRequestShow: Event<string>;
  /** Shows a conversation in the other window that runs it. @throws ChatError `readonly` if none does */
  showInItsWindow(sessionId: string): Promise<void>;
  /**
   * Answers the approval for which a row has an `answer`, here or in the window that runs the conversation. Opens nothing.
   * @throws the same as `Chat.answerApproval`
   */
  answerFromRow(sessionId: string, answer: ApprovalAnswer): Promise<void>;
  /** Side questions that the user has not kept, and what each is about; no row is made for them. Times as in the rows. */
  readonly openAsides: readonly { readonly id: string; readonly about: string; readonly updatedAt: number }[];
  /** The conversations that the user has deleted and that are not removed yet. Times are in milliseconds since the epoch. */
  readonly deleted: readonly { readonly id: string; readonly deletedAt: number }[];
  /** Returns the title of a row, or of a session that a backend has listed. */
  titleOf(sessionId: string): string | undefined;
  /** Ends the turn of a conversation in the window that runs it. Opens nothing. @throws ChatError `readonly` */
  stopTurn(sessionId: string): Promise<void>;
  /** Closes a conversation of this window, so that others can remove it, unless it is shown or that would lose something. */
  closeUnused(sessionId: string): void;
  /** Pins, archives or marks a conversation as deleted, or takes that back. @throws ChatError `notFound`, `storage` */
  setMarks(sessionId: string, marks: ConversationMarks): Promise<void>;
  /** Resolves to whether this window is the first that wants to tell the user of an event. Never rejects. */
  claimNotice(event: string): Promise<boolean>;
  /** Changes the title of a conversation. @throws ChatError */
  rename(sessionId: string, title: string): Promise<void>;
  /**
   * Stops the conversation and deletes it permanently. Also deletes its session, as soon as the backend runs and if it
   * supports that. @throws ChatError
   */
  delete(sessionId: string): Promise<void>;
  export(sessionId: string, format: ExportFormat): Promise<string>;
  /** Ends running turns as interrupted and closes all sessions and files. Never rejects. */
  stop(): Promise<void>;
}

/** An answer to an approval. `option` is the exact label. */
export interface ApprovalAnswer {
  readonly approvalId: string;
  readonly option: string;
  /** `shown` of the view that the user saw. */
  readonly shown: string | undefined;
  /** Whether the user has given it in another window, which the transcript then says. */
  readonly isFromOtherWindow?: boolean;
}

/** `entryId`: where the snippet of the row is. */
export interface FoundConversation {
  readonly row: ConversationRow;
  readonly entryId?: string;
}

export interface FoundConversations {
  readonly found: readonly FoundConversation[];
  /** How many conversations can be searched so far, while their texts are still being read. Then search again. */
  readonly left?: SearchProgress;
}

/** The agent with which a fork continues. */
export interface ForkAgent {
  readonly backendId: string;
  readonly backendTitle: string;
}

/** What the head of a new conversation has from the beginning. */
export type NewChatOptions = {
  readonly [Member in 'aside' | 'folder' | 'preset' | 'startedBy']?: ConversationHead[Member] | undefined;
};

export type ExportFormat = 'markdown' | 'html' | 'json';

/** One conversation. `Chats` owns and disposes it. */
export interface Chat {
  readonly id: string;
  readonly view: ConversationView;
  /** Whether another window has become the writer. Reopen the conversation to follow its records. */
  readonly isOutdated: boolean;
  readonly transcript: TranscriptDocument;
  /** Fires when the view has changed. The transcript has its own event. */
  readonly onDidChange: Event<void>;
  readonly draft: Draft;
  /** Fires when the draft was sent, or restored because the backend refused it. */
  readonly onDidSendOrRestoreDraft: Event<DraftTransition>;
  /**
   * Saves the draft, which survives a reload, except for large images and while another window writes to the
   * conversation.
   */
  saveDraft(draft: Draft, revision?: PageDraftRevision): void;
  /** Takes back a prompt that a page has sent before it was loaded again, if it did not arrive. */
  restoreLost(draft: Draft): void;
  /** When the last record was added, in milliseconds since the epoch. Undefined while past turns are replayed. */
  readonly lastRecordedAt: number | undefined;
  /** The prompts sent so far, oldest first. */
  readonly sentPromptTexts: readonly string[];
  /** Keeps the conversation open until the result is disposed: for a page, or for something that may change it. */
  keepOpen(why?: 'page' | 'work'): Disposable;
  /** Must be called when a page shows or hides the conversation, and when its window gets or loses the focus. */
  setVisibility(visibility: ChatVisibility): void;

  /**
   * Sends a prompt, once: a page that was loaded again may send it twice. Resolves when the backend has accepted it, or when it is
   * queued. Clears the draft at once. A refused prompt becomes the draft again, without `contextAttachments` and before newer text.
   * @throws BackendError, ChatError
   */
  send(
    draft: Draft,
    contextAttachments?: readonly DraftAttachment[],
    revision?: PageDraftRevision,
    duringTurn?: DuringTurn,
  ): Promise<void>;
  /** Removes a prompt from the queue and returns it, or an empty draft if it was sent. @throws ChatError `readonly` */
  unqueue(id: string): Promise<Draft>;
  /** Asks the agent to take a queued prompt into the turn that runs. It stays queued if the agent cannot. @throws ChatError */
  steerQueued(id: string): Promise<void>;
  /** Ends this turn for a queued prompt. If it does not run, the prompt is only the next. @throws BackendError, ChatError */
  stopAndSend(id: string, turn: number | undefined): Promise<void>;
  sendFirstQueuedPrompt(): Promise<void>;
  /**
   * Sends the last prompt again, with its attachments. Does nothing unless its turn has failed and ended with this entry, and
   * no turn is running. @throws BackendError, ChatError
   */
  retry(entryId: string): Promise<void>;
  /**
   * Ends the turn, immediately in the transcript and then in the backend, also if another window runs it. @throws ChatError
   * `readonly` if that window cannot be asked
   */
  stop(): Promise<void>;
  /** Stops what one entry shows, or denies it if it waits for an answer. Resolves when that is done. @throws BackendError */
  stopCall(entryId: string): Promise<void>;
  /** Asks the agent to continue an interrupted answer. The draft stays unchanged. @throws BackendError, ChatError */
  sendContinue(): Promise<void>;
  /**
   * Answers an approval. `reason` becomes the next prompt, before queued prompts, and is sent as soon as no turn is
   * running.
   * If another window runs the conversation, the answer is given there.
   * @throws BackendError `approvalInvalid`, `approvalResolved`, ChatError `changedMeanwhile` if it asks for something else by
   * now; of another window also ChatError `readonly`
   */
  answerApproval(answer: ApprovalAnswer, reason?: Draft): Promise<void>;
  setOption(optionId: string, value: string | boolean): Promise<void>;
  /** The entries of the transcript with their full contents. */
  readonly fullEntries: FullContents<Entry>;
  /** The parts of pending approvals. Only those that are too large for a page are shortened. */
  readonly fullApprovals: FullContents<Part[]>;

  /**
   * Reverts the changes to a file by the conversation, or by one turn. If the change has no texts, an editor cannot
   * undo the revert, and the result is the id of a restore that can be undone. @throws ChatError `changedSince` unless
   * `force`; `changedMeanwhile` if the file is not as the undo has saved it
   */
  revert(path: string, options?: RevertOptions): Promise<string | undefined>;
  keepChanges(path?: string): Promise<void>;
  readonly fileChanges: ChatFileChanges;
  readonly restores: ChatRestores;
}

/** A prompt during a turn joins it if the agent takes it, is queued, or ends the turn with this number, if that still runs. */
export type DuringTurn = 'steer' | 'queue' | { readonly stopsTurn: number };

/**
 * `shown`: a visible page shows the conversation. `seen`: the window also has the focus, so that the user sees it. What ends
 * unseen is marked until it is seen.
 */
export type ChatVisibility = 'hidden' | 'shown' | 'seen';

/** A range of turn numbers; both ends are included. */
export interface TurnRange {
  readonly first: number;
  readonly last: number;
}

/** A file that these turns have changed. */
export interface FileChangedByTurns {
  readonly path: string;
  readonly renamedFrom?: string;
}

/** The texts of a file before and after turns. Null if the file did not exist, undefined if the text is unknown. */
export interface TextsAroundTurns {
  readonly before: string | null | undefined;
  readonly after: string | null | undefined;
  /** Whether the file still has the text that it had after the turns. */
  readonly isCurrent: boolean;
}

/** The states of a file before and after a change without texts. Undefined if the file did not exist. */
export interface FileStatesBeforeAndAfter {
  readonly before: FileState | undefined;
  readonly after: FileState | undefined;
}

export interface UneditedChangeCounts {
  readonly separable: number;
  readonly total: number;
}

export interface ChatFileChanges {
  /** The changes that the user has neither kept nor undone. */
  readonly list: readonly FileChange[];
  readonly onDidChange: Event<void>;
  /**
   * Returns the files that turns have changed, even if the user has kept the changes. A renamed file is listed once.
   */
  filesOfTurns(turns: TurnRange): readonly FileChangedByTurns[];
  /** Returns the texts of a file before and after these turns. Never rejects. */
  textsOfTurns(path: string, turns: TurnRange): Promise<TextsAroundTurns>;
  /**
   * Returns the text of a file before the conversation changed it. Null if the file did not exist, undefined if the
   * text is unknown.
   */
  textBefore(path: string): Promise<string | null | undefined>;
  /**
   * Returns the texts of a file before and after a turn, even if the user has kept its changes. Undefined if the
   * earlier text is unknown.
   */
  turnTexts(path: string, turn: number): Promise<TurnTexts | undefined>;
  /** Returns the states of a change without texts, by the conversation or by one turn. */
  statesOf(path: string, turn?: number): FileStatesBeforeAndAfter | undefined;
  /** Counts the changes of a file, and the separable ones, whose lines nobody has edited since. Never rejects. */
  countUneditedChanges(path: string): Promise<UneditedChangeCounts>;
  /** Undoes the separable changes and keeps later edits. @throws ChatError `notFound`, `readonly`, EditorError */
  undoUneditedChanges(path: string, options: Pick<RevertOptions, 'protectedFiles'>): Promise<UneditedChangeCounts>;
  /** Implements `ReviewSource.baseline`. */
  baseline(path: string): Promise<string | null | undefined>;
  texts(path: string): Promise<TextsOfChange>;
  /**
   * Keeps a hunk. @throws ChatError `changedSince` if the file differs from what the user saw, `notFound`, `readonly`
   */
  keepHunk(path: string, hunk: Hunk, seen: TextsShownToUser): Promise<void>;
  /** Undoes a hunk. @throws the same ChatErrors as `keepHunk`, EditorError */
  undoHunk(path: string, hunk: Hunk, seen: TextsShownToUser): Promise<void>;
  /** Compares all changed files, or the given ones, with the current files, including unsaved text. Never rejects. */
  refresh(paths?: ReadonlySet<string>): Promise<void>;
}

/** A draft that was sent, or that was restored because the backend refused it. */
export interface DraftTransition {
  readonly kind: 'sent' | 'refused';
  readonly draft: Draft;
  /** An earlier restored text that it follows. */
  readonly after?: string;
}

/**
 * Identifies a version of a draft: the page that wrote it and the revision number on that page. If an older version
 * arrives late, it is ignored.
 */
export interface PageDraftRevision {
  readonly page: object;
  readonly revision: number;
}

/** The complete form, by id, of items that pages show shortened. */
export interface FullContents<Shown> {
  fullContent(id: string): Shown | undefined;
  /** Returns the complete texts of a diff. `part` is the index of the part in the item. */
  diffTexts(id: string, part: number): DiffTexts | undefined;
}

export interface DiffTexts {
  readonly path: string;
  /** The earlier text; null if the file did not exist. */
  readonly before: string | null;
  readonly after: string;
}

export interface TurnTexts {
  readonly path: string;
  /** The earlier text; null if the file did not exist. */
  readonly before: string | null;
  /** The later text. Undefined if it was not stored; the current file is then shown instead. */
  readonly after: string | undefined;
}

export interface RevertOptions extends Pick<WriteOptions, 'protectedFiles'> {
  /** Whether to overwrite later changes by others. */
  readonly force?: boolean;
  /** If set, reverts only the changes of this turn. */
  readonly turn?: number | undefined;
  /** The undo to which this belongs, from `ChatRestores.beginUndo`. It brings the file back. */
  readonly undoId?: string | undefined;
}

type ChatErrorCode = 'notFound' | 'busy' | 'unreadable' | 'readonly' | 'changedSince' | 'changedMeanwhile' | 'storage';

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

/** A file is no longer as it was when it was read or saved. */
export function changedMeanwhileError(): ChatError {
  return new ChatError('changedMeanwhile', 'The file has changed in the meantime. Try again.');
}
