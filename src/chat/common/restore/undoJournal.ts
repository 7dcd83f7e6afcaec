import type { Clock } from '../../../base/common/async';
import type { EditorPort, TextFile } from '../../../editor/common/editorPort';
import type {
  CurrentFileState,
  FolderCheckpoint,
  WorkspaceCheckpoints,
} from '../../../changes/common/workspaceCheckpoints';
import type { ChatFileAccess } from '../chatFileAccess';
import { isSameState } from '../../../changes/common/restorePlan';
import type { FileTextId, FileTexts } from '../changes/fileTexts';
import type { NewRecord, RemainingChange } from '../conversation/logRecord';
import { changedMeanwhileError } from '../chatPorts';
import { checkpointFor } from './checkpointFor';
import type { UndoWrites } from '../writes/undoWrites';
import type { ComparedTexts } from './restorePorts';
import type { Restore } from './restoreHistory';

interface UndoJournalDeps {
  /** Id of the conversation. */
  readonly conversation: string;
  readonly checkpoints: WorkspaceCheckpoints | undefined;
  readonly clock: Pick<Clock, 'now'>;
  readonly deleteFile: ChatFileAccess['deleteFile'];
  readonly editor: Pick<EditorPort, 'save' | 'stat' | 'writeText'>;
  readonly fileTexts: FileTexts;
  readonly undoWrites: Pick<UndoWrites, 'ofText'>;
  readonly record: (record: NewRecord) => void;
  readonly remainingChanges: () => readonly RemainingChange[];
}

const maxAttempts = 3;

type StoredText = NonNullable<Restore['texts']>[number];

/** A file of a running undo. */
export interface SavedFile {
  /** Whether the file can be brought back. */
  readonly isSaved: boolean;
  /** Undefined if the file has none. A checkpoint has its bytes then. */
  readonly text: FileTextId;
  /** Whether a checkpoint has all bytes of the file, which its text need not have. Never rejects. */
  hasBytes(): Promise<boolean>;
}

/** The files that a running undo has saved. */
interface SavedFiles {
  readonly paths: ReadonlySet<string>;
  readonly folders: readonly FolderCheckpoint[];
  readonly texts: ReadonlyMap<string, StoredText>;
  readonly states: ReadonlyMap<string, CurrentFileState>;
}

/**
 * Saves files before the user's undo of changes overwrites or deletes them, so that the undo can be undone, also after a
 * crash in the middle of it.
 */
export class UndoJournal {
  private readonly savedByUndo = new Map<string, SavedFiles>();
  private undoCount = 0;

  constructor(private readonly deps: UndoJournalDeps) {}

  /** Call before the changes of a turn or of the conversation, or a restore, are undone in these files. Returns the id of the undo. */
  async begin(paths: readonly string[], turn: number | undefined, undoneRestore?: string): Promise<string> {
    const { clock, record, remainingChanges } = this.deps;
    const id = `undo-${clock.now()}-${++this.undoCount}`;
    const saved = await this.save(paths);
    const { folders, texts } = saved;
    this.savedByUndo.set(id, saved);
    const wanted = new Set(paths);
    record({
      type: 'restored',
      id,
      turn: turn ?? 1,
      target: [],
      undo: folders.map((one) => ({ ...one })),
      paths: [...saved.paths],
      skipped: [],
      undid: turn === undefined || undoneRestore !== undefined ? 'conversation' : 'turn',
      ...(undoneRestore !== undefined && { undoneRestore }),
      texts: [...texts.values()],
      previous: remainingChanges().filter(({ path }) => wanted.has(path)),
    });
    return id;
  }

  /** Whether a running undo has saved the file. */
  covers(id: string, path: string): boolean {
    return this.savedByUndo.get(id)?.paths.has(path) === true;
  }

  /**
   * Returns what a running undo has saved of the file. Undefined if the file is not part of an undo.
   * @throws ChatError `changedMeanwhile` if the file is not as it was saved
   */
  async requireAsSaved(id: string | undefined, path: string): Promise<SavedFile | undefined> {
    if (id === undefined) return undefined;
    const isSaved = this.covers(id, path);
    // A file that could not be saved may have a text by now, and can be saved then.
    const isCurrent = isSaved
      ? await this.isAsSaved(id, path)
      : (await this.deps.fileTexts.readWithUnsavedText(path)).id === undefined;
    if (!isCurrent) throw changedMeanwhileError();
    const { folders = [], texts } = this.savedByUndo.get(id) ?? {};
    return {
      isSaved,
      text: texts?.get(path)?.text,
      hasBytes: async () => isSaved && (await this.isInCheckpoint(path, folders)),
    };
  }

