import type { ContentBlock } from '@agentclientprotocol/sdk';
import * as z from 'zod';
import { BackendError } from '../../../session/common/sessionBackend';
import type { AgentClient } from '../connection/agentClient';
import type { AgentRequestRunner } from '../connection/agentRequestRunner';
import { toBackendError } from '../connection/agentErrors';
import { parseAnswer } from '../connection/protocolRequests';
import { steeringMethod } from '../connection/sdkStream';

/** Claude and Codex answer with this. `startedNewTurn`: the agent has the prompt, and began a turn of its own with it. */
const SteeringAnswer = z.looseObject({ outcome: z.enum(['injected', 'promptRequired', 'startedNewTurn', 'failed']) });

/** Agents answer at once. Until then, no other prompt can join, and this one can't be taken back. */
const timeoutMs = 10_000;

/**
 * Asks the agent to take a prompt into its turn. Without a turn, it must not take it, because some agents never report the end of
 * the turn that would begin. @throws BackendError, see `BackendSession.steer`
 */
export async function askToSteer(
  client: Pick<AgentClient, 'send'>,
  sessionId: string,
  prompt: readonly ContentBlock[],
  { agent, owner }: { readonly agent: AgentRequestRunner; readonly owner: object },
): Promise<'joined' | 'noTurn'> {
  const params = { sessionId, prompt, _meta: { steering: { idleBehavior: 'promptRequired' } } };
  try {
    const send = (deadline: AbortSignal): Promise<unknown> => client.send(steeringMethod, params, deadline);
    const answer = await agent.requestWithTimeout(steeringMethod, undefined, send, owner, timeoutMs);
    const { outcome } = parseAnswer(SteeringAnswer, answer, steeringMethod);
    if (outcome === 'promptRequired') return 'noTurn';
    if (outcome !== 'failed') return 'joined';
  } catch (error) {
    // Not the reason for which the process has ended: without an answer, it is not known whether it had the prompt.
    throw toBackendError(error, agent.title);
  }
  throw new BackendError('backend', `${agent.title} could not take it.`);
}
