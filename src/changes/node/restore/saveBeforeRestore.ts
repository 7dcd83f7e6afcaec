import type { CheckpointScanLimits } from '../../common/checkpoint';
import type { RestoreStep, SkippedStep } from '../../common/restorePlan';
import type { PreparedRepository } from '../checkpointRepositoryProvider';
import type { ScopedFolderTree } from '../scan/folderScan';

interface SavedSteps {
  /** The tree of the folder, with the present contents of all files of the steps. */
  readonly tree: string;
  /** The steps whose present contents are saved. */
  readonly steps: readonly RestoreStep[];
  readonly skipped: readonly SkippedStep[];
}

/**
 * Makes sure that the present contents of all files that a restore deletes or replaces are in Backline's own repository
 * and in the tree of the undo checkpoint. A scan leaves out ignored files, and contents that the user's repository has,
 * which can be removed there.
 */
export async function saveBeforeRestore(
  { reader, scan }: PreparedRepository,
  tree: string,
  wanted: readonly RestoreStep[],
  { maxFileBytes }: Pick<CheckpointScanLimits, 'maxFileBytes'>,
  signal: AbortSignal,
): Promise<SavedSteps> {
  const unsaved = await findUnsaved(reader, tree, wanted, signal);
  const names = unsaved.flatMap(({ before, path }) => ((before?.bytes ?? 0) <= maxFileBytes ? [path] : []));
  const saved = names.length === 0 ? tree : await scan.addFiles(names, signal);
  const left = new Set(names.length === 0 ? unsaved : await findUnsaved(reader, saved, unsaved, signal));
  return {
    tree: saved,
    steps: wanted.filter((step) => !left.has(step)),
    skipped: [...left].map(({ before, path }) =>
      (before?.bytes ?? 0) > maxFileBytes ? { path, reason: 'tooLargeToSave' } : { path, reason: 'changedMeanwhile' },
    ),
  };
}

/** Adds the files of the steps to a scanned folder. They may be ignored, also later. */
export function withFiles(capture: ScopedFolderTree, tree: string, steps: readonly RestoreStep[]): ScopedFolderTree {
  const saved = new Set(steps.map(({ path }) => path));
  const leftOut = capture.leftOut.filter(({ path }) => !saved.has(path));
  return { ...capture, tree, leftOut, scope: { ...capture.scope, leftOut, saved: [...saved] } };
}

/** Returns the steps whose file is not in the tree as it is now, or whose content is not in Backline's repository. */
async function findUnsaved(
  reader: PreparedRepository['reader'],
  tree: string,
  steps: readonly RestoreStep[],
  signal: AbortSignal,
): Promise<RestoreStep[]> {
  const replaced = steps.flatMap((step) => (step.before ? [{ step, object: step.before.object }] : []));
  if (replaced.length === 0) return [];
  const [objectByPath, stored] = await Promise.all([
    reader.listObjects(tree, signal),
    reader.findStored([...new Set(replaced.map(({ object }) => object))], signal),
  ]);
  const isSaved = ({ object, step }: (typeof replaced)[number]): boolean =>
    objectByPath.get(step.path) === object && stored.has(object);
  return replaced.filter((one) => !isSaved(one)).map(({ step }) => step);
}
