import { isUri } from '../../../editor/common/boundary';

/** Names of files and folders that mean themselves in shells, globs and URLs. */
const plainName = /^(?!~)[\p{L}\p{N}\p{M} _.,:=+#@!~-]+$/u;
/** Names of routes, such as `[id].tsx`, `[[...slug]]` and `(group)`. As globs, they find names of one or two characters. */
const routeName = /^(?:\[{1,2}(?:\.{3})?[\w-]+\]{1,2}(?:\.[\w.]+)?|\([\w-]+\))$/;

/**
 * Whether all programs understand a path of a tool call in the same way: it contains nothing that a shell or a glob
 * expands, or that is decoded, and no `..` after a name, which could be that of a link. `folder` is the absolute path of
 * the session's folder, whose own name does not count.
 */
export function isPlainPath(path: string, folder: string): boolean {
  const isBelow = path === folder || /^[\\/]$/.test(path.slice(folder.length, folder.length + 1));
  const below = path.startsWith(folder) && isBelow ? path.slice(folder.length) : path;
  // On Windows, a backslash separates folders, and a path can begin with a drive.
  const isWindows = !folder.startsWith('/');
  const names = isWindows ? below.replace(/^[a-z]:(?=[\\/])/i, '').split(/[\\/]/) : below.split('/');
  const firstName = names.findIndex((name) => !['', '.', '..'].includes(name));
  const goesUpLater = firstName !== -1 && names.includes('..', firstName);
  // A fragment is no part of the path for programs that know URIs.
  if (goesUpLater || (isUri(path) && path.includes('#'))) return false;
  return names.every((name) => name === '' || routeName.test(name) || (plainName.test(name) && !hasDisguise(name)));
}

/** Whether characters stand for dots, slashes or letters that they only look like. */
function hasDisguise(name: string): boolean {
  return /[^\x20-\x7e]/.test(name) && name.normalize('NFKC') !== name.normalize('NFC');
}
