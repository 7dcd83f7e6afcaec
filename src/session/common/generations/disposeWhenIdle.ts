import { pause, type Clock } from '../../../base/common/async';
import type { BackendSession } from '../sessionBackend';

const pollMs = 250;

/**
 * Disposes each session when it has no turn. `sessions` loses those that have ended, and may get more. Resolves when none has
 * a turn. Never rejects.
 */
export async function disposeWhenIdle(sessions: { values(): Iterable<BackendSession> }, clock: Clock): Promise<void> {
  for (;;) {
    const all = [...sessions.values()];
    for (const session of all) if (!session.isBusy) session.dispose();
    if (!all.some(({ isBusy }) => isBusy)) return;
    await pause(clock, pollMs);
  }
}
