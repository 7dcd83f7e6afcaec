import * as path from 'node:path';

/** Whether an absolute path is inside a folder and not the folder itself. Does not resolve links. */
export function isInsideFolder(file: string, folder: string, paths: path.PlatformPath = path): boolean {
  const relative = paths.relative(folder, file);
  const isOutside = relative === '..' || relative.startsWith(`..${paths.sep}`) || paths.isAbsolute(relative);
  return relative !== '' && !isOutside;
}
