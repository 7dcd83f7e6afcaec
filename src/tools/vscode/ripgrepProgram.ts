import { access, constants } from 'node:fs/promises';
import * as vscode from 'vscode';
import { ripgrepPaths } from '../node/ripgrepPaths';

/** Absolute path of VS Code's ripgrep; undefined if not found. */
export async function findRipgrep(appRoot = vscode.env.appRoot): Promise<string | undefined> {
  for (const program of ripgrepPaths(appRoot, process.platform, process.arch)) {
    const isThere = await access(program, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return program;
  }
  return undefined;
}

/** Enabled globs of `files.exclude` and `search.exclude`. */
export function searchExcludeGlobs(): readonly string[] {
  return ['files.exclude', 'search.exclude'].flatMap((id) => {
    const table: unknown = vscode.workspace.getConfiguration().get(id);
    if (typeof table !== 'object' || table === null) return [];
    return Object.entries(table).flatMap(([glob, value]) => (value === true && isSupportedGlob(glob) ? [glob] : []));
  });
}

/** ripgrep fails for globs with nested braces or unclosed brackets. */
function isSupportedGlob(glob: string): boolean {
  const rest = glob.replace(/\[[^\]]+\]|\{[^{}[\]]*\}/gu, '');
  return glob !== '' && !/[[\]{}]/u.test(rest);
}
