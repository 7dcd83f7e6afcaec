import { readFile, realpath, writeFile } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative } from 'node:path';
import { errorCode } from '../../base/common/errors';

/** @throws Error for a file that is missing or outside the folders */
export async function readTextInside(folders: readonly string[], path: string): Promise<string> {
  return await readFile(await realPathInside(folders, path), 'utf8');
}

/** Resolves to null if there is no file. @throws Error if its folder is missing or outside the folders */
export async function readTextIfPresent(folders: readonly string[], path: string): Promise<string | null> {
  try {
    return await readTextInside(folders, path);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    await realPathInside(folders, dirname(path));
    return null;
  }
}

/** Replaces the text of a file. @throws Error for a file that is missing or outside the folders */
export async function writeTextInside(folders: readonly string[], path: string, text: string): Promise<void> {
  await writeFile(await realPathInside(folders, path), text);
}

/** Writes a new file. @throws Error if it exists, or if its folder is missing or outside the folders */
export async function createTextInside(folders: readonly string[], path: string, text: string): Promise<void> {
  const parent = await realPathInside(folders, dirname(path));
  // `wx` also refuses a link whose target is missing and could be outside.
  await writeFile(join(parent, basename(path)), text, { flag: 'wx' });
}

/** Returns the real path of a file in one of the folders. @throws Error if it is missing or outside */
export async function realPathInside(folders: readonly string[], path: string): Promise<string> {
  const real = await realpath(path);
  for (const folder of folders) {
    const below = relative(await realpath(folder), real);
    if (!/^\.\.(?:[\\/]|$)/.test(below) && !isAbsolute(below)) return real;
  }
  throw new Error(`"${path}" is outside the folders of this session.`);
}
