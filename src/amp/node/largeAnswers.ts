import { EditorError } from '../../editor/common/editorPort';

/** A request whose answer may be large. */
export interface LargeRequest {
  readonly client: {
    /** It is connected and has read most of what it was sent. */
    readonly isReading: boolean;
  };
}

interface Turn {
  readonly start: () => void;
  readonly cancel: (reason: EditorError) => void;
}

/**
 * Lets one answer that may be large be made at a time, of all clients together, and none while there is too much that
 * they have not read. A client that is not reading is passed over, so that it keeps nobody else waiting.
 */
export class LargeAnswers {
  private readonly waiting = new Map<LargeRequest, Turn>();
  private current: LargeRequest | undefined;

  /** `hasRoom`: whether what all clients have yet to read leaves room for a large answer. */
  constructor(private readonly hasRoom: () => boolean) {}

  /**
   * Resolves when it is the turn of this request, which asks once. The turn lasts until `end`.
   * @throws EditorError `cancelled` when it is ended before
   */
  take(request: LargeRequest): Promise<void> {
    return new Promise((resolve, reject) => {
      this.waiting.set(request, { start: resolve, cancel: reject });
      this.startNext();
    });
  }

  /** The answer has been sent, or will never be. Does nothing for a request that has not asked for a turn. */
  end(request: LargeRequest): void {
    const turn = this.waiting.get(request);
    this.waiting.delete(request);
    turn?.cancel(new EditorError('cancelled', 'Nobody waits for the answer any more.'));
    if (this.current !== request) return;
    this.current = undefined;
    this.startNext();
  }

  /** To be called whenever a client has read. */
  startNext(): void {
    if (this.current || this.waiting.size === 0 || !this.hasRoom()) return;
    for (const [request, turn] of this.waiting) {
      if (!request.client.isReading) continue;
      this.current = request;
      this.waiting.delete(request);
      turn.start();
      return;
    }
  }
}
