import type { Entry } from '../common/entries';

/** Actions of entries. Those that are missing have no button. */
export interface TranscriptActions {
  readonly open: (target: string, line?: number) => void;
  readonly copy: (text: string) => void;
  /** Returns the full entry, or the truncated one if it is too large for a page. */
  readonly loadFullEntry: (entryId: string) => Promise<Entry>;
  /** Loads up to `count` entries before the first one into the model. */
  readonly loadOlder: (count: number) => Promise<void>;
  /** Loads up to `count` entries after the last one into the model. */
  readonly loadLater?: (count: number) => Promise<void>;
  /** Replaces the loaded entries by the last ones. */
  readonly loadLatest?: () => Promise<void>;
  /** `part` is the index of a diff in the entry's parts. */
  readonly openDiff?: (entryId: string, part: number) => void;
  readonly insertAtCursor?: (text: string) => void;
  readonly applyCode?: (text: string, path?: string) => void;
  readonly openAsNewFile?: (text: string, language?: string) => void;
  /** Asks the agent to continue an interrupted answer. */
  readonly continueTurn?: () => void;
  readonly editPrompt?: (entryId: string) => void;
  /** Restores the conversation or files to before a prompt. */
  readonly restore?: (entryId: string) => void;
  readonly undoRestore?: (restoreId: string) => void;
  /** Shows the change of a file by a turn, or by the whole conversation. */
  readonly openChange?: (path: string, turn?: number, renamedFrom?: string) => void;
  /** Shows all changes of a turn in one editor. */
  readonly reviewChanges?: (turn: number) => void;
  /** Reverts the changes of one file, or of all; with a turn, only those of that turn. */
  readonly revert?: (path?: string, turn?: number, renamedFrom?: string) => void;
  readonly keepChanges?: (path?: string) => void;
  /**
   * Loads or unloads the thread of a subagent, whose entries become steps of the call. Resolves with a message if it
   * cannot be loaded.
   */
  readonly showSubthread?: (entryId: string, isShown: boolean) => Promise<string | undefined>;
  readonly showJson?: (entryId: string) => void;
}

export interface FoldingRequest {
  readonly isOpen: boolean;
}

export interface TranscriptOptions {
  readonly label?: string;
  /** Format of the times of prompts; hidden by default. */
  readonly timeFormat?: 'relative' | 'absolute';
  /** Absolute paths of the workspace folders, to which paths are shown relative. */
  readonly folders?: readonly string[];
  /** Opens or closes all sections. Each request is a new object. */
  readonly folding?: FoldingRequest;
  /** Whether new entries are announced to screen readers. */
  readonly isLive?: boolean;
}
