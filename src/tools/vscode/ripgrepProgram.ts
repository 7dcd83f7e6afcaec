import { access, constants } from 'node:fs/promises';
import * as path from 'node:path';
import * as vscode from 'vscode';

/** The ripgrep that comes with VS Code, absolute; undefined when it is not where it is known to be. */
export async function findRipgrep(appRoot = vscode.env.appRoot): Promise<string | undefined> {
  const name = process.platform === 'win32' ? 'rg.exe' : 'rg';
  const system = `${process.platform}-${process.arch}`;
  for (const modules of ['node_modules', 'node_modules.asar.unpacked']) {
    for (const place of [`@vscode/ripgrep-universal/bin/${system}`, '@vscode/ripgrep/bin']) {
      const program = path.join(appRoot, modules, place, name);
      const isThere = await access(program, constants.X_OK).then(
        () => true,
        () => false,
      );
      if (isThere) return program;
    }
  }
  return undefined;
}

/** Globs of `files.exclude` and `search.exclude` that are on. */
export function hiddenGlobs(): readonly string[] {
  return ['files.exclude', 'search.exclude'].flatMap((id) => {
    const table: unknown = vscode.workspace.getConfiguration().get(id);
    if (typeof table !== 'object' || table === null) return [];
    return Object.entries(table).flatMap(([glob, value]) => (value === true && isForRipgrep(glob) ? [glob] : []));
  });
}

/** ripgrep refuses to search at all when a glob has braces within braces, or brackets that do not close. */
function isForRipgrep(glob: string): boolean {
  const rest = glob.replace(/\[[^\]]+\]|\{[^{}[\]]*\}/gu, '');
  return glob !== '' && !/[[\]{}]/u.test(rest);
}
