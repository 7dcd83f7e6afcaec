import type { Event } from '../../../base/common/event';
import type { Hunk } from '../../../changes/common/review/hunks';
import type { TextsOfChange, TextsShownToUser } from '../../../changes/common/review/reviewSource';
import type { FileChange } from '../../../transcript/common/entries';
import type {
  FileStatesBeforeAndAfter,
  ChatFileChanges,
  RevertOptions,
  UneditedChangeCounts,
  TurnRange,
  FileChangedByTurns,
  TextsAroundTurns,
  TurnTexts,
} from '../chatPorts';
import type { ConversationFiles } from '../chatStore';
import type { ChatRestores } from '../restore/restorePorts';
import type { ChangeJournal } from './changeJournal';

/**
 * Implements `ChatFileChanges`. Before the user keeps or undoes changes, this window becomes the writer of the
 * conversation.
 */
export class ReviewableChanges implements ChatFileChanges {
  constructor(
    private readonly conversationFiles: Pick<ConversationFiles, 'claim'>,
    private readonly journal: ChangeJournal,
    private readonly restores: Pick<ChatRestores, 'beginUndo' | 'endUndo'>,
    readonly onDidChange: Event<void>,
  ) {}

  get list(): readonly FileChange[] {
    return this.journal.changes;
  }

  filesOfTurns(turns: TurnRange): readonly FileChangedByTurns[] {
    return this.journal.filesOfTurns(turns);
  }

  textsOfTurns(path: string, turns: TurnRange): Promise<TextsAroundTurns> {
    return this.journal.review.textsOfTurns(path, turns);
  }

  textBefore(path: string): Promise<string | null | undefined> {
    return this.journal.textBefore(path);
  }

  turnTexts(path: string, turn: number): Promise<TurnTexts | undefined> {
    return this.journal.turnTexts(path, turn);
  }

  statesOf(path: string, turn?: number): FileStatesBeforeAndAfter | undefined {
    return this.journal.states.statesOf(path, turn);
  }

  countUneditedChanges(path: string): Promise<UneditedChangeCounts> {
    return this.journal.review.countUneditedChanges(path);
  }

  async undoUneditedChanges(
    path: string,
    options: Pick<RevertOptions, 'protectedFiles'>,
  ): Promise<UneditedChangeCounts> {
    await this.conversationFiles.claim();
    return await this.journal.review.undoUneditedChanges(path, options);
  }

  baseline(path: string): Promise<string | null | undefined> {
    return this.journal.review.baseline(path);
  }

  async texts(path: string): Promise<TextsOfChange> {
    return { ...(await this.journal.review.texts(path)), state: JSON.stringify(this.statesOf(path) ?? null) };
  }

  async keepHunk(path: string, hunk: Hunk, seen: TextsShownToUser): Promise<void> {
    await this.conversationFiles.claim();
    await this.journal.review.keepHunk(path, hunk, seen);
  }

  async undoHunk(path: string, hunk: Hunk, seen: TextsShownToUser): Promise<void> {
    await this.conversationFiles.claim();
    // The editor can show the file through a symbolic link, which must stay.
    const file = await this.journal.resolveUnlessChanged(path);
    // An editor's own undo brings back the text, but not mixed line endings.
    const undoId = (await this.journal.review.isTextExact(file)) ? undefined : await this.restores.beginUndo([file]);
    let isUndone = false;
    try {
      await this.journal.review.undoHunk(file, hunk, seen);
      isUndone = true;
    } finally {
      if (undoId !== undefined) await this.restores.endUndo(undoId, isUndone ? [file] : []);
    }
  }

  refresh(paths?: ReadonlySet<string>): Promise<void> {
    return this.journal.refresh(paths);
  }
}