  /** Whether the file is exactly as a running undo has saved it. Never rejects. */
  async isAsSaved(id: string, path: string): Promise<boolean> {
    const saved = this.savedByUndo.get(id);
    if (saved?.paths.has(path) !== true) return false;
    const now = (await this.deps.fileTexts.readWithUnsavedText(path)).id;
    if (saved.texts.has(path) && saved.texts.get(path)?.text !== now) return false;
    if (await this.hasUnsavedWork(path)) return false;
    if (!saved.states.has(path)) return true;
    const state = (await this.currentStates([path], saved.folders)).get(path);
    const before = saved.states.get(path);
    return before === 'other' || state === 'other' ? before === state : isSameState(before, state);
  }

  /** Call after the changes were undone in `done`. Returns the files of which this can be undone. Never rejects. */
  async end(id: string, done: readonly string[]): Promise<readonly string[]> {
    const { record } = this.deps;
    const covered = this.savedByUndo.get(id)?.paths ?? new Set();
    this.savedByUndo.delete(id);
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
    const { deleteFile, editor, fileTexts, undoWrites } = this.deps;
    for (const { path, text: id } of texts) {
      if (!paths.has(path)) continue;
      const [now, text] = [await fileTexts.readWithUnsavedText(path), await fileTexts.textOf(id)];
      // The present text stays, too.
      await fileTexts.storeText(now);
      if (typeof text === 'string') {
        const write = (): Promise<TextFile> =>
          editor.writeText(path, text, { save: !now.isDirty, protectedFiles: 'allow' });
        await undoWrites.ofText(path, text, write, (file) => file.text);
      } else if (text === null && now.text !== null) {
        await undoWrites.ofText(path, null, () => deleteFile(path, { protectedFiles: 'allow' }));
      }
    }
  }

  /** Saves the files. Again, if others change some of them meanwhile, because the checkpoint and the texts must agree. */
  private async save(paths: readonly string[]): Promise<SavedFiles> {
    for (let attempt = 1; ; attempt++) {
      await this.saveNotebooks(paths);
      const folders = await this.takeCheckpoints(paths, `undo in ${this.deps.conversation}`);
      const states = await this.currentStates(paths, folders);
      const texts = new Map<string, StoredText>();
      const covered = new Set<string>();
      for (const path of paths) {
        const now = await this.deps.fileTexts.readWithUnsavedText(path);
        const text = await this.deps.fileTexts.storeText(now);
        if (text !== undefined) texts.set(path, { path, text, ...(now.isDirty && { isUnsaved: true }) });
        if (text !== undefined || (await this.isInCheckpoint(path, folders))) covered.add(path);
      }
      const changes = await this.deps.checkpoints?.changesSince(folders);
      if (attempt === maxAttempts || changes?.files.some(({ path }) => covered.has(path)) !== true) {
        return { paths: covered, folders, texts, states };
      }
    }
  }

  /**
   * Saves notebooks with unsaved changes, which no text shows, and which VS Code discards when the file is deleted. Files that
   * can’t be saved are not deleted. Never rejects.
   */
  private async saveNotebooks(paths: readonly string[]): Promise<void> {
    for (const path of paths) {
      if (await this.hasUnsavedWork(path)) await this.deps.editor.save(path).catch(() => undefined);
    }
  }

  private async hasUnsavedWork(path: string): Promise<boolean> {
    const stat = await this.deps.editor.stat(path).catch(() => undefined);
    return stat?.isDirty === true && !(await this.deps.fileTexts.readWithUnsavedText(path)).isDirty;
  }

  /** Returns the states of the files on disk, as far as there is a checkpoint. Never rejects. */
  private async currentStates(
    paths: readonly string[],
    folders: readonly FolderCheckpoint[],
  ): Promise<ReadonlyMap<string, CurrentFileState>> {
    const files = paths.flatMap((path) => {
      const checkpoint = checkpointFor(path, folders);
      return checkpoint ? [{ path, checkpoint }] : [];
    });
    const none: ReadonlyMap<string, CurrentFileState> = new Map();
    if (files.length === 0) return none;
    return (await this.deps.checkpoints?.currentStates(files).catch(() => none)) ?? none;
  }

  /** Returns the checkpoints of the folders that contain the files. Empty if none can be taken. */
  private async takeCheckpoints(paths: readonly string[], series?: string): Promise<readonly FolderCheckpoint[]> {
    const options = { files: paths, series };
    const taken = await this.deps.checkpoints?.take('Undo of changes', new AbortController().signal, options);
    const folders = taken?.folders ?? [];
    const used = new Set(paths.map((path) => checkpointFor(path, folders)));
    return folders.filter((one) => used.has(one));
  }

  private async isInCheckpoint(path: string, folders: readonly FolderCheckpoint[]): Promise<boolean> {
    const checkpoint = checkpointFor(path, folders);
    const { checkpoints } = this.deps;
    if (!checkpoint || !checkpoints) return false;
    const stored = await checkpoints.stateAt({ path, checkpoint }).catch(() => undefined);
    return stored !== undefined;
  }
}
