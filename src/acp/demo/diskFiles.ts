import { readdir, readFile, realpath, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import { errorCode } from '../../base/common/errors';
import type { DraftHandlers } from '../common/draft/draftConnection';
import { sliceLines } from '../common/sliceLines';

const maxMatches = 1000;

/** Handles the file methods of the draft protocol for one folder on disk, for an agent that serves files. */
export function diskFileHandlers(
  folder: string,
): Required<Pick<DraftHandlers, 'readTextFile' | 'readBinaryFile' | 'stat' | 'globSearch'>> {
  return {
    async readTextFile({ path, lineOffset, lineLimit }) {
      const { text, version } = await readFileInFolder(folder, path);
      return { version, content: sliceLines(text.toString('utf8'), lineOffset ?? 0, lineLimit ?? Infinity) };
    },
    async readBinaryFile({ path, byteOffset, byteLimit }) {
      const { text, version } = await readFileInFolder(folder, path);
      const start = byteOffset ?? 0;
      return { version, content: text.subarray(start, start + (byteLimit ?? text.length)).toString('base64') };
    },
    async stat({ path }) {
      try {
        return { exists: true, isDirectory: (await stat(await realPathInside([folder], path))).isDirectory() };
      } catch (error) {
        if (errorCode(error) === 'ENOENT') return { exists: false, isDirectory: false };
        throw error;
      }
    },
    async globSearch({ pattern }) {
      const matches = globToRegExp(pattern);
      const names = await readdir(folder, { recursive: true });
      const found = names.filter((name) => !/(?:^|[\\/])(?:\.git|node_modules)(?:[\\/]|$)/.test(name));
      const wanted = found.filter((name) => matches.test(name.split(sep).join('/'))).sort();
      return { matches: wanted.slice(0, maxMatches).map((name) => join(folder, name)) };
    },
  };
}

/** Reads a file and its version. @throws Error for a file that is missing or outside the folder */
export async function readFileInFolder(folder: string, path: string): Promise<{ text: Buffer; version: number }> {
  const real = await realPathInside([folder], path);
  const { mtimeMs } = await stat(real);
  return { text: await readFile(real), version: Math.trunc(mtimeMs) };
}

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
async function realPathInside(folders: readonly string[], path: string): Promise<string> {
  const real = await realpath(path);
  for (const folder of folders) {
    const below = relative(await realpath(folder), real);
    if (!/^\.\.(?:[\\/]|$)/.test(below) && !isAbsolute(below)) return real;
  }
  throw new Error(`"${path}" is outside the folders of this session.`);
}

function globToRegExp(glob: string): RegExp {
  const source = glob.replace(/\*\*\/|\*\*|[*?{},]|[\\^$.+()[\]|/-]/g, (part) => {
    switch (part) {
      case '**/':
        return '(?:.*/)?';
      case '**':
        return '.*';
      case '*':
        return '[^/]*';
      case '?':
        return '[^/]';
      case '{':
        return '(?:';
      case '}':
        return ')';
      case ',':
        return glob.includes('{') ? '|' : ',';
      default:
        return `\\${part}`;
    }
  });
  return new RegExp(`^${source}$`);
}
