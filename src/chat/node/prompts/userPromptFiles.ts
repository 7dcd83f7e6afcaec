import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as path from 'node:path';
import { errorCode } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';
import type { UserPromptFile } from '../../common/prompts/promptFiles';

interface UserPromptFolder extends Pick<UserPromptFile, 'style'> {
  /** Absolute path. */
  readonly folder: string;
}

const maxFilesOfFolder = 100;

/**
 * Returns where the user's own prompt files are: VS Code's folder of the profile, Claude Code's and Codex's. `globalStorage`: VS
 * Code's storage of the extension, `<profile>/globalStorage/<extension>`.
 */
export function userPromptFolders(globalStorage: string, env = process.env, home = os.homedir()): UserPromptFolder[] {
  const folderOf = (variable: string, name: string): string => {
    const configured = env[variable] ?? '';
    // Another path would be one in the process's folder, which may be a workspace that is not trusted.
    return path.isAbsolute(configured) ? configured : path.join(home, name);
  };
  return [
    { folder: path.resolve(globalStorage, '..', '..', 'prompts'), style: 'vscode' },
    { folder: path.join(folderOf('CLAUDE_CONFIG_DIR', '.claude'), 'commands'), style: 'claude' },
    { folder: path.join(folderOf('CODEX_HOME', '.codex'), 'prompts'), style: 'codex' },
  ];
}

/** Returns folders that the user has named in a setting: absolute, or with `~/` for the home folder. */
export function namedPromptFolders(names: readonly string[], home = os.homedir()): UserPromptFolder[] {
  const folders = names.map((name) => (name.startsWith('~') ? path.join(home, name.slice(1)) : path.normalize(name)));
  return folders.flatMap((folder) => (path.isAbsolute(folder) ? [{ folder, style: 'vscode' }] : []));
}

/** Lists the files by name. A folder that can't be read has none. Never rejects. */
export async function listUserPromptFiles(
  folders: readonly UserPromptFolder[],
  log: Pick<Logger, 'error'>,
): Promise<UserPromptFile[]> {
  const different = [...new Map(folders.map((one) => [one.folder, one])).values()];
  const lists = different.map(async ({ folder, style }): Promise<UserPromptFile[]> => {
    const names = await fs.readdir(folder, { recursive: style === 'claude' }).catch((error: unknown) => {
      if (errorCode(error) !== 'ENOENT') log.error(`cannot list the prompt files in ${folder}`, error);
      return [];
    });
    const ending = style === 'vscode' ? '.prompt.md' : '.md';
    return names
      .filter((name) => name.endsWith(ending))
      .sort()
      .slice(0, maxFilesOfFolder)
      .map((name) => ({ path: path.join(folder, name), relativePath: name.split(path.sep).join('/'), style }));
  });
  return (await Promise.all(lists)).flat();
}

/** @throws Error if the file is larger than `maxBytes`, is not a file or can't be read */
export async function readUserPromptFile(file: string, maxBytes: number): Promise<string> {
  const { size, isFile } = await fs.stat(file).then((stat) => ({ size: stat.size, isFile: stat.isFile() }));
  if (!isFile) throw new Error('it is not a file');
  if (size > maxBytes) throw new Error(`it is larger than ${maxBytes / 1024} KiB`);
  return await fs.readFile(file, 'utf8');
}
