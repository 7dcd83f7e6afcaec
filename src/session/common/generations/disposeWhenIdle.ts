import type { BackendSession } from '../sessionBackend';
import { whenTurnEnds } from '../sessionTurn';

/**
 * Disposes each session when it has no turn. `sessions` loses those that have ended, and may get more. Resolves when none has
 * a turn. Never rejects.
 */
export async function disposeWhenIdle(sessions: { values(): Iterable<BackendSession> }): Promise<void> {
  for (;;) {
    const working: BackendSession[] = [];
    for (const session of [...sessions.values()]) {
      if (session.turn === 'none') session.dispose();
      else working.push(session);
    }
    if (working.length === 0) return;
    await Promise.race(working.map((session) => whenTurnEnds(session)));
  }
}
