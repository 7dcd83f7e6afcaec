import type { BackendView } from './chatView';

type State = BackendView['state'];

/** Returns the state of a backend as shown in a list. For a server, its health is shown instead of `stateWords`. */
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

/** The state whose icon to show: a server that answers counts as ready even if Backline has not used it yet. */
export function displayedState({ health, state }: Pick<BackendView, 'health' | 'state'>): State {
  return state === 'stopped' && health?.kind === 'answers' ? 'ready' : state;
}
