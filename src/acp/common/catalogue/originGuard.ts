import { toVisibleText } from '../../../base/common/text/visibleText';
import { BackendError } from '../../../session/common/sessionBackend';
import { isKnownOrigin, type AgentOrigin, type OriginClaim, type OriginStore } from './agentOrigins';

/** What is stored for the id of an agent. */
export interface StoredForAgent {
  /** Names of the variables that have a key. */
  readonly keys: readonly string[];
  readonly hasProviders: boolean;
  readonly ruleCount: number;
  readonly hasPolicy: boolean;
}

interface OriginGuardDeps {
  readonly store: OriginStore;
  readonly storedFor: (id: string) => Promise<StoredForAgent>;
  /** Deletes keys, providers and rules, but not the policy, which is a setting. */
  readonly deleteStored: (id: string) => Promise<void>;
  /** Forgets whether the agent needs a sign-in. */
  readonly forgetSignIn: (id: string) => Promise<void>;
  readonly ask: (question: OriginQuestion) => Promise<'use' | 'delete' | undefined>;
}

export interface OriginQuestion {
  readonly message: string;
  readonly detail: string;
  /** Whether there is something that can be deleted. */
  readonly canDelete: boolean;
}

interface AgentWithIdentity {
  readonly id: string;
  readonly title: string;
  readonly source: string;
  readonly identity?: { readonly origin: AgentOrigin; readonly claim: OriginClaim };
}

/** Asks once before a program uses what is stored for an id that perhaps belonged to another program. */
export class OriginGuard {
  constructor(private readonly deps: OriginGuardDeps) {}

  /** @throws BackendError if the user has not decided, or if keys are stored that cannot be read */
  async settle({ id, identity, source, title }: AgentWithIdentity): Promise<void> {
    const { ask, deleteStored, forgetSignIn, store, storedFor } = this.deps;
    // A program whose id belongs to another one has an id of its own, which contains its origin.
    if (!identity || identity.claim === 'foreign' || store.holderOf(id) === identity.origin) return;
    // A policy can be older than the installation of the first program that has its name.
    if (identity.claim === 'uncertain' || source === 'installed') {
      const stored = await storedFor(id);
      // The policy and an entry of the settings are both written by the user.
      const hasPolicy = stored.hasPolicy && source !== 'configured' && !isKnownOrigin(identity.origin);
      const answer = isEmpty(stored) && !hasPolicy ? 'use' : await ask(originQuestion(title, id, stored, hasPolicy));
      if (answer === undefined)
        throw new BackendError('notReady', `${title} was not started, because you have not decided about its keys.`);
      if (answer === 'delete') await deleteStored(id);
      await forgetSignIn(id);
    }
    await store.claim([{ id, origin: identity.origin }]);
  }
}

/**
 * Records who holds the ids of the agents that exist, so that a program that gets one of them later is recognized. An
 * installed program whose id has a policy already is settled when it is used first.
 */
export async function recordHolders(
  agents: readonly AgentWithIdentity[],
  store: OriginStore,
  hasPolicy: (id: string) => boolean,
): Promise<void> {
  const certain = agents.flatMap(({ id, identity, source }) => {
    if (identity?.claim !== 'own') return [];
    const { origin } = identity;
    const mustAsk = source === 'installed' && !isKnownOrigin(origin) && hasPolicy(id);
    return mustAsk && store.holderOf(id) === undefined ? [] : [{ id, origin }];
  });
  await store.claim(certain);
}

function isEmpty({ hasProviders, keys, ruleCount }: StoredForAgent): boolean {
  return keys.length === 0 && !hasProviders && ruleCount === 0;
}

function originQuestion(title: string, id: string, stored: StoredForAgent, hasPolicy: boolean): OriginQuestion {
  const { hasProviders, keys, ruleCount } = stored;
  const things = [
    keys.length === 0 ? undefined : `keys: ${keys.map((key) => toVisibleText(key)).join(', ')}`,
    hasProviders ? 'LLM providers' : undefined,
    ruleCount === 0 ? undefined : `${ruleCount} ${ruleCount === 1 ? 'permission rule' : 'permission rules'}`,
    hasPolicy ? 'permissions in the setting backline.permissions' : undefined,
  ].filter((thing) => thing !== undefined);
  const detail = [
    `These are stored for “${toVisibleText(id)}”, perhaps for another program than the one that starts now:`,
    ...things.map((thing) => `• ${thing}`),
    '',
    'If you don’t expect this, cancel, and look at where the agent comes from on the page Agents.',
  ];
  return {
    message: `Let ${toVisibleText(title)} use what is stored for its name?`,
    detail: detail.join('\n'),
    canDelete: !isEmpty(stored) && !hasPolicy,
  };
}
