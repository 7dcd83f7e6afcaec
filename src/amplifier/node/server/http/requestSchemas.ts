import * as z from 'zod';
import {
  ReceivedApprovalAnswer,
  CreateSessionRequest,
  PromptRequest,
  SessionStatusName,
} from '../../../common/api/apiSchema';

const hasWords = /\S/u;
const emptyPrompt = 'The prompt must not be empty.';

/** The body for a new session. Credentials are validated and then dropped, because agents have their own accounts. */
export const NewSessionBody = CreateSessionRequest.transform(({ profile, model, context }) => ({
  profile,
  model,
  context,
}));
export type NewSessionBody = z.infer<typeof NewSessionBody>;

export const PromptBody = PromptRequest.extend({ prompt: z.string().regex(hasWords, emptyPrompt) });

/** Messages over the WebSocket. They have the same members as the bodies over HTTP, and `action`. */
export const WebSocketCommand = z.discriminatedUnion('action', [
  PromptBody.extend({ action: z.literal('submit_prompt') }),
  ReceivedApprovalAnswer.extend({ action: z.literal('submit_approval') }),
  z.object({ action: z.literal('stop') }),
]);
export type WebSocketCommand = z.infer<typeof WebSocketCommand>;

export const SessionListQuery = z.object({
  status: SessionStatusName.optional(),
  limit: z.coerce.number().int().min(1).default(50),
});
