import { realpath } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { toFileUri } from '../../base/common/addresses/fileUri';
import { isUriInFolder } from '../common/providers/providerUri';

type RealPath = (path: string) => Promise<string>;

/** Whether a module is in one of the folders, through links. Accesses other machines only for folders there. */
export async function isInsideFolders(
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
  return [...real, ...folders].some((folder) => isUriInFolder(file, folder) || isUriInFolder(url, folder));
}

/** Resolves links in a URI. Returns the URI unchanged if it is not a local file or does not exist. */
async function realUriOf(uri: string, realPath: RealPath, isWindows: boolean): Promise<string> {
  if (!uri.startsWith('file:')) return uri;
  try {
    return toFileUri(await realPath(fileURLToPath(uri, { windows: isWindows })));
  } catch {
    // The file does not exist, so it cannot run.
    return uri;
  }
}

/** Returns the host of a `file:` URI in lower case. Empty for local files. */
function hostOf(uri: string): string {
  return URL.parse(uri)?.host ?? '';
}
