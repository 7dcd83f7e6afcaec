import * as z from 'zod';
import { withoutUndefined } from '../../../base/common/withoutUndefined';
import { AgentRecords, type AgentRecordsDeps } from './agentRecords';

/** For each limited agent: the version of its program, if known. */
const Limits = z.record(z.string(), z.object({ version: z.string().optional() }));

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
  private readonly records: AgentRecords<z.infer<typeof Limits>[string]>;

  constructor(deps: AgentRecordsDeps) {
    this.records = new AgentRecords(deps, Limits);
  }

  /** `key` identifies the agent and how it is started. */
  limitOf(agentKey: string): AgentLimit {
    const { records } = this;
    const isLimited = records.get(agentKey) !== undefined;
    return {
      isLimited,
      limit: (version) => records.set(agentKey, withoutUndefined({ version })),
      recordStart: (version) => {
        const limit = records.get(agentKey);
        if (isLimited && limit?.version !== version) records.set(agentKey, undefined);
      },
    };
  }
}
