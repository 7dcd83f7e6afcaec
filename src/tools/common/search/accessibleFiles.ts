import { isEditorError, type EditorPort } from '../../../editor/common/editorPort';

const maxConcurrentChecks = 16;
/** Limit of checked paths; those farther away are skipped. */
const maxFiles = 2_000;

interface VisibleFiles {
  /** The visible files, in the given order. */
  readonly paths: readonly string[];
  /** The files outside the workspace. */
  readonly outside: readonly string[];
  readonly uncheckedCount: number;
}

/** Filters the files that agents may see. Files on the exclude list are not even counted. */
export async function filterAccessibleFiles(
  paths: readonly string[],
  editor: Pick<EditorPort, 'resolve'>,
  signal: AbortSignal,
): Promise<VisibleFiles> {
  const checked = paths.slice(0, maxFiles);
  const verdicts: FileVisibility[] = [];
  const queue = checked.entries();
  const work = async (): Promise<void> => {
    for (const [index, path] of queue) {
      signal.throwIfAborted();
      verdicts[index] = await visibilityOf(path, editor);
    }
  };
  await Promise.all(Array.from({ length: Math.min(maxConcurrentChecks, checked.length) }, work));
  return {
    paths: checked.filter((_, index) => verdicts[index] === 'visible'),
    outside: checked.filter((_, index) => verdicts[index] === 'outside'),
    uncheckedCount: paths.length - checked.length,
  };
}

type FileVisibility = 'visible' | 'outside' | 'hidden';

async function visibilityOf(path: string, editor: Pick<EditorPort, 'resolve'>): Promise<FileVisibility> {
  try {
    await editor.resolve(path);
    return 'visible';
  } catch (error) {
    return isEditorError(error) && error.code === 'outsideWorkspace' ? 'outside' : 'hidden';
  }
}
