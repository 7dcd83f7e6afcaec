import { EditorError } from '../../editor/common/editorPort';

interface LargeAnswerClient {
  readonly isReading: boolean;
}

interface WaitingRequest {
  readonly client: LargeAnswerClient;
  readonly start: () => void;
}

/** Lets clients create large answers, one at a time, when earlier ones are mostly sent. Skips those not reading. */
export class LargeAnswerQueue {
  private readonly waitingRequests = new Set<WaitingRequest>();
  private currentRequest: WaitingRequest | undefined;

  /** `checkRoomForLargeAnswer`: whether the unread data of all clients is small enough for another one. */
  constructor(private readonly checkRoomForLargeAnswer: () => boolean) {}

  get requestCount(): number {
    return this.waitingRequests.size + (this.currentRequest ? 1 : 0);
  }

  /** Resolves when it is the turn of the request. The turn ends when `signal` fires. @throws EditorError `cancelled` */
  awaitTurn(client: LargeAnswerClient, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) {
        reject(cancelledError());
        return;
      }
      const request: WaitingRequest = { client, start: resolve };
      const end = (): void => {
        this.waitingRequests.delete(request);
        if (this.currentRequest === request) this.currentRequest = undefined;
        reject(cancelledError());
        this.startNextRequest();
      };
      signal.addEventListener('abort', end, { once: true });
      this.waitingRequests.add(request);
      this.startNextRequest();
    });
  }

  /** Call whenever a client has read data. */
  startNextRequest(): void {
    if (this.currentRequest || this.waitingRequests.size === 0 || !this.checkRoomForLargeAnswer()) return;
    for (const request of this.waitingRequests) {
      if (!request.client.isReading) continue;
      this.currentRequest = request;
      this.waitingRequests.delete(request);
      request.start();
      return;
    }
  }
}

function cancelledError(): EditorError {
  return new EditorError('cancelled', 'The request has ended.');
}
