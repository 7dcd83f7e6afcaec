import * as vscode from 'vscode';
import * as z from 'zod';
import type { GitChanges, GitFile, GitPort } from '../common/mentions/gitMentions';

/** The parts that are used of the API that VS Code's own Git extension exports. */
interface GitExtension {
  getAPI(version: 1): { getRepository(uri: vscode.Uri): GitRepository | null };
}
interface GitRepository {
  readonly rootUri: vscode.Uri;
  readonly state: unknown;
  diffWithHEAD(path: string): Promise<string>;
}

const Change = z.object({ uri: z.object({ fsPath: z.string() }), status: z.number() });
const changes = z.array(Change).default([]);
const RepositoryState = z.object({
  HEAD: z.object({ name: z.string().optional(), commit: z.string().optional() }).optional(),
  indexChanges: changes,
  workingTreeChanges: changes,
  untrackedChanges: changes,
  mergeChanges: changes,
});
/** `Status` of the extension's API: deleted in the index and in the working tree, and not tracked. */
const deletedStatus: readonly number[] = [2, 6];
const untrackedStatus = 7;

/** The repository of the first workspace folder, by VS Code's Git extension. */
export const gitChanges: GitPort = {
  changes: async () => {
    const repository = await repositoryOf(vscode.workspace.workspaceFolders?.[0]?.uri);
    if (!repository) return undefined;
    const { HEAD, ...lists } = RepositoryState.parse(repository.state);
    const files = Object.values(lists).flatMap((list) => list.map(fileOf));
    return {
      root: repository.rootUri.fsPath,
      branch: HEAD?.name ?? HEAD?.commit?.slice(0, 8) ?? 'no branch',
      files: [...new Map(files.map((file) => [file.path, file])).values()],
    } satisfies GitChanges;
  },
  diff: async (path) => {
    const repository = await repositoryOf(vscode.Uri.file(path));
    // There is nothing to compare with before the first commit.
    return (await repository?.diffWithHEAD(path).catch(() => '')) ?? '';
  },
};

function fileOf({ uri, status }: z.infer<typeof Change>): GitFile {
  if (deletedStatus.includes(status)) return { path: uri.fsPath, state: 'deleted' };
  return { path: uri.fsPath, state: status === untrackedStatus ? 'untracked' : 'changed' };
}

async function repositoryOf(uri: vscode.Uri | undefined): Promise<GitRepository | undefined> {
  const extension = vscode.extensions.getExtension<GitExtension>('vscode.git');
  if (!uri || !extension || !vscode.workspace.getConfiguration('git').get<boolean>('enabled', true)) return undefined;
  const git = extension.isActive ? extension.exports : await extension.activate();
  return git.getAPI(1).getRepository(uri) ?? undefined;
}
