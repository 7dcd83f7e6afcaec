import type { Dirent } from 'node:fs';
import { readdir, realpath } from 'node:fs/promises';
import * as path from 'node:path';
import { relativePathIn } from '../common/boundary';
import type { WorkspacePath } from '../common/globRules';

/** Maximum number of links per folder. */
const maxLinks = 200;

/**
 * Finds other names of a file through links where tools keep their configuration: at the top of each workspace folder
 * and in its folders that start with a dot. For example, if `.vscode` is a link to `config`, then `config/tasks.json`
 * also has the name `.vscode/tasks.json`. `realPath` and `folders` are real paths.
 */
export async function findSymlinkedNames(
  realPath: string,
  folders: readonly string[],
  isWindows: boolean,
): Promise<WorkspacePath[]> {
  const namesByFolder = await Promise.all(
    folders.map(async (folder) => {
      const top = await entriesOf(folder);
      const hidden = top.filter((entry) => entry.isDirectory() && entry.name.startsWith('.'));
      const below = await Promise.all(hidden.map(({ name }) => entriesOf(path.join(folder, name))));
      const links = [top, ...below].flatMap((entries) =>
        entries.filter((entry) => entry.isSymbolicLink()).slice(0, maxLinks),
      );
      const names = await Promise.all(links.map((link) => nameThrough(path.join(link.parentPath, link.name))));
      return names.flatMap((name) => {
        const relativePath = name === undefined ? undefined : relativePathIn(name, folder, isWindows);
        return name === undefined || relativePath === undefined ? [] : [{ path: name, relativePath }];
      });
    }),
  );
  return namesByFolder.flat();

  async function nameThrough(link: string): Promise<string | undefined> {
    const target = await realpath(link).catch(() => undefined);
    const rest = target === undefined ? undefined : relativePathIn(realPath, target, isWindows);
    return rest === undefined ? undefined : path.join(link, rest);
  }
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  return await readdir(folder, { withFileTypes: true }).catch(() => []);
}
