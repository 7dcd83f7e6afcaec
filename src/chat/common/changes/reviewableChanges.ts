import type { Event } from '../../../base/common/event';
import type { Hunk } from '../../../changes/common/review/hunks';
import type { TextsShownToUser } from '../../../changes/common/review/reviewSource';
import type { FileChange } from '../../../transcript/common/entries';
import type {
  StatesBeforeAndAfter,
  ChatFileChanges,
  RevertOptions,
  SeparableCounts,
  TurnRange,
  FileChangedByTurns,
  TextsAroundTurns,
} from '../chatPorts';
import type { ConversationFiles } from '../chatStore';
import type { ChangeJournal } from './changeJournal';

/**
 * Implements `ChatFileChanges`. Before the user keeps or undoes changes, this window becomes the writer of the
 * conversation.
 */
export class ReviewableChanges implements ChatFileChanges {
  constructor(
    private readonly file: Pick<ConversationFiles, 'claim'>,
    private readonly journal: ChangeJournal,
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

  statesOf(path: string, turn?: number): StatesBeforeAndAfter | undefined {
    return this.journal.states.statesOf(path, turn);
  }

  countSeparable(path: string): Promise<SeparableCounts> {
    return this.journal.review.countSeparable(path);
  }

  async undoSeparable(path: string, options: Pick<RevertOptions, 'protectedFiles'>): Promise<SeparableCounts> {
    await this.file.claim();
    return await this.journal.review.undoSeparable(path, options);
  }

  baseline(path: string): Promise<string | null | undefined> {
    return this.journal.review.baseline(path);
  }

  async keepHunk(path: string, hunk: Hunk, seen: TextsShownToUser): Promise<void> {
    await this.file.claim();
    await this.journal.review.keepHunk(path, hunk, seen);
  }

  async undoHunk(path: string, hunk: Hunk, seen: TextsShownToUser): Promise<void> {
    await this.file.claim();
    await this.journal.review.undoHunk(path, hunk, seen);
  }

  refresh(paths?: ReadonlySet<string>): Promise<void> {
    return this.journal.refresh(paths);
  }
}
