import type { WorkspacePath } from '../globRules';
import { normalizeSpelling } from './normalizeSpelling';
import type { TextBeforeAndAfter } from './protection';

/** Folders in a Git folder that Git and its extensions use, in upper case. */
const partFolders: ReadonlySet<string> = new Set(
  `HOOKS INFO OBJECTS REFS LOGS WORKTREES MODULES BRANCHES REMOTES REBASE-MERGE REBASE-APPLY SEQUENCER RR-CACHE REFTABLE
  LFS ANNEX SVN`.split(/\s+/),
);
const partFile =
  /^(?:HEAD|CONFIG|CONFIG\.WORKTREE|COMMONDIR|GITDIR|GITFILE|LOCKED|DESCRIPTION|PACKED-REFS|SHALLOW|INDEX|[A-Z_]+_(?:HEAD|MSG|MODE|RR|STATE|AUTOSTASH))(?:\.LOCK)?$/;
/** Files with these names have no other use: they tell Git where a repository is, or configure one. */
const filesOfGitOnly: ReadonlySet<string> = new Set(['COMMONDIR', 'GITDIR', 'CONFIG.WORKTREE']);
const hookName =
  /^(?:APPLYPATCH-MSG|COMMIT-MSG|FSMONITOR-WATCHMAN|POST-[A-Z-]+|PRE-[A-Z-]+|PREPARE-COMMIT-MSG|PROC-RECEIVE|PUSH-TO-CHECKOUT|REFERENCE-TRANSACTION|SENDEMAIL-VALIDATE|UPDATE|P4-[A-Z-]+)$/;

/**
 * Returns a name under `.git` for a file that makes its folder a Git folder, or would direct or configure Git from there,
 * whatever the folder is called: Git runs programs that a folder's `config` names as soon as there is a `HEAD`.
 */
export function gitNameOf(name: WorkspacePath, change: TextBeforeAndAfter | undefined): WorkspacePath | undefined {
  const [, folder = '', file = ''] = /^(.*?[\\/]?)([^\\/]*)$/s.exec(name.path) ?? [];
  const plain = normalizeSpelling(file);
  const isOfGit = plain === 'HEAD' ? canBecomeHead(change) : filesOfGitOnly.has(plain);
  return isOfGit ? { path: `${folder}.git/${plain}`, relativePath: `.git/${plain}` } : undefined;
}

function canBecomeHead(change: TextBeforeAndAfter | undefined): boolean {
  return change?.after === undefined || isGitHead(change.after);
}

/** Whether Git accepts a file with this text as the `HEAD` of a Git folder. */
export function isGitHead(text: string): boolean {
  return /^(?:ref:|[0-9a-f]{40})/i.test(text);
}

/** Whether a path, relative to a Git folder, is one that Git itself uses and not that of a work tree in the folder. */
export function isPartOfGitFolder(relativePath: string): boolean {
  const [first = '', ...others] = plainNames(relativePath);
  return others.length === 0 ? partFile.test(first) || partFolders.has(first) : partFolders.has(first);
}

/** How a file contributes to a Git folder that another one names as its common folder, and which needs no `HEAD`. */
export type CommonFolderPart = 'objects' | 'refs' | 'program';

/** Returns what a path, relative to a folder, would be if the folder was a common folder of Git. */
export function commonFolderPart(relativePath: string): CommonFolderPart | undefined {
  const [first = '', second = '', ...others] = plainNames(relativePath);
  if (first === 'OBJECTS') return 'objects';
  if (first === 'REFS') return 'refs';
  if (second === '') return first === 'CONFIG' ? 'program' : undefined;
  return first === 'HOOKS' && others.length === 0 && hookName.test(second) ? 'program' : undefined;
}

function plainNames(relativePath: string): readonly string[] {
  return normalizeSpelling(relativePath.replaceAll('\\', '/')).split('/');
}
