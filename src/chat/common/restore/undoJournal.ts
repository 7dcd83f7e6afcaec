import type { Clock } from '../../../base/common/async';
import { isInside } from '../../../editor/common/boundary';
import type { EditorPort } from '../../../editor/common/editorPort';
import type { FolderCheckpoint, WorkspaceCheckpoints } from '../../../changes/common/workspaceCheckpoints';
import type { ChatFileAccess } from '../chatFileAccess';
import type { FileTexts } from '../changes/fileTexts';
import type { NewRecord, RemainingChange } from '../conversation/logRecord';
import type { ComparedTexts } from './restorePorts';
import type { Restore } from './restoreHistory';

interface UndoJournalDeps {
  /** Id of the conversation. */
  readonly conversation: string;
  readonly checkpoints: WorkspaceCheckpoints | undefined;
  readonly clock: Pick<Clock, 'now'>;
  readonly deleteFile: ChatFileAccess['deleteFile'];
  readonly editor: Pick<EditorPort, 'writeText'>;
  readonly fileTexts: FileTexts;
  readonly record: (record: NewRecord) => void;
  readonly remainingChanges: () => readonly RemainingChange[];
}

type StoredText = NonNullable<Restore['texts']>[number];

/**
 * Saves files before the user's undo of changes overwrites or deletes them, so that the undo can be undone, also after a
 * crash in the middle of it.
 */
export class UndoJournal {
  /** Files that a running undo has saved, by its id. */
  private readonly coveredByUndo = new Map<string, ReadonlySet<string>>();
  private undoCount = 0;

  constructor(private readonly deps: UndoJournalDeps) {}

  /** Call before the changes of a turn, or of the conversation, are undone in these files. Returns the id of the undo. */
  async begin(paths: readonly string[], turn: number | undefined): Promise<string> {
    const { clock, conversation, record, remainingChanges } = this.deps;
    const id = `undo-${clock.now()}-${++this.undoCount}`;
    const folders = await this.takeCheckpoints(paths, `undo in ${conversation}`);
    const texts: StoredText[] = [];
    const covered = new Set<string>();
    for (const path of paths) {
      const now = await this.deps.fileTexts.readWithUnsavedText(path);
      const text = await this.deps.fileTexts.storeText(now);
      if (text !== undefined) texts.push({ path, text, ...(now.isDirty && { isUnsaved: true }) });
      if (text !== undefined || (await this.isInCheckpoint(path, folders))) covered.add(path);
    }
    this.coveredByUndo.set(id, covered);
    const wanted = new Set(paths);
    record({
      type: 'restored',
      id,
      turn: turn ?? 1,
      target: [],
      undo: folders.map((one) => ({ ...one })),
      paths: [...covered],
      skipped: [],
      undid: turn === undefined ? 'conversation' : 'turn',
      texts,
      previous: remainingChanges().filter(({ path }) => wanted.has(path)),
    });
    return id;
  }

  /** Whether a running undo has saved the file. */
  covers(id: string, path: string): boolean {
    return this.coveredByUndo.get(id)?.has(path) === true;
  }

  /** Call after the changes were undone in `done`. Returns the files of which this can be undone. Never rejects. */
  async end(id: string, done: readonly string[]): Promise<readonly string[]> {
    const { record } = this.deps;
    const covered = this.coveredByUndo.get(id) ?? new Set();
    this.coveredByUndo.delete(id);
    const paths = done.filter((path) => covered.has(path));
    if (paths.length === 0) record({ type: 'restoreUndone', id });
    else {
      const target = await this.takeCheckpoints(paths);
      const texts: StoredText[] = [];
      for (const path of paths) {
        const { id: text } = await this.deps.fileTexts.readWithUnsavedText(path);
        if (text !== undefined) texts.push({ path, text });
      }
      record({ type: 'undoDone', id, target: target.map((one) => ({ ...one })), paths, texts });
    }
    return paths;
  }

  /** Compares the files of which the restore has texts. Never rejects. */
  async compareTexts({ left = [], texts = [] }: Restore): Promise<ComparedTexts> {
    const leftByPath = new Map(left.map(({ path, text }) => [path, text]));
    const differing: string[] = [];
    const changedSince: string[] = [];
    for (const { path, text } of texts) {
      const now = (await this.deps.fileTexts.readWithUnsavedText(path)).id;
      if (now !== text) differing.push(path);
      if (now !== text && now !== leftByPath.get(path)) changedSince.push(path);
    }
    return { differing, changedSince };
  }

  /** Writes the stored texts of these files. The user has seen that they are protected. @throws EditorError */
  async restoreTexts({ texts = [] }: Restore, paths: ReadonlySet<string>): Promise<void> {
    const { deleteFile, editor, fileTexts } = this.deps;
    for (const { path, text: id } of texts) {
      if (!paths.has(path)) continue;
      const [now, text] = [await fileTexts.readWithUnsavedText(path), await fileTexts.textOf(id)];
      // The present text stays, too.
      await fileTexts.storeText(now);
      if (typeof text === 'string') await editor.writeText(path, text, { save: !now.isDirty, protectedFiles: 'allow' });
      else if (text === null && now.text !== null) await deleteFile(path, { protectedFiles: 'allow' });
    }
  }

  /** Returns the checkpoints of the folders that contain the files. Empty if none can be taken. */
  private async takeCheckpoints(paths: readonly string[], series?: string): Promise<readonly FolderCheckpoint[]> {
    const taken = await this.deps.checkpoints?.take('Undo of changes', new AbortController().signal, { series });
    return (taken?.folders ?? []).filter(({ folder }) => paths.some((path) => isInside(path, folder, false)));
  }

  private async isInCheckpoint(path: string, folders: readonly FolderCheckpoint[]): Promise<boolean> {
    const checkpoint = folders.findLast(({ folder }) => isInside(path, folder, false));
    const { checkpoints } = this.deps;
    if (!checkpoint || !checkpoints) return false;
    const stored = await checkpoints.stateAt({ path, checkpoint }).catch(() => undefined);
    return stored !== undefined;
  }
}
