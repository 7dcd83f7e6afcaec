import * as path from 'node:path';

/** Whether a path is inside a folder, and not the folder itself. Both are absolute; links are not followed. */
export function isBelow(file: string, folder: string): boolean {
  const relative = path.relative(folder, file);
  const isOutside = relative === '..' || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative);
  return relative !== '' && !isOutside;
}
