import { win32 } from 'node:path';
import { innermostFolder } from '../common/boundary';

/**
 * Whether a Windows path refers to an ordinary local file, or to one in a workspace folder on a server. Rejects other network
 * paths, because accessing `\\server\share` sends the user's credentials there, devices (`\\.\`, `COM1`) and alternate
 * streams (`key.pem:stream`). Does not access the file system.
 */
export function isOrdinaryWindowsPath(path: string, folders: readonly string[]): boolean {
  const isNetwork = /^[\\/]{2}|^[\\/]\?\?[\\/]/.test(path);
  const isRaw = /^[\\/]{2}[?.][\\/]|^[\\/]\?\?[\\/]/.test(path);
  const whole = win32.normalize(path);
  if (isRaw || (isNetwork && innermostFolder(whole, folders, true) === undefined)) return false;
  const { root } = win32.parse(whole);
  // `C:a.ts` is relative to the current folder of that drive.
  if (root !== '' && !win32.isAbsolute(whole)) return false;
  return !whole.slice(root.length).split('\\').some(isSpecialName);
}

function isSpecialName(name: string): boolean {
  // Some Windows calls strip trailing dots and spaces and would open a file that was not checked.
  if (/[. ]$/.test(name) && name !== '.' && name !== '..') return true;
  return name.includes(':') || /^(?:con|prn|aux|nul|(?:com|lpt)[0-9¹²³]|conin\$|conout\$) *(?:\..*)?$/i.test(name);
}
