import type { TokenUsage } from '../../../session/common/sessionEvents';

export interface TokenCounts {
  readonly input: number;
  readonly output: number;
}

const none: TokenCounts = { input: 0, output: 0 };

/** Token usage per turn, for agents that count per turn or per session. Session counts restart with each process. */
export class TurnUsage {
  private before = none;

  /** Call when the session moves to another process. */
  restart(): void {
    this.before = none;
  }

  /** `counted` is what the agent reports at the end of a turn. */
  ofTurn(counted: TokenCounts, of: 'turn' | 'session'): TokenUsage {
    if (of === 'turn') return toUsage(counted);
    const { before } = this;
    this.before = counted;
    // A lower count means that the agent restarted counting.
    const hasRestarted = counted.input < before.input || counted.output < before.output;
    if (hasRestarted) return toUsage(counted);
    return toUsage({ input: counted.input - before.input, output: counted.output - before.output });
  }
}

function toUsage({ input, output }: TokenCounts): TokenUsage {
  return { input_tokens: input, output_tokens: output };
}
