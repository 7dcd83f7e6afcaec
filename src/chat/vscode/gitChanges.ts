import * as vscode from 'vscode';
import { gitRepositoryOf, type GitChange, type GitRepository } from '../../platform/vscode/gitRepository';
import type { GitFile, GitPort } from '../common/mentions/gitMentions';

/** The repository of the first workspace folder, by VS Code's Git extension. */
export const gitChanges: GitPort = {
  changes: async () => {
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
    const repository = folder === undefined ? undefined : await gitRepositoryOf(folder);
    if (!repository) return undefined;
    return { root: repository.root, branch: repository.branch ?? 'no branch', files: filesOf(repository) };
  },
  diff: async (path) => {
    const repository = await gitRepositoryOf(path);
    // There is nothing to compare with before the first commit.
    return (await repository?.diffWithHead(path).catch(() => '')) ?? '';
  },
};

/** Each file once, as it is in the working tree. */
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
