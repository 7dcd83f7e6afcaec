import { EditorError } from './editorPort';

// The part of the workspace boundary check that only compares texts. `PathGuard` resolves links first. All paths are
// absolute.

/** Whether a path is the folder or inside it. Ignores trailing separators. Set `caseInsensitive` on Windows. */
export function isInside(path: string, folder: string, caseInsensitive: boolean): boolean {
  return relativePathIn(path, folder, caseInsensitive) !== undefined;
}

/** Returns the path relative to the folder: empty for the folder itself, undefined for a path outside it. */
export function relativePathIn(path: string, folder: string, caseInsensitive: boolean): string | undefined {
  const base = folder.replace(/[\\/]+$/, '');
  const start = path.slice(0, base.length);
  const same = caseInsensitive ? start.toLowerCase() === base.toLowerCase() : start === base;
  if (!same) return undefined;
  const rest = path.slice(base.length);
  if (rest === '') return '';
  return isSeparator(rest.charAt(0), path) ? rest.slice(1) : undefined;
}

/** Returns the innermost folder that contains the path. */
export function innermostFolder(
  path: string,
  folders: readonly string[],
  caseInsensitive: boolean,
): string | undefined {
  return folders
    .filter((folder) => isInside(path, folder, caseInsensitive))
    .reduce<string | undefined>((best, folder) => (best && best.length >= folder.length ? best : folder), undefined);
}

/** The longest path that Linux accepts, in bytes. */
const maxPathLength = 4096;

/** Rejects paths that are empty, too long or contain invalid characters. @throws EditorError `invalidPath` */
export function requireValidPath(path: string): void {
  if (path === '') throw new EditorError('invalidPath', 'The path is empty. Name a file in the workspace.');
  if (path.length > maxPathLength) {
    throw new EditorError('invalidPath', `${path.slice(0, 80)}… is too long: a path has at most 4,096 characters.`);
  }
  if (path.includes('\0')) {
    throw new EditorError('invalidPath', 'The path contains a NUL character. Name a file in the workspace.');
  }
  if (!path.isWellFormed()) {
    throw new EditorError('invalidPath', 'The path contains half of a surrogate pair. Name a file in the workspace.');
  }
}

/** Whether the text is a URI and not a path. `C:\x` is a path. */
export function isUri(path: string): boolean {
  return /^(file:|[a-z][a-z0-9+.-]+:\/\/)/i.test(path);
}

/** Whether a path is absolute on any system: `/x`, `C:\x`, `C:/x` or `\\server\share`. */
export function isAbsolutePath(path: string): boolean {
  return /^([\\/]|[A-Za-z]:[\\/])/.test(path);
}

/** Converts `\` to `/` in Windows paths. In a POSIX path, a backslash is an ordinary character and stays. */
export function withForwardSlashes(path: string): string {
  return /^([A-Za-z]:|\\)/.test(path) ? path.replaceAll('\\', '/') : path;
}

function isSeparator(character: string, path: string): boolean {
  return character === '/' || (character === '\\' && !path.startsWith('/'));
}
