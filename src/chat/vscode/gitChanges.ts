import * as vscode from 'vscode';
import { findGitRepository, type GitChange, type GitRepository } from '../../platform/vscode/git/gitRepository';
import type { GitFile, GitPort } from '../common/mentions/gitMentions';

/** Git changes of the first workspace folder, from VS Code's Git extension. */
export const gitChanges: GitPort = {
  changes: async () => {
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
    const repository = folder === undefined ? undefined : await findGitRepository(folder);
    if (!repository) return undefined;
    return { root: repository.root, branch: repository.branch ?? 'no branch', files: filesOf(repository) };
  },
  diff: async (path) => {
    const repository = await findGitRepository(path);
    // Before the first commit, there is no earlier version.
    return (await repository?.diffWithHead(path).catch(() => '')) ?? '';
  },
};

/** Lists each file once, with its state in the working tree. */
function filesOf({ staged, modified, untracked }: GitRepository): GitFile[] {
  const files = [
    ...[...staged, ...modified].map(({ path, isDeleted }): GitFile => ({
      path,
      state: isDeleted ? 'deleted' : 'changed',
    })),
    ...untracked.map(({ path }: GitChange): GitFile => ({ path, state: 'untracked' })),
  ];
  return [...new Map(files.map((file) => [file.path, file])).values()];
}
