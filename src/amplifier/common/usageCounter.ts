import type { TokenUsage } from '../../session/common/sessionEvents';

/** Token usage per turn, also of servers that count the whole session. */
export class UsageCounter {
  /** Whether `token_usage` of a completed prompt counts the whole session, as the server that exists does. */
  isCumulative = false;
  private soFar: TokenUsage = { input_tokens: 0, output_tokens: 0 };

  /** The total of the session up to now; the next turn counts from there. */
  startFrom(total: TokenUsage): void {
    this.soFar = total;
  }

  /** Of the turn whose end reports `reported`. */
  ofTurn(reported: TokenUsage): TokenUsage {
    if (!this.isCumulative) return reported;
    const before = this.soFar;
    this.soFar = reported;
    const input = reported.input_tokens - before.input_tokens;
    const output = reported.output_tokens - before.output_tokens;
    // A count that went back has started anew.
    return input < 0 || output < 0 ? reported : { input_tokens: input, output_tokens: output };
  }
}
