import { gitRepositoryOf, type GitChange } from '../../platform/vscode/gitRepository';
import type { GitState } from '../common/api/apiSchema';

/** Returns the state of the repository that contains `folder` (absolute path); undefined without Git or a repository. */
export async function gitStateOf(folder: string): Promise<GitState | undefined> {
  const repository = await gitRepositoryOf(folder);
  if (!repository) return undefined;
  return {
    branch: repository.branch ?? '',
    staged_files: repository.staged.map(pathOf),
    modified_files: repository.modified.map(pathOf),
    untracked_files: repository.untracked.map(pathOf),
  };
}

function pathOf({ path }: GitChange): string {
  return path;
}
