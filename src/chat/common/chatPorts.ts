import type { PromptAttachment } from '../../session/common/sessionBackend';
import type { Disposable } from '../../base/common/disposable';
import type { Event } from '../../base/common/event';
import type { WriteOptions } from '../../editor/common/editorPort';
import type { Hunk } from '../../changes/common/review/hunks';
import type { SeenTexts } from '../../changes/common/review/reviewSource';
import type { Entry, FileChange, Part } from '../../transcript/common/entries';
import type { TranscriptDocument } from '../../transcript/common/transcriptDocument';
import type { BackendView, Draft, DraftAttachment, MentionRow, SessionRow, SessionView } from './chatView';

/** The conversations of a window, kept on disk as they happen. */
export interface Chats extends Disposable {
  /** The rows, or what a row says, may have changed. */
  readonly onDidChange: Event<void>;
  readonly onDidChangeBackends: Event<void>;
  /** Those that are open in this window, the one that was opened last at the end. */
  readonly openChats: readonly Chat[];
  /** A conversation was opened or closed, or what one has changed in files is another list. */
  readonly onDidChangeFiles: Event<void>;
  /** Newest first, without those that were never spoken in. */
  readonly rows: readonly SessionRow[];
  /** Conversations whose title or text has all words of the query, and those that running backends remember themselves. */
  search(query: string, signal?: AbortSignal): Promise<readonly SessionRow[]>;
  /** What a backend remembers itself, newest first; it is started for it. @throws BackendError `unsupported` and others */
  listKept(backendId: string, signal: AbortSignal): Promise<readonly SessionRow[]>;
  backends(): Promise<readonly BackendView[]>;

  /**
   * Makes a session for the next conversation with that backend, so that its options are known; where that would need the user, or
   * fails, the first prompt does it. Called again, it brings the session up to date with what is chosen. Never throws.
   */
  prepare(backendId: string, folder?: string): void;
  /** Closes a session that waits, unless it is one of that backend. */
  keepPrepared(backendId: string | undefined): void;
  /**
   * Whether a page shows a conversation that is not begun: a session that waits is closed a short while after none does, or
   * when nobody has written for long. Called again with `true` while the user writes.
   */
  awaitPrompt(isAwaited: boolean): void;
  /**
   * A conversation that is on no disk and starts nothing before its first prompt. Its agent works in `folder` (absolute)
   * where that is in the workspace, else in the first workspace folder. @throws BackendError `notFound`
   */
  create(backendId: string, folder?: string): Promise<Chat>;
  /**
   * The conversation of a row, with all that was said; a turn that ran when its window ended is marked. One that another
   * window writes is read-only. Its backend starts when the next prompt is sent.
   * @throws ChatError `notFound`, `unreadable`
   */
  open(sessionId: string): Promise<Chat>;
  /** @throws ChatError */
  rename(sessionId: string, title: string): Promise<void>;
  /** Stops it, and forgets it here and, where that can, in its backend: now, or when that runs next. @throws ChatError */
  delete(sessionId: string): Promise<void>;
  export(sessionId: string, format: ExportFormat): Promise<string>;
  /** Ends turns as interrupted, closes sessions and files. Never rejects. */
  stop(): Promise<void>;
}

export type ExportFormat = 'markdown' | 'html' | 'json';

/** One conversation. It belongs to `Chats`, which disposes it. */
export interface Chat {
  readonly id: string;
  readonly view: SessionView;
  /** Another window has taken it over: opened again, it shows what that one writes. */
  readonly isOutdated: boolean;
  readonly transcript: TranscriptDocument;
  /** The view has changed; the transcript tells of itself. */
  readonly onDidChange: Event<void>;
  readonly draft: Draft;
  /** What was in the draft was sent, or is back because it was refused. */
  readonly onDidMoveDraft: Event<DraftMove>;
  /** Kept over a reload, but for images that are too large, and while another window writes the conversation. */
  saveDraft(draft: Draft, written?: Written): void;
  /** Prompts sent before, oldest first. */
  readonly history: readonly string[];
  /** It stays open as long as somebody holds it; dispose to let it go. */
  hold(): Disposable;
  /** Someone looks at it now; what ends meanwhile is not unread. */
  isShown: boolean;

