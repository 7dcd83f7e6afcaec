import { EditorError } from '../../editor/common/editorPort';

interface LargeAnswerClient {
  readonly isReading: boolean;
}

interface Turn {
  readonly client: LargeAnswerClient;
  readonly start: () => void;
}

/**
 * Lets clients create large answers, one at a time, as soon as earlier answers have mostly been sent. Skips clients
 * that are not reading.
 */
export class LargeAnswerQueue {
  private readonly queuedTurns = new Set<Turn>();
  private currentTurn: Turn | undefined;

  /**
   * `hasRoomForLargeAnswer` returns whether the unread data of all clients is small enough for another large answer.
   */
  constructor(private readonly hasRoomForLargeAnswer: () => boolean) {}

  get turnCount(): number {
    return this.queuedTurns.size + (this.currentTurn ? 1 : 0);
  }

  /** Resolves when it is the turn of the request. The turn ends when `signal` fires. @throws EditorError `cancelled` */
  awaitTurn(client: LargeAnswerClient, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(cancelledError());
        return;
      }
      const turn: Turn = { client, start: resolve };
      const end = (): void => {
        this.queuedTurns.delete(turn);
        if (this.currentTurn === turn) this.currentTurn = undefined;
        reject(cancelledError());
        this.startNextTurn();
      };
      signal.addEventListener('abort', end, { once: true });
      this.queuedTurns.add(turn);
      this.startNextTurn();
    });
  }

  /** Call whenever a client has read data. */
  startNextTurn(): void {
    if (this.currentTurn || this.queuedTurns.size === 0 || !this.hasRoomForLargeAnswer()) return;
    for (const turn of this.queuedTurns) {
      if (!turn.client.isReading) continue;
      this.currentTurn = turn;
      this.queuedTurns.delete(turn);
      turn.start();
      return;
    }
  }
}

function cancelledError(): EditorError {
  return new EditorError('cancelled', 'The request has ended.');
}
