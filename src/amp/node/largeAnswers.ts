import { EditorError } from '../../editor/common/editorPort';

/** Who asks for an answer that may be large. */
interface LargeAnswerClient {
  /** It is connected and has read most of what it was sent. */
  readonly isReading: boolean;
}

interface Turn {
  readonly client: LargeAnswerClient;
  readonly start: () => void;
}

/**
 * Lets one answer that may be large be made at a time, of all clients together, and none while there is too much that
 * they have not read. A client that is not reading is passed over, so that it keeps nobody else waiting.
 */
export class LargeAnswers {
  private readonly waiting = new Set<Turn>();
  private current: Turn | undefined;

  /** `hasRoom`: whether what all clients have yet to read leaves room for a large answer. */
  constructor(private readonly hasRoom: () => boolean) {}

  /** Turns that are taken or waited for. */
  get size(): number {
    return this.waiting.size + (this.current ? 1 : 0);
  }

  /**
   * Resolves when it is the turn of a request. The turn, or the waiting for it, ends when `signal` fires; a request that
   * has ended gets none.
   * @throws EditorError `cancelled` when `signal` fires before
   */
  take(client: LargeAnswerClient, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(cancelled());
        return;
      }
      const turn: Turn = { client, start: resolve };
      const end = (): void => {
        this.waiting.delete(turn);
        if (this.current === turn) this.current = undefined;
        reject(cancelled());
        this.startNext();
      };
      signal.addEventListener('abort', end, { once: true });
      this.waiting.add(turn);
      this.startNext();
    });
  }

  /** To be called whenever a client has read. */
  startNext(): void {
    if (this.current || this.waiting.size === 0 || !this.hasRoom()) return;
    for (const turn of this.waiting) {
      if (!turn.client.isReading) continue;
      this.current = turn;
      this.waiting.delete(turn);
      turn.start();
      return;
    }
  }
}

function cancelled(): EditorError {
  return new EditorError('cancelled', 'The request has ended.');
}
