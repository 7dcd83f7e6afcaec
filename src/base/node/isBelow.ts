import * as path from 'node:path';

/**
 * Whether a path is inside a folder, and not the folder itself. Both are absolute; links are not followed. `paths` are the
 * rules of a system, this one's unless it is said.
 */
export function isBelow(file: string, folder: string, paths: path.PlatformPath = path): boolean {
  const relative = paths.relative(folder, file);
  const isOutside = relative === '..' || relative.startsWith(`..${paths.sep}`) || paths.isAbsolute(relative);
  return relative !== '' && !isOutside;
}
