import { EditorError } from '../../editor/common/editorPort';

/** A client that waits for a large answer. */
interface LargeAnswerClient {
  readonly isReading: boolean;
}

interface Turn {
  readonly client: LargeAnswerClient;
  readonly start: () => void;
}

/** Lets clients create large answers one at a time, while not too much sent data is unread. Skips idle clients. */
export class LargeAnswers {
  private readonly waiting = new Set<Turn>();
  private current: Turn | undefined;

  /** `hasRoom` returns whether the unread data of all clients leaves room for a large answer. */
  constructor(private readonly hasRoom: () => boolean) {}

  /** Number of turns taken or waited for. */
  get size(): number {
    return this.waiting.size + (this.current ? 1 : 0);
  }

  /** Resolves when the request gets its turn, which ends when `signal` fires. @throws EditorError `cancelled` */
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

  /** Call this whenever a client has read data. */
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
