import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/common/disposable';

type Listen = (listener: () => void) => Disposable;
interface Repository {
  readonly rootUri: vscode.Uri;
  readonly state: { readonly onDidChange: Listen };
}
/** Partial API of VS Code's Git extension. */
interface GitExtension {
  getAPI(version: 1): {
    readonly repositories: readonly Repository[];
    onDidOpenRepository(listener: (repository: Repository) => void): Disposable;
    onDidCloseRepository(listener: (repository: Repository) => void): Disposable;
  };
}

/** Calls the listener when VS Code's Git extension opens or closes a repository or sees a change. Activates the extension. */
export function watchGit(listener: () => void, onError: (error: unknown) => void): Disposable {
  const store = new DisposableStore();
  const extension = vscode.extensions.getExtension<GitExtension>('vscode.git');
  if (!extension || !vscode.workspace.getConfiguration('git').get<boolean>('enabled', true)) return store;
  const follow = async (): Promise<void> => {
    const exported = extension.isActive ? extension.exports : await extension.activate();
    if (store.isDisposed) return;
    const git = exported.getAPI(1);
    const states = new Map<Repository, Disposable>();
    const opened = (repository: Repository): void => {
      states.get(repository)?.dispose();
      states.set(repository, repository.state.onDidChange(listener));
    };
    store.add({
      dispose: () => {
        for (const state of states.values()) state.dispose();
      },
    });
    store.add(
      git.onDidOpenRepository((repository) => {
        opened(repository);
        listener();
      }),
    );
    store.add(
      git.onDidCloseRepository((repository) => {
        states.get(repository)?.dispose();
        states.delete(repository);
        listener();
      }),
    );
    for (const repository of git.repositories) opened(repository);
    listener();
  };
  follow().catch(onError);
  return store;
}
