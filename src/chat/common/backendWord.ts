import type { BackendView } from './chatView';

type State = BackendView['state'];

/**
 * What a list says about a backend; `stateWords` are its words for the states. A server runs without Backline, so what is known
 * of it is whether it answers.
 */
export function backendWord(
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
      return 'does not answer';
  }
}

/** The state to picture: a server that answers is ready, though Backline has not used it. */
export function picturedState({ health, state }: Pick<BackendView, 'health' | 'state'>): State {
  return state === 'stopped' && health?.kind === 'answers' ? 'ready' : state;
}
