import { relativeTo, toSlashes } from '../../../editor/common/boundary';
import type { EditorPort } from '../../../editor/common/editorPort';

/**
 * How a file is called before models: relative to the first workspace folder, which is also where a relative path leads
 * when it is asked for; absolute in the other folders.
 */
export function pathName(path: string, { folders }: Pick<EditorPort, 'folders'>): string {
  const [first] = folders;
  const below = first && relativeTo(path, first.path, false);
  if (below === undefined) return toSlashes(path);
  return below === '' ? '.' : toSlashes(isWindowsPath(path) ? below.replaceAll('\\', '/') : below);
}

function isWindowsPath(path: string): boolean {
  return toSlashes(path) !== path || /^[A-Za-z]:/.test(path);
}
