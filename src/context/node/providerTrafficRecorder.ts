import type { Clock } from '../../base/common/async';
import { errorCode } from '../../base/common/errors';
import type { TrafficTap } from '../../wire/common/traffic';
import { RequestCancelledError } from '../common/providers/callWithTimeout';

/** Records the messages of one provider while the traffic view is open. */
export class ProviderTrafficRecorder {
  constructor(
    private readonly tap: TrafficTap,
    private readonly clock: Clock,
    /** Display name of the provider in the traffic view. */
    private readonly peer: string,
  ) {}

  /** Records a call. Sizes are only computed while the traffic view is open. */
  async record<T>(
    method: string,
    bytesOut: () => number,
    work: () => Promise<T>,
    bytesIn: (answer: T) => number,
  ): Promise<T> {
    const { tap, peer } = this;
    if (!tap.isRecording) return await work();
    const startMs = this.clock.monotonicNow();
    const entry = { protocol: 'context', peer, method } as const;
    const recordAnswer = (bytes: number, details: { readonly error?: string } = {}): void =>
      tap.record({ ...entry, direction: 'in', bytes, durationMs: this.clock.monotonicNow() - startMs, ...details });
    tap.record({ ...entry, direction: 'out', bytes: bytesOut() });
    try {
      const answer = await work();
      recordAnswer(bytesIn(answer));
      return answer;
    } catch (error) {
      recordAnswer(0, { error: nameOf(error) });
      throw error;
    }
  }
}

/** Returns the name of an error. Omits its message, which may contain a secret. */
function nameOf(error: unknown): string {
  if (error instanceof RequestCancelledError) return 'cancelled';
  return errorCode(error) ?? (error instanceof Error ? error.name : 'failed');
}
