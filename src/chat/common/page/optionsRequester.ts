import type { BackendChoice } from './backendChoice';
import type { NewSessionOptions } from './newSessionOptions';

/**
 * Returns a function to call whenever the backends may have changed. It requests the options of the chosen backend once in each of
 * its states, because a server may offer other options after a restart.
 */
export function createOptionsRequester(
  backends: Pick<BackendChoice, 'backendViews' | 'chosenBackend'>,
  newOptions: Pick<NewSessionOptions, 'of' | 'setBackends'>,
): () => void {
  let requestedKey = '';
  return () => {
    const { chosenBackend, backendViews } = backends;
    newOptions.setBackends(backendViews);
    const key = chosenBackend
      ? `${chosenBackend.id} ${chosenBackend.description} ${chosenBackend.state} ${chosenBackend.health?.kind ?? ''}`
      : '';
    if (!chosenBackend || key === requestedKey) return;
    requestedKey = key;
    void newOptions.of(chosenBackend.id).refresh?.();
  };
}
