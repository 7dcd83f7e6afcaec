import * as vscode from 'vscode';
import * as z from 'zod';
import type { GitState } from '../common/apiSchema';

/** The parts that are used of the API that VS Code's own Git extension exports. */
interface GitExtension {
  getAPI(version: 1): GitApi;
}
interface GitApi {
  getRepository(uri: vscode.Uri): { readonly state: unknown } | null;
}

const Change = z.object({ uri: z.object({ fsPath: z.string() }) });
const changes = z.array(Change).default([]);
const RepositoryState = z.object({
  HEAD: z.object({ name: z.string().optional(), commit: z.string().optional() }).optional(),
  indexChanges: changes,
  workingTreeChanges: changes,
  untrackedChanges: changes,
  mergeChanges: changes,
});
/** The kind of a working tree change that git does not track yet, when untracked files are listed among the others. */
const untrackedStatus = 7;
const Untracked = z.object({ status: z.literal(untrackedStatus) });

/** The state of the repository that holds `folder`, by VS Code's Git extension; undefined without either. */
export async function gitStateOf(folder: string): Promise<GitState | undefined> {
  const extension = vscode.extensions.getExtension<GitExtension>('vscode.git');
  if (!extension || !vscode.workspace.getConfiguration('git').get<boolean>('enabled', true)) return undefined;
  const git = extension.isActive ? extension.exports : await extension.activate();
  const repository = git.getAPI(1).getRepository(vscode.Uri.file(folder));
  if (!repository) return undefined;
  const { HEAD, indexChanges, workingTreeChanges, untrackedChanges, mergeChanges } = RepositoryState.parse(
    repository.state,
  );
  const isUntracked = z
    .object({ workingTreeChanges: z.array(z.unknown()) })
    .parse(repository.state)
    .workingTreeChanges.map((change) => Untracked.safeParse(change).success);
  return {
    branch: HEAD?.name ?? HEAD?.commit?.slice(0, 8) ?? '',
    staged_files: indexChanges.map(pathOf),
    modified_files: [...workingTreeChanges.filter((_change, index) => !isUntracked[index]), ...mergeChanges].map(
      pathOf,
    ),
    untracked_files: [...workingTreeChanges.filter((_change, index) => isUntracked[index]), ...untrackedChanges].map(
      pathOf,
    ),
  };
}

function pathOf({ uri }: z.infer<typeof Change>): string {
  return uri.fsPath;
}
