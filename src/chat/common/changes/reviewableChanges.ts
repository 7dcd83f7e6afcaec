import type { Event } from '../../../base/common/event';
import type { Hunk } from '../../../changes/common/review/hunks';
import type { SeenTexts } from '../../../changes/common/review/reviewSource';
import type { FileChange } from '../../../transcript/common/entries';
import type { SessionFile } from '../chatStore';
import type { ChangeJournal } from './changeJournal';

/** Changes of a conversation that were neither kept nor undone. To change them, this window becomes the one that writes it. */
export class ReviewableChanges {
  constructor(
    private readonly file: Pick<SessionFile, 'claim'>,
    private readonly journal: ChangeJournal,
    /** The list may be another one. */
    readonly onDidChange: Event<void>,
  ) {}

  get list(): readonly FileChange[] {
    return this.journal.changes;
  }

  /** As `ReviewSource.baseline`. */
  baseline(path: string): Promise<string | null | undefined> {
    return this.journal.baseline(path);
  }

  /** @throws ChatError `changedSince` when the file is not what was seen, `notFound`, `readonly` */
  async keepHunk(path: string, hunk: Hunk, seen: SeenTexts): Promise<void> {
    await this.file.claim();
    await this.journal.keepHunk(path, hunk, seen);
  }

  /** @throws ChatError as `keepHunk`, EditorError */
  async undoHunk(path: string, hunk: Hunk, seen: SeenTexts): Promise<void> {
    await this.file.claim();
    await this.journal.undoHunk(path, hunk, seen);
  }

  /** Compares the changed files with the disk and the editors again. Never rejects. */
  refresh(): Promise<void> {
    return this.journal.refresh();
  }
}
