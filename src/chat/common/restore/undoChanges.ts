import { messageOf } from '../../../base/common/errors';
import { ChatError, type Chat, type RevertOptions } from '../chatPorts';
import type { SkippedFile } from '../../../changes/common/workspaceCheckpoints';

/** The result of undoing changes in a file. `restoreId`: the restore that reverts it, if it has one of its own. */
export interface Undone {
  readonly restoreId?: string | undefined;
}

/** A file in which changes were undone, and the restore with which that can be undone. */
export interface RestoredFile {
  readonly path: string;
  readonly restoreId: string;
}

interface UndoneFiles {
  readonly restored: readonly RestoredFile[];
  /** Files in which undoing has failed. */
  readonly failures: readonly SkippedFile[];
}

/**
 * Undoes changes in several files. Each file is saved before, so that it can be brought back. Continues after a failure. `undo`
 * resolves to undefined if it has changed nothing.
 * @throws ChatError if nothing could be saved; nothing was undone then
 */
export async function undoInFiles(
  chat: Pick<Chat, 'restores'>,
  paths: readonly string[],
  turn: number | undefined,
  undo: (path: string, undoId: string) => Promise<Undone | undefined>,
): Promise<UndoneFiles> {
  const { restores } = chat;
  const ofAll = await restores.beginUndo(paths, turn);
  const done: RestoredFile[] = [];
  const failures: SkippedFile[] = [];
  const restored: RestoredFile[] = [];
  for (const path of paths) {
    let undoId = ofAll;
    try {
      const undone = await undo(path, undoId).catch(async (error: unknown) => {
        if (!(error instanceof ChatError) || error.code !== 'changedMeanwhile') throw error;
        // Others have written the file while the files before it were undone, or while the user was asked.
        undoId = await restores.beginUndo([path], turn);
        return await undo(path, undoId);
      });
      if (undone) done.push({ path, restoreId: undoId });
      if (undone?.restoreId !== undefined) restored.push({ path, restoreId: undone.restoreId });
    } catch (error) {
      failures.push({ path, reason: messageOf(error) });
      // A part may be undone.
      if (!(await restores.isAsSaved(undoId, path))) done.push({ path, restoreId: undoId });
    }
    if (undoId !== ofAll) restored.unshift(...(await end(restores, undoId, done)));
  }
  restored.unshift(...(await end(restores, ofAll, done)));
  return { restored, failures };
}

async function end(
  restores: Chat['restores'],
  restoreId: string,
  done: readonly RestoredFile[],
): Promise<RestoredFile[]> {
  const own = done.filter((file) => file.restoreId === restoreId);
  const covered = await restores.endUndo(
    restoreId,
    own.map(({ path }) => path),
  );
  return covered.map((path) => ({ path, restoreId }));
}

/**
 * Undoes the changes of the conversation in a file, except those whose lines somebody has edited since. `isPartial`: such
 * changes are left. @throws ChatError, EditorError, CheckpointError
 */
export async function undoUnlessEdited(
  chat: Pick<Chat, 'revert' | 'fileChanges'>,
  path: string,
  options: Pick<RevertOptions, 'protectedFiles' | 'undoId'>,
): Promise<{ readonly undone: Undone | undefined; readonly isPartial: boolean }> {
  try {
    return { undone: { restoreId: await chat.revert(path, options) }, isPartial: false };
  } catch (error) {
    if (!isConflict(error)) throw error;
    const { separable } = await chat.fileChanges.undoUneditedChanges(path, options);
    return { undone: separable > 0 ? {} : undefined, isPartial: true };
  }
}

/** Whether changes can't be undone without losing later edits. */
export function isConflict(error: unknown): boolean {
  return error instanceof ChatError && error.code === 'changedSince';
}
