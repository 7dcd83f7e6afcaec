import type { Disposable } from '../../base/common/disposable';
import { Emitter } from '../../base/common/event';
import type { BackendSession } from './sessionBackend';
import type { SessionObserver } from './sessionObserver';

/** Tracks which backends have a running turn in an opened session. */
export class WorkingBackends implements Disposable {
  /** Contains the sessions in which a turn runs. */
  private readonly backendIdBySession = new Map<BackendSession, string>();
  private readonly turnEndEmitter: Emitter<void>;
  /** Fires when a turn has ended. */
  readonly onDidEndTurn;

  constructor(onError: (error: unknown) => void) {
    this.turnEndEmitter = new Emitter<void>(onError);
    this.onDidEndTurn = this.turnEndEmitter.event;
  }

  /** Follows a session until it ends. The subscription belongs to the session, so nothing has to be disposed. */
  readonly follow: SessionObserver = (session, backendId) => {
    const update = (): void => {
      if (session.turn !== 'none') this.backendIdBySession.set(session, backendId);
      else if (this.backendIdBySession.delete(session)) this.turnEndEmitter.fire();
    };
    session.onDidChangeTurn(update);
    update();
  };

  isWorking(backendId: string): boolean {
    return [...this.backendIdBySession.values()].includes(backendId);
  }

  dispose(): void {
    this.turnEndEmitter.dispose();
    this.backendIdBySession.clear();
  }
}
