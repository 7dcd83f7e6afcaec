import type {
  CheckpointedFile,
  FolderCheckpoint,
  WorkspaceCheckpoints,
} from '../../../changes/common/workspaceCheckpoints';
import type { FileText, FileTexts } from '../changes/fileTexts';
import { checkpointFor } from './checkpointFor';
import { isEditedByOthers, type FileMoment, type FileTrail } from './fileTrails';

interface LaterEditsDeps {
  readonly checkpoints: Pick<WorkspaceCheckpoints, 'currentStates' | 'stateAt'> | undefined;
  readonly fileTexts: Pick<FileTexts, 'idOf' | 'readWithUnsavedText'>;
}

/**
 * Returns those of the files that others have changed since the prompt of the trails. `textBefore` returns the text of a file at
 * the prompt, or undefined if it is unknown; `folders` are the checkpoints of the prompt. Never rejects.
 */
export async function findLaterEdits(
  { checkpoints, fileTexts }: LaterEditsDeps,
  trails: ReadonlyMap<string, FileTrail>,
  textBefore: (path: string) => Promise<FileText>,
  folders: readonly FolderCheckpoint[],
): Promise<ReadonlySet<string>> {
  const edited = new Set<string>();
  const files: CheckpointedFile[] = [...trails].flatMap(([path, { lastCheckpoint, lastState }]) => {
    const checkpoint = lastState?.checkpoint ?? lastCheckpoint ?? checkpointFor(path, folders);
    return checkpoint ? [{ path, checkpoint }] : [];
  });
  const states = files.length === 0 ? undefined : await checkpoints?.currentStates(files).catch(() => undefined);
  for (const [path, trail] of trails) {
    const text = fileTexts.idOf(await textBefore(path).catch(() => undefined));
    const { id, isDirty } = await fileTexts.readWithUnsavedText(path);
    const now: FileMoment = {
      text: id,
      isDirty,
      state: states?.has(path) === true ? { value: states.get(path) } : undefined,
    };
    const stateAt = async (checkpoint: FolderCheckpoint | undefined): Promise<FileMoment['state']> =>
      checkpoint && (await checkpoints?.stateAt({ path, checkpoint }).then(toValue, () => undefined));
    const before = { text, state: await stateAt(trail.firstState && checkpointFor(path, folders)) };
    if (isEditedByOthers(trail, now, before, await stateAt(trail.lastCheckpoint))) edited.add(path);
  }
  return edited;
}

function toValue<Value>(value: Value): { readonly value: Value } {
  return { value };
}
