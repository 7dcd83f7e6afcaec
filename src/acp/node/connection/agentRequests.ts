import { RequestError, type CreateElicitationRequest } from '@agentclientprotocol/sdk';
import * as z from 'zod';
import { raceSignal } from '../../../base/common/async';

/** Rejects with `requestCancelled` as soon as the agent cancels its request, even if the work ignores the signal. */
export function unlessCancelled<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return raceSignal(work, signal, () => RequestError.requestCancelled());
}

interface SessionRequest {
  readonly sessionId: string | undefined;
  readonly id: string | undefined;
}

/** Open requests of the agent, which can be aborted when their session or the agent no longer needs them. */
export class OpenAgentRequests {
  private readonly requestsByController = new Map<AbortController, SessionRequest>();

  async run<T>(request: SessionRequest, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    this.requestsByController.set(controller, request);
    try {
      return await work(AbortSignal.any([signal, controller.signal]));
    } finally {
      this.requestsByController.delete(controller);
    }
  }

  abortMatching(matches: (request: SessionRequest) => boolean): void {
    for (const [controller, request] of this.requestsByController) if (matches(request)) controller.abort();
  }
}

const ElicitationIds = z.looseObject({
  sessionId: z.string().optional().catch(undefined),
  elicitationId: z.string().optional().catch(undefined),
});

/** Of what belongs to no session, `sessionId` is missing. */
export function idsOfElicitation(request: CreateElicitationRequest) {
  const { sessionId, elicitationId } = ElicitationIds.parse(request);
  return { sessionId, id: elicitationId };
}
