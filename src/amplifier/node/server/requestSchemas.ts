import * as z from 'zod';
import {
  ApprovalRequest,
  ControlMessage,
  CreateSessionRequest,
  PromptRequest,
  SessionStatusName,
} from '../../common/apiSchema';

const hasWords = /\S/u;
const emptyPrompt = 'Write something.';

/** Agents have accounts of their own: what comes as credentials is checked, and neither handed on nor kept. */
export const NewSession = CreateSessionRequest.transform(({ profile, model, context }) => ({
  profile,
  model,
  context,
}));
export type NewSession = z.infer<typeof NewSession>;

export const PromptBody = PromptRequest.extend({ prompt: z.string().regex(hasWords, emptyPrompt) });

/** `approval_id` is ours: it names the question that is meant, where several may wait. */
export const ApprovalAnswer = ApprovalRequest.extend({ approval_id: z.string().optional() });
export type ApprovalAnswer = z.infer<typeof ApprovalAnswer>;

/** What comes over the WebSocket. */
export const Control = ControlMessage.refine(
  (message) => message.action !== 'submit_prompt' || hasWords.test(message.prompt),
  { path: ['prompt'], message: emptyPrompt },
);

export const SessionQuery = z.object({
  status: SessionStatusName.optional(),
  limit: z.coerce.number().int().min(1).default(50),
});
