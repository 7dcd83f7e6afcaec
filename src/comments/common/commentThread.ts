import * as z from 'zod/mini';

const Line = z.int().check(z.nonnegative());

/** What the user, or an agent, has written in a thread. */
const Comment = z.object({
  id: z.string(),
  text: z.string(),
  /** Milliseconds since the epoch. */
  at: z.number(),
  /** Name of the agent that has written it. Unset for the user. */
  agent: z.optional(z.string()),
  /** Its number in the prompt that sent it last. Unset for what was never sent and for what agents write. */
  number: z.optional(z.int()),
  /** Id of the attachment that sent it last; see `CommentAttachment`. */
  attachment: z.optional(z.string()),
  /** Whether it is to be sent again. Its number stays, since it may still be answered. */
  isDraftAgain: z.optional(z.boolean()),
  /** The number that an agent answers. */
  answers: z.optional(z.int()),
  /** Id of the conversation in which it was sent or answered. */
  conversation: z.optional(z.string()),
});
export type Comment = z.infer<typeof Comment>;

/** Comments of one place. */
export const CommentThread = z.object({
  id: z.string(),
  /** Absolute path of the file. */
  path: z.string(),
  /** URI of the virtual document on which it was written, for example of an earlier text. Unset for the file itself. */
  document: z.optional(z.string()),
  /** The text in which its lines were last whole, by its hash, and those lines; see `CommentHome`. */
  home: z.object({ hash: z.string(), start: Line, end: Line, isPart: z.optional(z.boolean()) }),
  comments: z.array(Comment),
  isResolved: z.optional(z.boolean()),
});
export type CommentThread = z.infer<typeof CommentThread>;

/** What is stored of the comments of a workspace. */
export const StoredComments = z.object({
  version: z.literal(1),
  /** The number of the next comment that is sent. It only grows, so no conversation gets a number twice. */
  nextNumber: z.int(),
  threads: z.array(CommentThread),
});
export type StoredComments = z.infer<typeof StoredComments>;

export const noComments: StoredComments = { version: 1, nextNumber: 1, threads: [] };

export type ThreadState = 'finding' | 'draft' | 'sent' | 'answered' | 'resolved';

export function stateOfThread({ comments, isResolved }: Pick<CommentThread, 'comments' | 'isResolved'>): ThreadState {
  if (isResolved) return 'resolved';
  if (comments.every(({ agent }) => agent !== undefined)) return 'finding';
  if (comments.some(isDraft)) return 'draft';
  return comments.at(-1)?.agent === undefined ? 'sent' : 'answered';
}

/** Whether the user has written it and not sent it yet, or wants to send it again. */
export function isDraft({ agent, isDraftAgain, number }: Comment): boolean {
  return agent === undefined && (number === undefined || isDraftAgain === true);
}

/** The threads of which something would be sent now. */
export function draftThreads(threads: readonly CommentThread[]): CommentThread[] {
  return threads.filter((thread) => stateOfThread(thread) === 'draft');
}

/** The conversation of the agent that began the thread with a finding. Undefined for a thread that the user has begun. */
export function reviewerOf({ comments }: Pick<CommentThread, 'comments'>): string | undefined {
  const [first] = comments;
  return first?.agent === undefined ? undefined : first.conversation;
}
