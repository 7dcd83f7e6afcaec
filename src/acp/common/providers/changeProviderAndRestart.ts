import { messageOf } from '../../../base/common/errors';
import type { ProviderChoice } from './providerChoice';
import type { ProviderStore } from './providerStore';

/** The agent is named by its id, because several processes of it may run with earlier settings. */
interface ChangeProviderDeps {
  readonly store: Pick<ProviderStore, 'set' | 'putBack'>;
  /** @throws BackendError */
  readonly open: (agentId: string) => Promise<unknown>;
  /** Whether the agent was opened in this window. */
  readonly isOpen: (agentId: string) => boolean;
  /** Stops all processes of the agent. Never rejects. */
  readonly stop: (agentId: string) => Promise<void>;
  /** Stops all processes of the agent and starts it again. @throws BackendError */
  readonly restart: (agentId: string) => Promise<void>;
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
export async function changeProviderAndRestart(
  { isOpen, open, restart, stop, store }: ChangeProviderDeps,
  { agentId, choice, providerId }: ProviderChange,
): Promise<void> {
  if (!choice) {
    // The agent cannot refuse its own setting, and an agent that cannot be opened must not keep a choice.
    await store.set(agentId, providerId, undefined);
    if (isOpen(agentId)) await restart(agentId);
    return;
  }
  await open(agentId);
  const earlier = await store.set(agentId, providerId, choice);
  try {
    await restart(agentId);
  } catch (error) {
    await store.putBack(agentId, providerId, { mine: choice, earlier });
    await stop(agentId);
    throw new Error(`${messageOf(error)} Your change was not kept.`, { cause: error });
  }
}
