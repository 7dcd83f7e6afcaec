import { stat } from 'node:fs/promises';

/** Whether a folder, or a symbolic link to one, is at an absolute path. False if it cannot be read. */
export async function isFolder(file: string): Promise<boolean> {
  return (await stat(file).catch(() => undefined))?.isDirectory() === true;
}
