import { withoutUndefined } from '../../../base/common/withoutUndefined';
import type { BackendEntry } from '../../../session/common/backendRegistry';
import type { BackendState } from '../../../session/common/sessionBackend';
import type { BackendView } from '../chatView';

/** Builds the view of a backend. `state` is undefined if this window has not used the backend. */
export function backendView(
  {
    isListingUnsupported: cannotList,
    defaults,
    description,
    health,
    id,
    install,
    instructionFiles,
    needsPermission,
    needsSignIn,
    problem,
    remoteHost,
    source,
    title,
  }: BackendEntry,
  state: BackendState | undefined,
): BackendView {
  const isStopped = state === undefined || state.kind === 'stopped';
  const isTroubled = state?.kind === 'failed' || state?.kind === 'authRequired';
  // The state of a backend in use is more recent than its health.
  const currentHealth = problem === undefined && isStopped ? health : undefined;
  const version =
    state?.kind === 'ready' ? state.version : currentHealth?.kind === 'answers' ? currentHealth.version : undefined;
  const message =
    problem ??
    (isTroubled ? state.message : currentHealth && 'message' in currentHealth ? currentHealth.message : undefined);
  const kind = source === 'server' ? (kindOfServer(state) ?? currentHealth?.kind) : currentHealth?.kind;
  return {
    id,
    title,
    description,
    source,
    state: problem !== undefined ? 'unavailable' : isStopped ? (needsSignIn ? 'authRequired' : 'stopped') : state.kind,
    ...(needsPermission ? { needsPermission } : {}),
    ...(cannotList ? { cannotList } : {}),
    ...(instructionFiles ? { instructionFiles: instructionFiles.map((globs) => [...globs]) } : {}),
    ...withoutUndefined({ problem: message, defaults, install, remoteHost }),
    ...(kind === undefined ? {} : { health: { kind, ...(version === undefined ? {} : { version }) } }),
  };
}

function kindOfServer(state: BackendState | undefined): 'answers' | 'needsToken' | undefined {
  if (state?.kind === 'ready') return 'answers';
  return state?.kind === 'authRequired' ? 'needsToken' : undefined;
}
