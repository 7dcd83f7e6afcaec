import * as vscode from 'vscode';
import * as z from 'zod';
import { activateGitExtension, type GitApiRepository } from './gitApi';

/** Changes in a repository since its last commit. */
export interface GitRepository {
  /** Absolute path of the repository. */
  readonly root: string;
  /** Branch name or short commit hash. Undefined before the first commit. */
  readonly branch: string | undefined;
  readonly staged: readonly GitChange[];
  /** Changes in the working tree, including merge conflicts. */
  readonly modified: readonly GitChange[];
  readonly untracked: readonly GitChange[];
  /** Returns `git diff HEAD` of a file (absolute path). Rejects before the first commit. */
  diffWithHead(path: string): Promise<string>;
  /** Returns the staged changes of a file (absolute path) as a diff. */
  diffStaged(path: string): Promise<string>;
  /** Returns the messages of the last commits, newest first. */
  lastMessages(count: number): Promise<readonly string[]>;
  /** The text in the input box of the Source Control view. */
  commitText: string;
  /** Returns the common ancestor of a file (absolute path) with a merge conflict. Undefined if there is none. */
  textBeforeMerge(path: string): Promise<string | undefined>;
}

export interface GitChange {
  /** Absolute path of the file. */
  readonly path: string;
  readonly isDeleted: boolean;
}

/** Values of `Status` in the API: deleted in the index or working tree, and untracked. */
const deletedStatuses: readonly number[] = [2, 6];
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

/** Returns the URL of `origin`, or else the first remote, if Git is active. It may contain credentials. */
export async function findRemoteUrl(path: string): Promise<string | undefined> {
  const isRunning = vscode.extensions.getExtension('vscode.git')?.isActive === true;
  const repository = isRunning ? await findApiRepository(path) : undefined;
  const remotes = Remotes.safeParse(repository?.state).data?.remotes ?? [];
  return (remotes.find(({ name }) => name === 'origin') ?? remotes[0])?.fetchUrl;
}

/**
 * Returns the branch and commit of the repository that contains a file (absolute path). Undefined if VS Code's Git
 * extension is not running or has no repository there. `isFresh`: reads the state again first, which can take seconds.
 */
export async function findGitHead(path: string, isFresh = false): Promise<string | undefined> {
  if (vscode.extensions.getExtension('vscode.git')?.isActive !== true) return undefined;
  const repository = await findApiRepository(path);
  if (isFresh) await repository?.status();
  const { HEAD } = RepositoryState.safeParse(repository?.state).data ?? {};
  return HEAD && `${HEAD.name ?? ''} ${HEAD.commit ?? ''}`;
}

/**
 * Returns the repository of a file or folder (absolute path) from VS Code's Git extension. `isFresh`: its state is read again first,
 * which can take seconds.
 */
export async function findGitRepository(path: string, isFresh = false): Promise<GitRepository | undefined> {
  const repository = await findApiRepository(path);
  if (!repository) return undefined;
  if (isFresh) await repository.status();
  const { HEAD, indexChanges, workingTreeChanges, untrackedChanges, mergeChanges } = RepositoryState.parse(
    repository.state,
  );
  // With `git.untrackedChanges: mixed`, untracked files are in the working tree changes.
  const isUntracked = ({ status }: z.infer<typeof Change>): boolean => status === untrackedStatus;
  const tracked = workingTreeChanges.filter((change) => !isUntracked(change));
  return {
    root: repository.rootUri.fsPath,
    branch: HEAD?.name ?? HEAD?.commit?.slice(0, 8),
    staged: indexChanges.map(toGitChange),
    modified: [...tracked, ...mergeChanges].map(toGitChange),
    untracked: [...workingTreeChanges.filter(isUntracked), ...untrackedChanges].map(toGitChange),
    diffWithHead: (file) => repository.diffWithHEAD(file),
    diffStaged: (file) => repository.diffIndexWithHEAD(file),
    lastMessages: (count) =>
      repository.log({ maxEntries: count }).then(
        (commits) => commits.map(({ message }) => message),
        () => [],
      ),
    get commitText() {
      return repository.inputBox.value;
    },
    set commitText(text) {
      repository.inputBox.value = text;
    },
    textBeforeMerge: (file) => repository.show(':1', file).catch(() => undefined),
  };
}

async function findApiRepository(path: string): Promise<GitApiRepository | undefined> {
  return (await activateGitExtension())?.getRepository(vscode.Uri.file(path)) ?? undefined;
}

function toGitChange({ uri, status }: z.infer<typeof Change>): GitChange {
  return { path: uri.fsPath, isDeleted: deletedStatuses.includes(status) };
}
