import * as z from 'zod';
import type { Event } from '../../../base/common/event';
import { ChatError, type ApprovalAnswer } from '../chatPorts';
import { Draft } from '../chatView';
import { emptyDraft, isEmptyDraft } from '../conversation/drafts';
import type { LiveConversation, LiveConversations } from './liveConversation';

export const notRunningText = 'No other window runs this conversation now.';

/** What a window asks of the one that runs a conversation. */
export const WindowRequest = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('answer'),
    approval: z.string(),
    /** `shown` of the approval that the user saw. */
    shown: z.string(),
    /** The label of the chosen option. */
    option: z.string(),
    /** Sent as the next prompt. */
    reason: z.optional(Draft),
  }),
  z.object({ kind: z.literal('stop'), turn: z.number() }),
  /** Shows the conversation in the window that runs it. */
  z.object({ kind: z.literal('show') }),
  /** Closes the conversation if nothing is done with it, so that another window can become its writer. */
  z.object({ kind: z.literal('release') }),
]);
export type WindowRequest = z.infer<typeof WindowRequest>;

/** Returns the request that answers an approval. @throws ChatError `changedMeanwhile` if what was shown is not known */
export function answerRequest({ approvalId, option, shown }: ApprovalAnswer, reason = emptyDraft): WindowRequest {
  if (shown === undefined) throw new ChatError('changedMeanwhile', 'Answer this request in its own window.');
  return { kind: 'answer', approval: approvalId, shown, option, ...(!isEmptyDraft(reason) && { reason }) };
}

/** `conversation` is an id. */
export type WindowRequestHandler = (conversation: string, request: WindowRequest) => Promise<void>;

/** The other windows of this user on this machine, and what their conversations do. */
export interface OtherWindows {
  /** Fires when a conversation of another window does something else. */
  readonly onDidChange: Event<void>;
  /** Returns what a conversation does in another window that is alive, or did until just now. */
  liveConversation(id: string): LiveConversation | undefined;
  /** Whether another window is the writer of the conversation, but does nothing with it, and releases it if it is asked to. */
  isIdleElsewhere(id: string): boolean;
  /** Asks that window to release it, and waits until it has. @throws the same as `ask` */
  askToRelease(id: string): Promise<void>;
  /** Tells the other windows what the conversations of this one do, by their id, and of which it is the idle writer. */
  publish(conversations: LiveConversations, idle: readonly string[]): void;
  /**
   * Asks the window that runs the conversation or is its idle writer, and waits until it has done it.
   * @throws ChatError: what that window says, or `readonly` if there is none or it does not answer
   */
  ask(conversation: string, request: WindowRequest): Promise<void>;
  /** Resolves to whether this window was the first to claim an event. Never rejects. */
  claimNotice(event: string): Promise<boolean>;
  /** Sets what does what other windows ask of this one. The messages of its errors are passed on. */
  setHandler(handler: WindowRequestHandler): void;
  /** Returns a hash of a text, the same in all windows. */
  readonly hash: (text: string) => string;
}
