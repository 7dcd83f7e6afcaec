import type { FolderCheckpoint, RestoreOutcome } from '../../../changes/common/workspaceCheckpoints';
import type { GitMove } from '../../../changes/common/gitHead';
import type { Draft } from '../chatView';
import type { LogRecord, RemainingChange } from '../conversation/logRecord';
import type { PlannedState } from '../writes/undoWrites';
import type { Restore } from './restoreHistory';

/** What another conversation needs to continue this one from its present state. */
export interface PresentForkPoint extends Pick<RestorePoint, 'recordsBefore'> {
  /** Id of the copied session. Undefined if there is none. */
  readonly remoteId: string | undefined;
  /** The last prompt. Undefined without one. */
  readonly draft: Draft | undefined;
}

/** Restores a conversation and its files to the moment of an earlier prompt. */
export interface ChatRestores {
  /** The remaining changes of all files. */
  readonly remainingChanges: readonly RemainingChange[];
  /** Returns a restore that can still be undone. */
  get(id: string): Restore | undefined;
  /**
   * Returns the state of the conversation and its files before a prompt. @throws ChatError `notFound`, `unreadable`,
   * `storage`
   */
  restorePointBefore(entryId: string): Promise<RestorePoint>;
  /**
   * Returns the present state of the conversation. With `copiesSession`, copies its session if the backend can do that.
   * @throws ChatError `busy`, `readonly`, `unreadable`, `storage`
   */
  copyPresentState(copiesSession: boolean): Promise<PresentForkPoint>;
  /**
   * Returns the present state for a side question, also while a turn runs and while another window runs it. Then its session is
   * not copied, and nothing of it is touched. @throws ChatError `unreadable`, `storage`
   */
  copyForAside(): Promise<PresentForkPoint>;
  /** Discards the copy of the session, because no conversation uses it. Never rejects. */
  discardCopy(state: Pick<PresentForkPoint, 'remoteId'>): Promise<void>;
  /**
   * Returns the files of the agent that others have changed since the prompt, including unsaved text. `textBefore` returns
   * the text at the prompt, or undefined if it is unknown. Never rejects.
   */
  pathsEditedByOthers(
    point: RestorePoint,
    textBefore: (path: string) => Promise<string | null | undefined>,
  ): Promise<ReadonlySet<string>>;
  /**
   * Returns the files that other conversations, also of other windows, have written since the prompt, with the id of the
   * last conversation. Never rejects.
   */
  pathsOfOthersSince(point: RestorePoint): Promise<ReadonlyMap<string, string>>;
  /** The last restore, or undo of changes, that can be undone. */
  readonly last: Restore | undefined;
  /**
   * Saves files before their changes, or those of one turn, are undone. The result is the id of a restore, with which all of
   * them can be brought back, also after a crash. `undoneRestore` is the id of a restore that is undone, if it is not the agent’s
   * changes that are. @throws ChatError `readonly`, `storage`
   */
  beginUndo(paths: readonly string[], turn?: number, undoneRestore?: string): Promise<string>;
  /** Whether the file is exactly as an undo has saved it that has not ended yet. Never rejects. */
  isAsSaved(undoId: string, path: string): Promise<boolean>;
  /** Call when the changes in `done` were undone. Returns the files that can be brought back. Never rejects. */
  endUndo(id: string, done: readonly string[]): Promise<readonly string[]>;
  /**
   * Returns what has happened in Git since the first change that remains in one of these files. Undoing changes does not
   * bring that back. Never rejects.
   */
  gitMovesSinceChanges(paths: readonly string[]): Promise<readonly GitMove[]>;
  /** Compares the files of which the restore itself has texts, not a checkpoint. Never rejects. */
  compareTexts(restore: Restore): Promise<ComparedTexts>;
  /** Writes the texts that the restore has of these files. @throws EditorError */
  restoreTexts(restore: Restore, paths: ReadonlySet<string>): Promise<void>;
  /** Resolves when the changes of the last turn are recorded. */
  whenTurnRecorded(): Promise<void>;
  /** Makes this window the writer of the conversation. @throws ChatError `readonly` */
  claim(): Promise<void>;
  /**
   * Runs `write`, which brings files into these states. Other conversations, also of other windows, are told before, so that
   * they don't count it as work of their agents. With a fork, the original conversation tells it. @throws the errors of `write`
   */
  tellOthers<T extends Pick<RestoreOutcome, 'restored'>>(
    files: readonly PlannedState[],
    write: () => Promise<T>,
  ): Promise<T>;
  /** Tells other conversations the same of files that were restored to these checkpoints. Never rejects. */
  tellRestored(paths: readonly string[], folders: readonly FolderCheckpoint[]): Promise<void>;
  /** Replaces the remaining changes of files. @throws ChatError `readonly` */
  replaceChanges(files: readonly RemainingChange[]): Promise<void>;
  /** Records a restore. @throws ChatError `readonly` */
  recordRestore(restore: NewRestore): Promise<void>;
  /** Records that a restore was undone. `replaced` are the changes that the files have again. @throws ChatError `readonly` */
  recordUndone(id: string, replaced: readonly RemainingChange[]): Promise<void>;
}

export interface ComparedTexts {
  /** Files that have another text than before the restore. */
  readonly differing: readonly string[];
  /** Files that have another text than the restore has left. All differing ones if that is unknown. */
  readonly changedSince: readonly string[];
}

/** A new restore. `replaced` are the remaining changes after it. */
export type NewRestore = Restore & { readonly replaced: readonly RemainingChange[] };

/** The moment before a prompt was sent, found in the records of its conversation. */
export interface MomentBeforePrompt {
  readonly draft: Draft;
  /** The checkpoints of the prompt, one per folder. Empty if there is none. */
  readonly folders: readonly FolderCheckpoint[];
  /** The records before the prompt was sent, without queued prompts. */
  readonly recordsBefore: readonly LogRecord[];
  readonly recordsSince: readonly LogRecord[];
  /** Whether the user had stopped the previous turn and the backend had not confirmed its end yet. */
  readonly isStopping: boolean;
  /** Whether the prompt has joined a turn that was running. */
  readonly isInTurn: boolean;
}

/** The moment before a prompt, and what the agent had changed before it and has changed since. */
export interface RestorePoint extends MomentBeforePrompt {
  readonly turn: number;
  /** The remaining changes at that moment. */
  readonly remainingChanges: readonly RemainingChange[];
  /** Absolute paths of the files that the agent has written since the prompt was sent. */
  readonly writtenPaths: ReadonlySet<string>;
  /** Those that were changed while a command ran, by it or by somebody else. */
  readonly pathsByCommand: ReadonlySet<string>;
  /** The files that each turn since the prompt has changed, by turn number. The newest turn comes first. */
  readonly pathsByTurn: ReadonlyMap<number, readonly string[]>;
}
