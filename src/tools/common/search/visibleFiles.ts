import { isEditorError, type EditorPort } from '../../../editor/common/editorPort';

/** How many paths are looked at on the disk at once. */
const atOnce = 16;
/** Nearest first: what is farther away is not looked at. */
const maxFiles = 2_000;

interface VisibleFiles {
  /** In the order they were given. */
  readonly paths: readonly string[];
  readonly outside: number;
  /** Paths that were not looked at. */
  readonly unknown: number;
}

/**
 * Which of these files agents may see, in their order. One on the exclude list leaves no trace: it is not counted either.
 */
export async function visibleFiles(
  paths: readonly string[],
  editor: Pick<EditorPort, 'resolve'>,
  signal: AbortSignal,
): Promise<VisibleFiles> {
  const wanted = paths.slice(0, maxFiles);
  const verdicts: Verdict[] = [];
  const queue = wanted.entries();
  const work = async (): Promise<void> => {
    for (const [index, path] of queue) {
      signal.throwIfAborted();
      verdicts[index] = await verdictOn(path, editor);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, wanted.length) }, work));
  return {
    paths: wanted.filter((_, index) => verdicts[index] === 'visible'),
    outside: verdicts.filter((verdict) => verdict === 'outside').length,
    unknown: paths.length - wanted.length,
  };
}

type Verdict = 'visible' | 'outside' | 'hidden';

async function verdictOn(path: string, editor: Pick<EditorPort, 'resolve'>): Promise<Verdict> {
  try {
    await editor.resolve(path);
    return 'visible';
  } catch (error) {
    return isEditorError(error) && error.code === 'outsideWorkspace' ? 'outside' : 'hidden';
  }
}
