import type { TextFile } from '../../../editor/common/editorPort';
import type { ChatFileAccess } from '../chatFileAccess';
import { changedMeanwhileError, ChatError, type RevertOptions } from '../chatPorts';
import type { ChangeAuthors } from '../changes/changeAuthors';
import type { ChangeLedger } from '../changes/changeLedger';
import type { FileReview } from '../changes/fileReview';
import { unlessChanged, type FileTextId, type FileTexts, type TextIdsBeforeAndAfter } from '../changes/fileTexts';
import type { FileStateRestore, NonTextChanges } from '../changes/nonTextChanges';
import type { ToolCallWrites } from '../changes/toolCallWrites';
import type { TurnCheckpoint } from '../changes/turnCheckpoint';
import type { NewRecord } from '../conversation/logRecord';
import type { UndoWrites } from '../writes/undoWrites';
import { requireUnprotected } from './requireUnprotected';
import type { SavedFile } from './undoJournal';

interface ChangeReverterDeps {
  readonly authors: Pick<ChangeAuthors, 'isByCommand' | 'forget'>;
  readonly files: Pick<ChatFileAccess, 'editor' | 'deleteFile'>;
  readonly fileTexts: FileTexts;
  readonly ledger: ChangeLedger;
  readonly states: NonTextChanges;
  readonly review: Pick<FileReview, 'storeBaselineWithout'>;
  readonly turnCheckpoint: Pick<TurnCheckpoint, 'rebase'>;
  readonly toolCallWrites: Pick<ToolCallWrites, 'rebaseWatchedFile'>;
  readonly undoWrites: Pick<UndoWrites, 'ofText'>;
  readonly record: (record: NewRecord) => void;
}

interface RevertRequest extends Required<Omit<RevertOptions, 'undoId'>> {
  /** Undefined if the revert is not part of an undo that saves files. */
  readonly saved: SavedFile | undefined;
}

const notSaved =
  'Backline can’t back the file up as it is now, because it is excluded or too large, so it was not changed. Make a copy of it, delete it, and try again.';

/** Reverts the changes of a conversation, or of one turn, in a file. */
export class ChangeReverter {
  constructor(private readonly deps: ChangeReverterDeps) {}

  /** Reverts the change of a file. Run it in the queue of the file. @throws ChatError, EditorError, CheckpointError */
  async revert(path: string, options: RevertRequest): Promise<FileStateRestore | undefined> {
    const { force, protectedFiles, turn } = options;
    if (this.deps.states.isWithoutTexts(path, turn)) {
      if (protectedFiles === 'refuse') await requireUnprotected(this.deps.files.editor, path);
      const restore = await this.deps.states.restore(path, turn, force);
      await this.deps.turnCheckpoint.rebase(path);
      // An earlier turn may have changed the text of the file.
      if (
        turn !== undefined ||
        typeof (await this.deps.fileTexts.textOf(this.deps.ledger.getFile(path)?.before)) !== 'string'
      ) {
        return restore;
      }
      // It was as it was saved until the restore.
      if (restore) return await this.revertText(path, { ...options, saved: undefined });
    }
    return await this.revertText(path, options);
  }

  private async revertText(
    path: string,
    { force, turn, protectedFiles, saved }: RevertRequest,
  ): Promise<FileStateRestore | undefined> {
    const { files } = this.deps;
    const file = turn === undefined ? this.deps.ledger.getFile(path) : this.deps.ledger.getTurnFile(turn, path);
    const scope = turn === undefined ? 'conversation' : 'turn';
    const isOnlyState = !file && this.hasChanges(path, turn);
    if (!file && !isOnlyState) throw new ChatError('notFound', `This ${scope} has no known changes to the file.`);
    if (file && (await this.deps.fileTexts.textOf(file.before)) === undefined) {
      throw new ChatError(
        'notFound',
        'The file’s previous contents are unknown. Use the Timeline view or Git history.',
      );
    }
    const now = await this.deps.fileTexts.readWithUnsavedText(path);
    if (saved && now.id !== saved.text) throw changedMeanwhileError();
    if (saved?.isSaved === false) throw new ChatError('storage', notSaved);
    const isAsLeft = !now.isDirty && (await this.deps.states.isUnchangedSinceAgent(path, turn));
    const rebased = file ? await this.deps.ledger.textWithoutChange(file, now) : now.text;
    if (rebased === undefined && !force) {
      const message = `The file was changed after this ${scope}. Undoing would lose those changes, too.`;
      throw new ChatError('changedSince', message);
    }
    const text = rebased === undefined ? await this.deps.fileTexts.textOf(file?.before) : rebased;
    const remaining = turn === undefined ? undefined : await this.deps.review.storeBaselineWithout(turn, path, now);
    if (isOnlyState && protectedFiles === 'refuse') await requireUnprotected(this.deps.files.editor, path);
    const { undoWrites } = this.deps;
    if (typeof text === 'string' && file) {
      const options = { ...unlessChanged(now), save: !now.isDirty, protectedFiles };
      const write = (): Promise<TextFile> => files.editor.writeText(path, text, options);
      await undoWrites.ofText(path, text, write, (written) => written.text);
    } else if (now.text !== null && text === null) {
      const deleteFile = () => undoWrites.ofText(path, null, () => files.deleteFile(path, { protectedFiles }));
      // Only a checkpoint can bring back later edits, and a file that others may have made.
      const isUncertain = rebased !== null || this.deps.authors.isByCommand(path);
      if (isUncertain && (await saved?.hasBytes()) !== true) {
        if (now.isDirty) await files.editor.save(path);
        const first = turn ?? this.deps.ledger.firstTurnOf(path);
        const restore = await this.deps.states.deleteAfterCheckpoint(path, first, deleteFile);
        await this.deps.turnCheckpoint.rebase(path);
        return restore;
      }
      await deleteFile();
    }
    const restore =
      typeof text === 'string' ? await this.deps.states.restoreNonTextParts(path, turn, text, isAsLeft) : undefined;
    if (isOnlyState && restore) {
      await this.deps.turnCheckpoint.rebase(path);
      return restore;
    }
    const after = await this.deps.fileTexts.storeText(await this.deps.fileTexts.readWithUnsavedText(path));
    if (turn === undefined) this.recordDecision(path, 'reverted', { found: now.id, left: after });
    else this.recordTurnReverted(turn, path, now.id, file && { before: remaining, after });
    this.deps.toolCallWrites.rebaseWatchedFile(path, after);
    await this.deps.turnCheckpoint.rebase(path);
    return undefined;
  }

  recordDecision(
    path: string,
    decision: 'reverted' | 'kept',
    texts?: { readonly found: FileTextId; readonly left: FileTextId },
  ): void {
    this.deps.ledger.recordDecision(path, decision, this.deps.states.forget(path), texts);
    this.deps.authors.forget(path);
  }

  private recordTurnReverted(turn: number, path: string, found: FileTextId, texts?: TextIdsBeforeAndAfter): void {
    this.deps.states.removeTurn(turn, path);
    if (texts) this.deps.ledger.recordTurnReverted(turn, path, found, texts);
    else this.deps.record({ type: 'turnReverted', turn, path });
  }

  /** Whether the conversation, or the turn, has changed the file and that was not decided. */
  hasChanges(path: string, turn?: number): boolean {
    return (
      (turn === undefined ? this.deps.ledger.getFile(path) : this.deps.ledger.getTurnFile(turn, path)) !== undefined ||
      this.deps.states.hasChanges(path, turn)
    );
  }
}
