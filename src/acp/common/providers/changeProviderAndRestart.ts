import { messageOf } from '../../../base/common/errors';
import type { SessionBackend } from '../../../session/common/sessionBackend';
import type { ProviderChoice } from './providerChoice';
import type { ProviderStore } from './providerStore';

type ChangedBackend = Pick<SessionBackend, 'stop'>;

interface ChangeProviderDeps<Backend extends ChangedBackend> {
  readonly store: Pick<ProviderStore, 'set' | 'putBack'>;
  /** @throws BackendError */
  readonly open: (agentId: string) => Promise<Backend>;
  /** The backend of an agent that was opened in this window. */
  readonly openBackend: (agentId: string) => Backend | undefined;
  /** Stops the agent and starts it again. @throws BackendError */
  readonly restart: (backend: Backend) => Promise<void>;
}

interface ProviderChange {
  readonly agentId: string;
  readonly providerId: string;
  /** Undefined for the agent's own setting. */
  readonly choice: ProviderChoice | undefined;
}

/**
 * Stores a choice and restarts the agent with it. If the agent does not accept the choice, restores the earlier one.
 * @throws Error
 */
export async function changeProviderAndRestart<Backend extends ChangedBackend>(
  { open, openBackend, restart, store }: ChangeProviderDeps<Backend>,
  { agentId, choice, providerId }: ProviderChange,
): Promise<void> {
  if (!choice) {
    // The agent cannot refuse its own setting, and an agent that cannot be opened must not keep a choice.
    await store.set(agentId, providerId, undefined);
    const opened = openBackend(agentId);
    if (opened) await restart(opened);
    return;
  }
  const backend = await open(agentId);
  const earlier = await store.set(agentId, providerId, choice);
  try {
    await restart(backend);
  } catch (error) {
    await store.putBack(agentId, providerId, { mine: choice, earlier });
    await backend.stop();
    throw new Error(`${messageOf(error)} Your change was not kept.`, { cause: error });
  }
}
