import type { TokenUsage } from '../../../session/common/sessionEvents';

export interface TokenCounts {
  readonly input: number;
  readonly output: number;
}

const none: TokenCounts = { input: 0, output: 0 };

/**
 * What each turn of a session has used, of an agent that counts each turn or all turns together. One that counts together
 * begins at zero whenever a process of it takes the session up.
 */
export class TurnUsage {
  private before = none;

  /** The session is in another process from now on. */
  restart(): void {
    this.before = none;
  }

  /** `counted` is what the agent says at the end of a turn. */
  ofTurn(counted: TokenCounts, of: 'turn' | 'session'): TokenUsage {
    if (of === 'turn') return toUsage(counted);
    const { before } = this;
    this.before = counted;
    // A count that went back has begun anew.
    const hasRestarted = counted.input < before.input || counted.output < before.output;
    if (hasRestarted) return toUsage(counted);
    return toUsage({ input: counted.input - before.input, output: counted.output - before.output });
  }
}

function toUsage({ input, output }: TokenCounts): TokenUsage {
  return { input_tokens: input, output_tokens: output };
}
