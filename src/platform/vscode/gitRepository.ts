import * as vscode from 'vscode';
import * as z from 'zod';

/** What has changed in a repository since its last commit. */
export interface GitRepository {
  /** Absolute. */
  readonly root: string;
  /** Its name, else the first letters of the commit; undefined before there is either. */
  readonly branch: string | undefined;
  readonly staged: readonly GitChange[];
  /** In the working tree, and what a merge left to do. */
  readonly modified: readonly GitChange[];
  readonly untracked: readonly GitChange[];
  /** As `git diff HEAD` says it of a file, absolute. Rejects before the first commit. */
  diffWithHead(path: string): Promise<string>;
}

export interface GitChange {
  /** Absolute. */
  readonly path: string;
  readonly isDeleted: boolean;
}

/** The parts that are used of the API that VS Code's own Git extension exports. */
interface GitExtension {
  getAPI(version: 1): { getRepository(uri: vscode.Uri): ExportedRepository | null };
}
interface ExportedRepository {
  readonly rootUri: vscode.Uri;
  readonly state: unknown;
  diffWithHEAD(path: string): Promise<string>;
}

/** `Status` of the extension's API: deleted in the index and in the working tree, and not tracked. */
const deletedStatus: readonly number[] = [2, 6];
const untrackedStatus = 7;

const Change = z.object({ uri: z.object({ fsPath: z.string() }), status: z.number() });
const changes = z.array(Change).default([]);
const RepositoryState = z.object({
  HEAD: z.object({ name: z.string().optional(), commit: z.string().optional() }).optional(),
  indexChanges: changes,
  workingTreeChanges: changes,
  untrackedChanges: changes,
  mergeChanges: changes,
});

const Remotes = z.object({
  remotes: z.array(z.object({ name: z.string(), fetchUrl: z.string().optional() })).catch([]),
});

/** The address of the remote `origin`, else of the first one, if the Git extension runs; it may hold a login. */
export async function remoteUrlOf(path: string): Promise<string | undefined> {
  const isRunning = vscode.extensions.getExtension('vscode.git')?.isActive === true;
  const repository = isRunning ? await exportedRepositoryOf(path) : undefined;
  const remotes = Remotes.safeParse(repository?.state).data?.remotes ?? [];
  return (remotes.find(({ name }) => name === 'origin') ?? remotes[0])?.fetchUrl;
}

/** The repository that holds a file or folder (absolute), by VS Code's Git extension; undefined without either. */
export async function gitRepositoryOf(path: string): Promise<GitRepository | undefined> {
  const repository = await exportedRepositoryOf(path);
  if (!repository) return undefined;
  const { HEAD, indexChanges, workingTreeChanges, untrackedChanges, mergeChanges } = RepositoryState.parse(
    repository.state,
  );
  // By a setting of the user's, files that are not tracked are listed among the others.
  const isUntracked = ({ status }: z.infer<typeof Change>): boolean => status === untrackedStatus;
  const tracked = workingTreeChanges.filter((change) => !isUntracked(change));
  return {
    root: repository.rootUri.fsPath,
    branch: HEAD?.name ?? HEAD?.commit?.slice(0, 8),
    staged: indexChanges.map(changeOf),
    modified: [...tracked, ...mergeChanges].map(changeOf),
    untracked: [...workingTreeChanges.filter(isUntracked), ...untrackedChanges].map(changeOf),
    diffWithHead: (file) => repository.diffWithHEAD(file),
  };
}

async function exportedRepositoryOf(path: string): Promise<ExportedRepository | undefined> {
  const extension = vscode.extensions.getExtension<GitExtension>('vscode.git');
  if (!extension || !vscode.workspace.getConfiguration('git').get<boolean>('enabled', true)) return undefined;
  const git = extension.isActive ? extension.exports : await extension.activate();
  return git.getAPI(1).getRepository(vscode.Uri.file(path)) ?? undefined;
}

function changeOf({ uri, status }: z.infer<typeof Change>): GitChange {
  return { path: uri.fsPath, isDeleted: deletedStatus.includes(status) };
}
