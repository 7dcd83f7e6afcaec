import type { Entry } from '../common/entries';

/** What entries may ask of the page. What is absent has no button: a transcript that is only read offers less. */
export interface TranscriptActions {
  /** A path or a link; `line` is 1-based. */
  readonly open: (target: string, line?: number) => void;
  readonly copy: (text: string) => void;
  /** The entry with nothing cut away, or as it was when it is too large for a page. */
  readonly showAll: (entryId: string) => Promise<Entry>;
  /** Up to `count` entries more from before the first; the model hears of them. */
  readonly loadOlder: (count: number) => Promise<void>;
  /** The same from after the last, for a page that may have others than the last ones. */
  readonly loadLater?: (count: number) => Promise<void>;
  /** The last entries, in place of others. */
  readonly loadLatest?: () => Promise<void>;
  /** `part` is the index of a diff in the entry's parts. */
  readonly openDiff?: (entryId: string, part: number) => void;
  readonly insertAtCursor?: (text: string) => void;
  readonly applyCode?: (text: string, path?: string) => void;
  readonly openAsNewFile?: (text: string, language?: string) => void;
  /** Asks to go on with an answer that was cut off. */
  readonly continueTurn?: () => void;
  readonly editPrompt?: (entryId: string) => void;
  /** What the turn has changed in a file; without one, the whole conversation. */
  readonly openChange?: (path: string, turn?: number) => void;
  /** One file, or all without a path; with a turn only what that one has changed. */
  readonly revert?: (path?: string, turn?: number) => void;
  readonly keepChanges?: (path?: string) => void;
  /**
   * Opens or closes the thread of a subagent: its entries come as steps of the call. Resolves with why there will be none.
   */
  readonly showSubthread?: (entryId: string, isShown: boolean) => Promise<string | undefined>;
  readonly showRaw?: (entryId: string) => void;
}

export interface Folding {
  readonly isOpen: boolean;
}

export interface TranscriptOptions {
  /** What the list is called by screen readers. */
  readonly label?: string;
  /** How times of prompts are told; not at all when it is left out. */
  readonly times?: 'relative' | 'absolute';
  /** The workspace's, absolute: paths below them are shown relative to them. */
  readonly folders?: readonly string[];
  /** What the user wants of all that opens and closes; another object each time they say so. */
  readonly folding?: Folding;
  /** What comes is told to screen readers; for conversations that go on. */
  readonly isLive?: boolean;
}
