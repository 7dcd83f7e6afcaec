import * as vscode from 'vscode';
import type { Disposable } from '../../../base/common/disposable';

/** The part of the API of VS Code's Git extension that Backline needs. */
interface GitApi {
  readonly repositories: readonly GitApiRepository[];
  getRepository(uri: vscode.Uri): GitApiRepository | null;
  onDidOpenRepository(listener: (repository: GitApiRepository) => void): Disposable;
  onDidCloseRepository(listener: (repository: GitApiRepository) => void): Disposable;
}

export interface GitApiRepository {
  readonly rootUri: vscode.Uri;
  /** VS Code's object has more members. Callers must validate those that they use. */
  readonly state: { onDidChange(listener: () => void): Disposable };
  readonly inputBox: { value: string };
  diffWithHEAD(path: string): Promise<string>;
  diffIndexWithHEAD(path: string): Promise<string>;
  /** Rejects before the first commit. */
  log(options: { readonly maxEntries: number }): Promise<readonly { readonly message: string }[]>;
  /** Returns a file (absolute path) of a commit or of the index. `:1` is the common ancestor in a merge. */
  show(ref: string, path: string): Promise<string>;
  /** Reads the state of the repository again. */
  status(): Promise<void>;
}

/** Activates VS Code's Git extension. Returns undefined if it is missing or turned off in the settings. */
export async function activateGitExtension(): Promise<GitApi | undefined> {
  const extension = vscode.extensions.getExtension<{ getAPI(version: 1): GitApi }>('vscode.git');
  if (!extension || !vscode.workspace.getConfiguration('git').get<boolean>('enabled', true)) return undefined;
  return (extension.isActive ? extension.exports : await extension.activate()).getAPI(1);
}
