import { EditorError } from './editorPort';

/** The lexical half of the workspace boundary; the other half, links, needs the disk. Paths are absolute. */

/**
 * `/` or `\` at the end counts for nothing. `/a/bc` is not inside `/a/b`; a folder is inside itself.
 * `caseInsensitive` is for systems that may spell one real path in two ways (drive letters on Windows).
 */
export function isInside(path: string, folder: string, caseInsensitive: boolean): boolean {
  return relativeTo(path, folder, caseInsensitive) !== undefined;
}

/** The path below the folder, with the separators it has; empty for the folder itself; undefined when it is outside. */
export function relativeTo(path: string, folder: string, caseInsensitive: boolean): string | undefined {
  const base = folder.replace(/[\\/]+$/, '');
  const start = path.slice(0, base.length);
  const same = caseInsensitive ? start.toLowerCase() === base.toLowerCase() : start === base;
  if (!same) return undefined;
  const rest = path.slice(base.length);
  if (rest === '') return '';
  return isSeparator(rest.charAt(0), path) ? rest.slice(1) : undefined;
}

/** The first folder that holds the path, deepest first, so that nested workspace folders give the nearest one. */
export function nearestFolder(path: string, folders: readonly string[], caseInsensitive: boolean): string | undefined {
  return folders
    .filter((folder) => isInside(path, folder, caseInsensitive))
    .reduce<string | undefined>((best, folder) => (best && best.length >= folder.length ? best : folder), undefined);
}

/** What systems take at most, in bytes on Linux; a longer path costs time in proportion to its length and names nothing. */
const maxPathLength = 4096;

/** @throws EditorError `invalidPath` for a path that no file system call should see */
export function checkPath(path: string): void {
  if (path === '') throw new EditorError('invalidPath', 'The path is empty. Name a file of the workspace.');
  if (path.length > maxPathLength) {
    throw new EditorError('invalidPath', `${path.slice(0, 80)}… is too long: a path has at most 4,096 characters.`);
  }
  if (path.includes('\0')) {
    throw new EditorError('invalidPath', 'The path contains a NUL character. Name a file of the workspace.');
  }
  if (!path.isWellFormed()) {
    throw new EditorError('invalidPath', 'The path contains half of a surrogate pair. Name a file of the workspace.');
  }
}

/** Whether it is a URI rather than a path. `C:\x` is a path; a name like `file:` only counts as one in an absolute path. */
export function isUri(path: string): boolean {
  return /^(file:|[a-z][a-z0-9+.-]+:\/\/)/i.test(path);
}

/** `/x`, `C:\x`, `C:/x` or `\\server\share`. */
export function isAbsolutePath(path: string): boolean {
  return /^([\\/]|[A-Za-z]:[\\/])/.test(path);
}

/** A Windows path with `/` for every `\`; a POSIX path as it is, where a backslash is a letter like any other. */
export function toSlashes(path: string): string {
  return /^([A-Za-z]:|\\)/.test(path) ? path.replaceAll('\\', '/') : path;
}

function isSeparator(character: string, path: string): boolean {
  return character === '/' || (character === '\\' && !path.startsWith('/'));
}
