import { DisposableStore, toDisposable, type Disposable } from '../../../base/common/disposable';
import { activateGitExtension, type GitApiRepository } from './gitApi';

/** Calls the listener when the Git extension opens, closes or changes a repository. Activates the extension. */
export function watchGitRepositories(listener: () => void, onError: (error: unknown) => void): Disposable {
  const disposables = new DisposableStore();
  const watchRepositories = async (): Promise<void> => {
    const git = await activateGitExtension();
    if (!git || disposables.isDisposed) return;
    const stateListeners = new Map<GitApiRepository, Disposable>();
    const watch = (repository: GitApiRepository): void => {
      stateListeners.get(repository)?.dispose();
      stateListeners.set(repository, repository.state.onDidChange(listener));
    };
    disposables.add(
      toDisposable(() => {
        for (const stateListener of stateListeners.values()) stateListener.dispose();
      }),
    );
    disposables.add(
      git.onDidOpenRepository((repository) => {
        watch(repository);
        listener();
      }),
    );
    disposables.add(
      git.onDidCloseRepository((repository) => {
        stateListeners.get(repository)?.dispose();
        stateListeners.delete(repository);
        listener();
      }),
    );
    for (const repository of git.repositories) watch(repository);
    listener();
  };
  watchRepositories().catch(onError);
  return disposables;
}
