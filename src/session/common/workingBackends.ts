import type { Disposable } from '../../base/common/disposable';
import { Emitter } from '../../base/common/event';
import type { BackendSession } from './sessionBackend';

/** Tracks which backends have a running turn in an opened session. */
export class WorkingBackends implements Disposable {
  private readonly backendIdBySession = new Map<BackendSession, string>();
  private readonly turnEndEmitter: Emitter<void>;
  /** Fires when a turn has ended. */
  readonly onDidEndTurn;

  constructor(onError: (error: unknown) => void) {
    this.turnEndEmitter = new Emitter<void>(onError);
    this.onDidEndTurn = this.turnEndEmitter.event;
  }

  /** Follows a session until it ends. Never rejects. */
  async follow(session: BackendSession, backendId: string): Promise<void> {
    this.backendIdBySession.set(session, backendId);
    try {
      for await (const { event } of session.events()) {
        if (event.event === 'prompt:complete' || event.event === 'error') this.turnEndEmitter.fire();
      }
    } catch {
      // A session that cannot be read any more has no turn.
    } finally {
      this.backendIdBySession.delete(session);
      this.turnEndEmitter.fire();
    }
  }

  isWorking(backendId: string): boolean {
    return [...this.backendIdBySession].some(([session, id]) => id === backendId && session.isBusy);
  }

  dispose(): void {
    this.turnEndEmitter.dispose();
    this.backendIdBySession.clear();
  }
}
