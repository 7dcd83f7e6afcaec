import { access, constants } from 'node:fs/promises';
import * as vscode from 'vscode';
import { ripgrepPlaces } from '../node/ripgrepPlaces';

/** The ripgrep that comes with VS Code, absolute; undefined when it is not where it is known to be. */
export async function findRipgrep(appRoot = vscode.env.appRoot): Promise<string | undefined> {
  for (const program of ripgrepPlaces(appRoot, process.platform, process.arch)) {
    const isThere = await access(program, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return program;
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
