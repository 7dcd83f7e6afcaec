import type { Logger } from '../../../base/common/log';
import { isInside } from '../../../editor/common/boundary';
import type { EditorPort } from '../../../editor/common/editorPort';
import type { Chats } from '../chatPorts';

/** A file with instructions that an agent reads by itself. */
export interface InstructionFile {
  /** Absolute path. */
  readonly path: string;
  /** Path in its workspace folder, with `/`. */
  readonly name: string;
}

const maxFilesOfGlob = 20;

/** Returns the files of the workspace that a backend is known to read by itself, without excluded ones. Never rejects. */
export async function listInstructionFiles(
  backendId: string,
  chats: Pick<Chats, 'backends'>,
  editor: Pick<EditorPort, 'folders' | 'glob'>,
  log: Pick<Logger, 'error'>,
): Promise<InstructionFile[]> {
  try {
    const view = (await chats.backends()).find(({ id }) => id === backendId);
    const lists = await Promise.all((view?.instructionFiles ?? []).map((globs) => findFirst(globs, editor)));
    return lists.flat().map((path) => ({ path, name: nameIn(path, editor) }));
  } catch (error) {
    log.error('cannot list the files with instructions', error);
    return [];
  }
}

/** Returns the files of the first glob that has any. */
async function findFirst(globs: readonly string[], editor: Pick<EditorPort, 'glob'>): Promise<string[]> {
  for (const glob of globs) {
    const found = await editor.glob(glob, { maxResults: maxFilesOfGlob });
    if (found.length > 0) return found;
  }
  return [];
}

function nameIn(path: string, { folders }: Pick<EditorPort, 'folders'>): string {
  const folder = folders.find((one) => isInside(path, one.path, false));
  return (folder ? path.slice(folder.path.length) : path).replaceAll('\\', '/').replace(/^\//, '');
}