  /**
   * Resolves when the backend has taken the prompt, or it is queued. What is sent leaves the draft at once, and is put back
   * before what was typed meanwhile when it is refused; what goes `along` by itself is not. @throws BackendError, ChatError
   */
  send(draft: Draft, along?: readonly DraftAttachment[], written?: Written): Promise<void>;
  /** Empty when it was sent already. @throws ChatError `readonly` */
  unqueue(id: string): Promise<Draft>;
  sendQueued(): Promise<void>;
  /** The turn looks ended at once; the backend is made to end it after. */
  stop(): Promise<void>;
  /** Asks to go on with an answer that was cut off; the draft stays. @throws BackendError, ChatError */
  continueTurn(): Promise<void>;
  /**
   * A `reason` for the answer is the next prompt: sent at once, or as soon as the turn has ended, before what is queued.
   * @throws BackendError `approvalInvalid`, `approvalResolved`
   */
  approve(approvalId: string, option: string, reason?: string): Promise<void>;
  setOption(optionId: string, value: string | boolean): Promise<void>;
  promptToEdit(entryId: string): Draft;
  /** Of the transcript, with nothing cut away. */
  readonly entries: Whole<Entry>;
  /** The parts of those that are open, with as little cut away as a page can show. */
  readonly approvals: Whole<Part[]>;

  /** How a file was before the conversation touched it; null when it did not exist, undefined when that is not known. */
  textBefore(path: string): Promise<string | null | undefined>;
  /** What a turn has made of a file, also when that was kept; undefined when it is not known how it was before. */
  turnTexts(path: string, turn: number): Promise<TurnTexts | undefined>;
  /** What the conversation, or one `turn` of it, has changed in the file. @throws ChatError `changedSince` unless `force` */
  revert(path: string, options?: RevertOptions): Promise<void>;
  keepChanges(path?: string): Promise<void>;
  readonly fileChanges: ChatFileChanges;
}

/** Changes of a conversation that were neither kept nor undone. */
export interface ChatFileChanges {
  readonly list: readonly FileChange[];
  /** The list may be another one. */
  readonly onDidChange: Event<void>;
  /** As `ReviewSource.baseline`. */
  baseline(path: string): Promise<string | null | undefined>;
  /** @throws ChatError `changedSince` when the file is not what was seen, `notFound`, `readonly` */
  keepHunk(path: string, hunk: Hunk, seen: SeenTexts): Promise<void>;
  /** @throws ChatError as `keepHunk`, EditorError */
  undoHunk(path: string, hunk: Hunk, seen: SeenTexts): Promise<void>;
  /** Compares the changed files with the disk and the editors again. Never rejects. */
  refresh(): Promise<void>;
}

/** A draft that has become another one, not by the user's hand. */
export interface DraftMove {
  readonly kind: 'sent' | 'refused';
  readonly draft: Draft;
}

/** Which page has written a draft, and its how manieth word that is: what comes late is older than what is there. */
export interface Written {
  readonly by: object;
  readonly revision: number;
}

/** What pages show in short, by its id. */
export interface Whole<Shown> {
  whole(id: string): Shown | undefined;
  /** Both texts of a diff among its parts, whole. */
  diffTexts(id: string, part: number): DiffTexts | undefined;
}

export interface DiffTexts {
  readonly path: string;
  /** Null for a file that did not exist. */
  readonly before: string | null;
  readonly after: string;
}

export interface TurnTexts {
  readonly path: string;
  /** Null for a file that did not exist. */
  readonly before: string | null;
  /** Undefined when nobody has written it since, or others have: then the file as it is says more. */
  readonly after: string | undefined;
}

export interface RevertOptions extends Pick<WriteOptions, 'protectedFiles'> {
  /** Also over what others have changed since. */
  readonly force?: boolean;
  /** Only what this turn has changed. */
  readonly turn?: number | undefined;
}

/** Where `@` finds things: files, the selection, problems and others. */
export interface MentionSource {
  readonly kind: DraftAttachment['kind'];
  /** Best first. Ids are the source's own and survive a reload. */
  search(query: string, signal: AbortSignal): Promise<readonly MentionRow[]>;
  /** Whether more is on its way for a query: the same search has it then. */
  isSearching?(query: string): boolean;
  /** Resolves when there is more, or there will not be any. Never rejects. @returns whether to search again */
  next?(query: string, signal: AbortSignal): Promise<boolean>;
  /** What is sent for it; empty when there is nothing any more. @throws EditorError */
  resolve(attachment: DraftAttachment, signal: AbortSignal): Promise<readonly PromptAttachment[]>;
}

type ChatErrorCode = 'notFound' | 'unreadable' | 'readonly' | 'changedSince' | 'storage';

/** What the user reads when a conversation could not be kept, found or changed. */
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
