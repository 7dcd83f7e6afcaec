/** A path below one of the workspace's folders without that folder; with its name when there are several. Others stay. */
export function shortPath(path: string, folders: readonly string[]): string {
  const known = comparable(path);
  for (const folder of folders) {
    const root = folder.replace(/[\\/]$/, '');
    const rest = path.slice(root.length);
    if (rest.length < 2 || !/^[\\/]/.test(rest) || !known.startsWith(comparable(root))) continue;
    return folders.length === 1 ? rest.slice(1) : nameOf(root) + rest;
  }
  return path;
}

/** The paths in a text, shortened the same way. */
export function withShortPaths(text: string, folders: readonly string[]): string {
  return text.replace(/(^|[\s`'"(=])((?:[a-z]:[\\/]|\/)[^\s`'"()]+)/gi, (_all, before: string, path: string) => {
    return before + shortPath(path, folders);
  });
}

function nameOf(folder: string): string {
  return folder.slice(Math.max(folder.lastIndexOf('/'), folder.lastIndexOf('\\')) + 1);
}

/** Drives are written in either case. */
function comparable(path: string): string {
  return path.replace(/^[a-z]:/i, (drive) => drive.toLowerCase());
}
