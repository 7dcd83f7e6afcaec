import { withDeadline, type Clock } from '../../../base/common/async';
import type { BackendSession } from '../../../session/common/sessionBackend';
import type { SessionEvent } from '../../../session/common/sessionEvents';

/** Time limit in milliseconds. VS Code ends the extension host a few seconds after it closes the window. */
const limitMs = 1000;

/**
 * Cancels a turn because the window closes. Output of the agent until the end of the turn must be recorded, because the
 * agent's own history also contains it.
 */
export class TurnInterruption {
  private readonly turnEnd: PromiseWithResolvers<void> = Promise.withResolvers();

  constructor(private readonly clock: Clock) {}

  /** Resolves when the turn has ended or the time is up. Never rejects. */
  async run(session: BackendSession | undefined): Promise<void> {
    if (!session?.interrupt) return;
    void session.interrupt();
    await withDeadline(this.clock, 'ending the turn', limitMs, () => this.turnEnd.promise).catch(() => undefined);
  }

  handleTurnEnd(): void {
    this.turnEnd.resolve();
  }

  /** Returns whether the event ends the turn early. In that case, the interruption is recorded instead of the event. */
  consumeEarlyEnd(event: SessionEvent): boolean {
    const isEnd = endsEarly(event);
    if (isEnd) this.turnEnd.resolve();
    return isEnd;
  }
}

function endsEarly(event: SessionEvent): boolean {
  if (event.event !== 'prompt:complete') return event.event === 'error' || event.event === 'session:end';
  const { stop_reason: reason } = event.data;
  return reason === 'cancelled' || reason === 'interrupted';
}
