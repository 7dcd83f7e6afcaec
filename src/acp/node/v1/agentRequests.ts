import { RequestError } from '@agentclientprotocol/sdk';
import { raceSignal } from '../../../base/common/async';

/** Rejects as the protocol has it when the agent takes its request back, whether or not the work obeys the signal. */
export function unlessCancelled<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return raceSignal(work, signal, () => RequestError.requestCancelled());
}

interface SessionRequest {
  readonly sessionId: string | undefined;
  /** What the agent calls it when it speaks of it later. */
  readonly id: string | undefined;
}

/** Questions of the agent that are open, each with a way to end it when its session or the agent has no more use for it. */
export class OpenRequests {
  private readonly open = new Map<AbortController, SessionRequest>();

  async run<T>(request: SessionRequest, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    this.open.set(controller, request);
    try {
      return await work(AbortSignal.any([signal, controller.signal]));
    } finally {
      this.open.delete(controller);
    }
  }

  abort(which: (request: SessionRequest) => boolean): void {
    for (const [controller, request] of this.open) if (which(request)) controller.abort();
  }
}
