import type { BackendView } from './chatView';

type State = BackendView['state'];

/** Returns the text for a backend's state in a list. For a server, this is its health instead of `stateWords`. */
export function backendStateLabel(
  { health, needsPermission, state }: Pick<BackendView, 'health' | 'needsPermission' | 'state'>,
  stateWords: Readonly<Record<State, string>>,
): string {
  if (needsPermission) return 'needs your permission';
  if (health?.kind === 'needsToken') return 'needs a token';
  if (!health || (state !== 'stopped' && state !== 'ready')) return stateWords[state];
  switch (health.kind) {
    case 'asking':
      return 'checking…';
    case 'answers':
      return health.version === undefined ? 'running' : `running (version ${health.version})`;
    case 'silent':
      return 'unavailable';
  }
}

/** Returns the state whose icon is shown. A server that responds counts as ready, even if it was never used. */
export function displayedState({ health, state }: Pick<BackendView, 'health' | 'state'>): State {
  return state === 'stopped' && health?.kind === 'answers' ? 'ready' : state;
}
