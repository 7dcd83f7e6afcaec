import { readdir, readFile, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { DraftHandlers } from '../../../../src/acp/common/draft/draftConnection';
import { sliceLines } from '../../../../src/acp/common/sliceLines';
import { realPathInside } from '../../../../src/acp/demo/diskFiles';
import { errorCode } from '../../../../src/base/common/errors';

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
