import type { TokenUsage } from '../../../session/common/sessionEvents';

export interface TokenCounts {
  readonly input: number;
  readonly output: number;
}

const zeroCounts: TokenCounts = { input: 0, output: 0 };

/** Calculates the usage of each turn, for agents that count per turn, or per session since the process started. */
export class TurnUsage {
  private previousCounts = zeroCounts;

  reset(): void {
    this.previousCounts = zeroCounts;
  }

  /** Returns the usage of the turn. `counts` are the numbers that the agent reports at the end of the turn. */
  usageOfTurn(counts: TokenCounts, scope: 'turn' | 'session'): TokenUsage {
    if (scope === 'turn') return toUsage(counts);
    const { previousCounts } = this;
    this.previousCounts = counts;
    const hasRestarted = counts.input < previousCounts.input || counts.output < previousCounts.output;
    if (hasRestarted) return toUsage(counts);
    return toUsage({ input: counts.input - previousCounts.input, output: counts.output - previousCounts.output });
  }
}

/** Returns the end of a turn. The counts are those of this turn. */
export function turnEndOf<Reason>({
  stopReason,
  counts,
}: {
  readonly stopReason: Reason;
  readonly counts?: TokenCounts;
}) {
  return { stopReason, ...(counts ? { usage: toUsage(counts) } : {}) };
}

function toUsage({ input, output }: TokenCounts): TokenUsage {
  return { input_tokens: input, output_tokens: output };
}
