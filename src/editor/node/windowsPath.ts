import { win32 } from 'node:path';
import { nearestFolder } from '../common/boundary';

/**
 * Whether asking Windows about a path stays on the disks of this machine and in ordinary files. Asking about `\\server\share`
 * sends the user's credentials to that server, `\\.\` and `COM1` are devices, and `key.pem:stream` is another name of `key.pem`.
 * Folders of the workspace may be on a server. Asks nobody.
 */
export function isOrdinaryWindowsPath(path: string, folders: readonly string[]): boolean {
  const isNetwork = /^[\\/]{2}|^[\\/]\?\?[\\/]/.test(path);
  const isRaw = /^[\\/]{2}[?.][\\/]|^[\\/]\?\?[\\/]/.test(path);
  const whole = win32.normalize(path);
  if (isRaw || (isNetwork && nearestFolder(whole, folders, true) === undefined)) return false;
  const { root } = win32.parse(whole);
  // `C:a.ts` is relative to wherever that drive was last.
  if (root !== '' && !win32.isAbsolute(whole)) return false;
  return !whole.slice(root.length).split('\\').some(isOtherThanFile);
}

function isOtherThanFile(name: string): boolean {
  // Some calls of Windows cut off dots and spaces at the end, and so mean another file than was checked.
  if (/[. ]$/.test(name) && name !== '.' && name !== '..') return true;
  return name.includes(':') || /^(?:con|prn|aux|nul|(?:com|lpt)[0-9¹²³]|conin\$|conout\$) *(?:\..*)?$/i.test(name);
}
