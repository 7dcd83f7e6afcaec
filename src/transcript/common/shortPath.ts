import { fileNameOf } from '../../base/common/text/fileNameOf';

/** Returns the path relative to its workspace folder, after its name if there are several, or else absolute. */
export function shortenPath(path: string, folders: readonly string[]): string {
  const known = normalizeDrive(path);
  for (const folder of folders) {
    const root = folder.replace(/[\\/]$/, '');
    const rest = path.slice(root.length);
    if (rest.length < 2 || !/^[\\/]/.test(rest) || !known.startsWith(normalizeDrive(root))) continue;
    return folders.length === 1 ? rest.slice(1) : fileNameOf(root) + rest;
  }
  return path;
}

export function shortenPathsInText(text: string, folders: readonly string[]): string {
  return text.replace(/(^|[\s`'"(=])((?:[a-z]:[\\/]|\/)[^\s`'"()]+)/gi, (_all, before: string, path: string) => {
    return before + shortenPath(path, folders);
  });
}

/** Whether the shortened text contains the shortened path as a whole. */
export function isPathInText(text: string, path: string, folders: readonly string[]): boolean {
  return shortenPathsInText(text, folders)
    .split(/[\s`'"()]+/)
    .includes(shortenPath(path, folders));
}

function normalizeDrive(path: string): string {
  return path.replace(/^[a-z]:/i, (drive) => drive.toLowerCase());
}
