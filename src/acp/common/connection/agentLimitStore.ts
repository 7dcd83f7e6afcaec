import * as z from 'zod';
import { withoutUndefined } from '../../../base/common/withoutUndefined';
import { AgentRecords, type AgentRecordsDeps } from './agentRecords';

/** For each agent that failed: the version of its program, if known, and how often in a row. Older versions did not count. */
const Limits = z.record(z.string(), z.object({ version: z.string().optional(), failures: z.number().optional() }));

/** One failure may have other reasons, such as a machine that is busy or an update in progress. */
const failuresOfLimited = 2;

/** The memory for one agent and the way it is started. */
export interface AgentLimit {
  /** Whether the agent failed twice in a row with what it is no longer given. */
  readonly isLimited: boolean;
  /** Call when the agent failed with it and works without it. `version` is the version of its program. */
  recordFailure(version: string | undefined): void;
  /** Call when the agent works with it: earlier failures had other reasons. */
  recordSuccess(): void;
  /**
   * Call when a limited agent has started. If its program was updated, the store forgets the limit; `isLimited` of this object
   * stays as it is.
   */
  recordStart(version: string | undefined): void;
}

/** Remembers which agents fail with something, such as version 2 of the protocol, so that each fails only twice. */
export class AgentLimitStore {
  private readonly records: AgentRecords<z.infer<typeof Limits>[string]>;

  constructor(deps: AgentRecordsDeps) {
    this.records = new AgentRecords(deps, Limits);
  }

  /** `key` identifies the agent and how it is started. */
  limitOf(agentKey: string): AgentLimit {
    const { records } = this;
    const { failures = failuresOfLimited } = records.get(agentKey) ?? { failures: 0 };
    const isLimited = failures >= failuresOfLimited;
    return {
      isLimited,
      recordFailure: (version) => {
        const before = records.get(agentKey);
        const isSame = before !== undefined && before.version === version;
        const count = isSame ? (before.failures ?? failuresOfLimited) + 1 : 1;
        records.set(agentKey, withoutUndefined({ version, failures: count }));
      },
      recordSuccess: () => {
        if (records.get(agentKey)) records.set(agentKey, undefined);
      },
      recordStart: (version) => {
        const limit = records.get(agentKey);
        if (isLimited && limit?.version !== version) records.set(agentKey, undefined);
      },
    };
  }
}
