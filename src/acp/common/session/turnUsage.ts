import { withoutUndefined } from '../../../base/common/withoutUndefined';
import type { TokenUsage } from '../../../session/common/sessionEvents';

export interface TokenCounts {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number | undefined;
  readonly cacheWrite?: number | undefined;
  readonly thought?: number | undefined;
}

/** What the counts of a prompt's result are about. `request`: only the last request to the model, so not the turn. */
export type UsageScope = 'turn' | 'session' | 'request';

const zeroCounts: TokenCounts = { input: 0, output: 0 };

/** Calculates the usage of each turn, for agents that count per turn, or per session since the process started. */
export class TurnUsage {
  private previousCounts = zeroCounts;

  reset(): void {
    this.previousCounts = zeroCounts;
  }

  /**
   * Returns the usage of the turn, if it is known. `counts` are the numbers that the agent reports at the end of the
   * turn.
   */
  usageOfTurn(counts: TokenCounts, scope: UsageScope): TokenUsage | undefined {
    if (scope === 'request') return undefined;
    if (scope === 'turn') return toUsage(counts);
    const { previousCounts } = this;
    this.previousCounts = counts;
    const hasRestarted = counts.input < previousCounts.input || counts.output < previousCounts.output;
    return toUsage(hasRestarted ? counts : difference(counts, previousCounts));
  }
}

/** Returns the end of a turn. The counts are those of this turn. */
export function turnEndOf<Reason>({
  stopReason,
  unknownReason,
  counts,
}: {
  readonly stopReason: Reason;
  readonly unknownReason?: string | undefined;
  readonly counts?: TokenCounts;
}) {
  return { stopReason, unknownReason, ...(counts ? { usage: toUsage(counts) } : {}) };
}

function difference(counts: TokenCounts, previous: TokenCounts): TokenCounts {
  const minus = (count: number | undefined, before = 0): number | undefined =>
    count === undefined ? undefined : Math.max(0, count - before);
  return {
    input: counts.input - previous.input,
    output: counts.output - previous.output,
    cacheRead: minus(counts.cacheRead, previous.cacheRead),
    cacheWrite: minus(counts.cacheWrite, previous.cacheWrite),
    thought: minus(counts.thought, previous.thought),
  };
}

function toUsage({ input, output, cacheRead, cacheWrite, thought }: TokenCounts): TokenUsage {
  const details = { cache_read_tokens: cacheRead, cache_write_tokens: cacheWrite, thought_tokens: thought };
  return { input_tokens: input, output_tokens: output, ...withoutUndefined(details) };
}
