import type { Dirent } from 'node:fs';
import { readdir, realpath } from 'node:fs/promises';
import * as path from 'node:path';
import { relativeTo } from '../common/boundary';
import type { FileName } from '../common/globRules';

/** More than that in one folder, and the rest is not looked at. */
const maxLinks = 200;

/**
 * Other names of a file: those that it has by links of the workspace. A link `.vscode` that leads to `config` makes
 * `config/tasks.json` one of VS Code's files. Looked at is where tools look for their files: the top of each workspace
 * folder, and the folders there whose name starts with a dot. `realPath` and `folders` have all links resolved.
 */
export async function linkedNames(
  realPath: string,
  folders: readonly string[],
  isWindows: boolean,
): Promise<FileName[]> {
  const ofFolders = await Promise.all(
    folders.map(async (folder) => {
      const top = await entriesOf(folder);
      const hidden = top.filter((entry) => entry.isDirectory() && entry.name.startsWith('.'));
      const below = await Promise.all(hidden.map(({ name }) => entriesOf(path.join(folder, name))));
      const links = [top, ...below].flatMap((entries) => entries.filter(isLink).slice(0, maxLinks));
      const names = await Promise.all(links.map((link) => nameThrough(path.join(link.parentPath, link.name))));
      return names.flatMap((name) => {
        const relativePath = name === undefined ? undefined : relativeTo(name, folder, isWindows);
        return name === undefined || relativePath === undefined ? [] : [{ path: name, relativePath }];
      });
    }),
  );
  return ofFolders.flat();

  async function nameThrough(link: string): Promise<string | undefined> {
    const target = await realpath(link).catch(() => undefined);
    const rest = target === undefined ? undefined : relativeTo(realPath, target, isWindows);
    return rest === undefined ? undefined : path.join(link, rest);
  }
}

function isLink(entry: Dirent): boolean {
  return entry.isSymbolicLink();
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  return await readdir(folder, { withFileTypes: true }).catch(() => []);
}
