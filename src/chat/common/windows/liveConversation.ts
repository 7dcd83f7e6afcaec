import * as z from 'zod';
import { Activity, ConversationNeed } from '../chatView';

/** What a conversation does in the window that runs it. Only while something is going on or it needs the user. */
export const LiveConversation = z.object({
  state: z.enum(['busy', 'waiting']),
  activity: z.optional(Activity).catch(undefined),
  /** Why it waits. Set if `state` is `waiting`. */
  need: z.optional(ConversationNeed).catch(undefined),
  /** When the turn began, in milliseconds since the epoch. */
  turnStartedAt: z.optional(z.number()).catch(undefined),
  /** Number of the turn, so that another one is not stopped. */
  turn: z.number(),
});
export type LiveConversation = z.infer<typeof LiveConversation>;
export type LiveConversations = Readonly<Record<string, LiveConversation>>;
