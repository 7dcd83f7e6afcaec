import { withDeadline, type Clock } from '../../../base/common/async';
import type { BackendSession } from '../../../session/common/sessionBackend';
import type { SessionEvent } from '../../../session/common/sessionEvents';

/** VS Code ends the extension host a few seconds after it closes the window. */
const limitMs = 1000;

/**
 * Cancels a turn because the window closes. What the agent says until the turn ends must be recorded, since the agent's own
 * history has it, too.
 */
export class TurnInterruption {
  private readonly turnEnd: PromiseWithResolvers<void> = Promise.withResolvers();

  constructor(private readonly clock: Clock) {}

  /** Resolves when the turn has ended, or has not ended in time. Never rejects. */
  async run(session: BackendSession | undefined): Promise<void> {
    if (!session?.interrupt) return;
    void session.interrupt();
    await withDeadline(this.clock, 'ending the turn', limitMs, () => this.turnEnd.promise).catch(() => undefined);
  }

  handleTurnEnd(): void {
    this.turnEnd.resolve();
  }

  /** Returns whether the event ends the turn early. The interruption is recorded instead of it. */
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
