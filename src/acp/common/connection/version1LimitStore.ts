import * as z from 'zod';
import type { Memento } from '../../../base/common/memento';

const mementoName = 'backline.agentsLimitedToVersion1';
const maxAgents = 100;
/** For each agent that fails with version 2 of the protocol: the version of the agent's program, if known. */
const Limits = z.record(z.string(), z.object({ version: z.string().optional() })).catch({});
type Limits = z.infer<typeof Limits>;

/** The memory for one agent and the way it is started. */
export interface AgentVersion1Limit {
  /** Whether the agent failed when version 2 of the protocol was offered to it. */
  readonly isLimitedTo1: boolean;
  /** Call when the agent failed with version 2 and works with version 1. `version` is the version of its program. */
  limitTo1(version: string | undefined): void;
  /**
   * Call when an agent that is limited to version 1 has started. If its program was updated, version 2 of the protocol
   * is offered at the next start.
   */
  recordStart(version: string | undefined): void;
}

/** Remembers which agents fail when version 2 of the protocol is offered, so that each is restarted only once. */
export class Version1LimitStore {
  constructor(
    private readonly memento: Memento,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** `key` identifies the agent and how it is started. */
  limitOf(agentKey: string): AgentVersion1Limit {
    const { limitByAgentKey } = this;
    const isLimitedTo1 = Object.hasOwn(limitByAgentKey, agentKey);
    return {
      isLimitedTo1,
      limitTo1: (version) =>
        this.store({ ...this.limitsOfOthers(agentKey), [agentKey]: version === undefined ? {} : { version } }),
      recordStart: (version) => {
        if (isLimitedTo1 && limitByAgentKey[agentKey]?.version !== version) this.store(this.limitsOfOthers(agentKey));
      },
    };
  }

  private get limitByAgentKey(): Limits {
    return Limits.parse(this.memento.get(mementoName) ?? {});
  }

  private limitsOfOthers(agentKey: string): Limits {
    return Object.fromEntries(Object.entries(this.limitByAgentKey).filter(([name]) => name !== agentKey));
  }

  private store(limits: Limits): void {
    const newest = Object.entries(limits).slice(-maxAgents);
    Promise.resolve(this.memento.update(mementoName, Object.fromEntries(newest))).catch(this.onError);
  }
}
