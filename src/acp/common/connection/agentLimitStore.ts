import * as z from 'zod';
import type { Memento } from '../../../base/common/memento';

const maxAgents = 100;
/** For each limited agent: the version of its program, if known. */
const Limits = z.record(z.string(), z.object({ version: z.string().optional() })).catch({});
type Limits = z.infer<typeof Limits>;

/** The memory for one agent and the way it is started. */
export interface AgentLimit {
  /** Whether the agent failed with what it is no longer given. */
  readonly isLimited: boolean;
  /** Call when the agent failed with it and works without it. `version` is the version of its program. */
  limit(version: string | undefined): void;
  /**
   * Call when a limited agent has started. If its program was updated, the store forgets the limit; `isLimited` of this object
   * stays as it is.
   */
  recordStart(version: string | undefined): void;
}

/** Remembers which agents fail with something, such as version 2 of the protocol, so that each fails only once. */
export class AgentLimitStore {
  constructor(
    private readonly memento: Memento,
    /** Name of the stored value. */
    private readonly mementoName: string,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** `key` identifies the agent and how it is started. */
  limitOf(agentKey: string): AgentLimit {
    const { limitByAgentKey } = this;
    const isLimited = Object.hasOwn(limitByAgentKey, agentKey);
    return {
      isLimited,
      limit: (version) =>
        this.store({ ...this.limitsOfOthers(agentKey), [agentKey]: version === undefined ? {} : { version } }),
      recordStart: (version) => {
        if (isLimited && limitByAgentKey[agentKey]?.version !== version) this.store(this.limitsOfOthers(agentKey));
      },
    };
  }

  private get limitByAgentKey(): Limits {
    return Limits.parse(this.memento.get(this.mementoName) ?? {});
  }

  private limitsOfOthers(agentKey: string): Limits {
    return Object.fromEntries(Object.entries(this.limitByAgentKey).filter(([name]) => name !== agentKey));
  }

  private store(limits: Limits): void {
    const newest = Object.entries(limits).slice(-maxAgents);
    Promise.resolve(this.memento.update(this.mementoName, Object.fromEntries(newest))).catch(this.onError);
  }
}
