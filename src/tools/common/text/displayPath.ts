import { relativePathIn, withForwardSlashes } from '../../../editor/common/boundary';
import type { EditorPort } from '../../../editor/common/editorPort';

/** A file's name for models: relative in the first workspace folder, which relative paths start from; else absolute. */
export function displayPath(path: string, { folders }: Pick<EditorPort, 'folders'>): string {
  const [first] = folders;
  const below = first && relativePathIn(path, first.path, false);
  if (below === undefined) return withForwardSlashes(path);
  return below === '' ? '.' : withForwardSlashes(isWindowsPath(path) ? below.replaceAll('\\', '/') : below);
}

function isWindowsPath(path: string): boolean {
  return withForwardSlashes(path) !== path || /^[A-Za-z]:/.test(path);
}
