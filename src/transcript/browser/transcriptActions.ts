import type { Entry } from '../common/entries';
import type { LoadAnswer, LoadRequest } from '../common/loadRequest';

/** What a user can do about a turn that has failed. */
interface FailureActions {
  /** Sends the prompt of the turn again. */
  readonly retry: (entryId: string) => void;
  /** Continues in a new session: of the same agent, or of another one that the user picks. */
  readonly continueWith: (isSameAgent: boolean) => void;
  readonly signIn: () => void;
  readonly showLog: () => void;
}

/** Actions of entries. If an action is missing, its button is not shown. */
export interface TranscriptActions {
  readonly open: (target: string, line?: number, column?: number) => void;
  readonly copy: (text: string) => void;
  /** Returns the complete entry. If it is too large for a page, returns the truncated one. */
  readonly loadFullEntry: (entryId: string) => Promise<Entry>;
  /** Loads another part of the transcript into the model. If that fails, shows the error and resolves to undefined. */
  readonly load: (request: LoadRequest) => Promise<LoadAnswer | undefined>;
  /** Opens a diff. `part` is the index of the diff in the entry's parts. */
  readonly openDiff?: (entryId: string, part: number) => void;
  readonly insertAtCursor?: (text: string) => void;
  readonly applyCode?: (text: string, path?: string) => void;
  readonly openAsNewFile?: (text: string, language?: string) => void;
  /** Opens an HTML document of an answer outside of the page. */
  readonly openView?: (html: string) => void;
  /** Asks the agent to continue an interrupted answer. */
  readonly continueTurn?: () => void;
  /** Steps after a turn that has failed. */
  readonly afterFailure?: FailureActions;
  /** Stops what an entry shows, or denies what it waits for. Resolves when that is done, or after an error was shown. */
  readonly stopCall?: (entryId: string) => Promise<void>;
  readonly editPrompt?: (entryId: string) => void;
  /** Opens a side question about the conversation. `quote` is the text of an answer that it is about, or empty. */
  readonly askAside?: (quote: string) => void;
  /** Restores the conversation or files to the state before a prompt. */
  readonly restore?: (entryId: string) => void;
  readonly undoRestore?: (restoreId: string) => void;
  /** Shows how a turn, or the whole conversation, has changed a file. */
  readonly openChange?: (path: string, turn?: number, renamedFrom?: string) => void;
  /** Shows all changes of a turn in one editor. */
  readonly reviewChanges?: (turn: number) => void;
  /** Reverts the changes of a turn in a file. */
  readonly revert?: (path: string, turn: number, renamedFrom?: string) => void;
  /** Loads or unloads a subagent's thread as steps of the call. Resolves to a message if that is not possible. */
  readonly showSubthread?: (entryId: string, isShown: boolean) => Promise<string | undefined>;
  readonly showJson?: (entryId: string) => void;
}

export interface FoldingRequest {
  readonly isOpen: boolean;
}

export interface TranscriptOptions {
  /** Set if `model` shows different conversations one after another. Their entries may have the same ids. */
  readonly conversationId?: string | undefined;
  readonly label?: string;
  /** Format for the times of prompts. By default, they are hidden. */
  readonly timeFormat?: 'relative' | 'absolute';
  /** Absolute paths of the workspace folders. Other paths are shown relative to them. */
  readonly folders?: readonly string[];
  /** Opens or closes all sections. Pass a new object for each request. */
  readonly folding?: FoldingRequest;
  /** Paths of changes that the page shows elsewhere until they are kept or undone. The newest turn does not repeat them. */
  readonly waitingPaths?: ReadonlySet<string>;
  /** Whether screen readers announce new entries. */
  readonly isLive?: boolean;
}
