import { realpath } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { toFileUri } from '../../base/common/fileUri';
import { isBelow } from '../common/providers/providerUri';

/** A path with every link resolved. */
type RealPath = (path: string) => Promise<string>;

/**
 * Whether a module is a file of one of the folders, whatever spelling or links lead there. All are URIs. Another machine is
 * asked only when a folder is there, too: the question alone sends it the user's name and a hash of the password.
 */
export async function isCodeOf(
  folders: readonly string[],
  url: string,
  realPath: RealPath = (path) => realpath(path),
  isWindows = process.platform === 'win32',
): Promise<boolean> {
  if (folders.length === 0) return false;
  const hosts = new Set(['', ...folders.map(hostOf)]);
  const realUri = (uri: string): Promise<string> =>
    hosts.has(hostOf(uri)) ? realUriOf(uri, realPath, isWindows) : Promise.resolve(uri);
  const file = await realUri(url);
  const real = await Promise.all(folders.map(realUri));
  return [...real, ...folders].some((folder) => isBelow(file, folder) || isBelow(url, folder));
}

/** The URI itself where there is nothing, or nothing on this disk. */
async function realUriOf(uri: string, realPath: RealPath, isWindows: boolean): Promise<string> {
  if (!uri.startsWith('file:')) return uri;
  try {
    return toFileUri(await realPath(fileURLToPath(uri, { windows: isWindows })));
  } catch {
    // What is not there cannot be run.
    return uri;
  }
}

/** Lower case; empty for a file of this machine. */
function hostOf(uri: string): string {
  return URL.parse(uri)?.host ?? '';
}
