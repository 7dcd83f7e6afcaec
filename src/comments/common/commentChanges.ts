import { withoutUndefined } from '../../base/common/withoutUndefined';
import { CommentError } from './commentError';
import type { Comment, CommentThread, StoredComments } from './commentThread';

/** More threads make each change slow. */
const mostThreads = 2000;

/** A change of what is stored. Changes of several windows follow each other, so each is made on what is stored then. */
export type CommentChange = (stored: StoredComments) => StoredComments;

/** @throws CommentError `full` */
export function addThread(thread: CommentThread): CommentChange {
  return (stored) => {
    if (stored.threads.length >= mostThreads) {
      throw new CommentError('full', `There are ${mostThreads} comment threads. Delete some of them and try again.`);
    }
    return { ...stored, threads: [...stored.threads, thread] };
  };
}

/** Adds the threads of findings, but none twice. @throws CommentError `full` */
export function addFindings(threads: readonly CommentThread[]): CommentChange {
  return (stored) =>
    threads.reduce((changed, thread) => {
      const isSame = ({ comments: [first], path }: CommentThread): boolean =>
        path === thread.path &&
        first?.text === thread.comments[0]?.text &&
        first?.conversation === thread.comments[0]?.conversation;
      return changed.threads.some(isSame) ? changed : addThread(thread)(changed);
    }, stored);
}

/** A new comment reopens its thread. */
export function addComment(threadId: string, comment: Comment): CommentChange {
  return changeThread(threadId, (thread) => ({
    ...withoutResolution(thread),
    comments: [...thread.comments, comment],
  }));
}

/** A comment whose text is changed is a draft again, since the agent has read another one. */
export function editComment(threadId: string, commentId: string, text: string): CommentChange {
  return changeThread(threadId, (thread) => ({
    ...thread,
    comments: thread.comments.map((comment) =>
      comment.id === commentId && comment.text !== text ? { ...unsent(comment), text } : comment,
    ),
  }));
}

/** Deletes a comment, and its thread with the last one of the user. */
export function deleteComment(threadId: string, commentId: string): CommentChange {
  return changeThread(threadId, (thread) => {
    const comments = thread.comments.filter(({ id }) => id !== commentId);
    return comments.every(({ agent }) => agent !== undefined) ? undefined : { ...thread, comments };
  });
}

export function deleteThread(threadId: string): CommentChange {
  return changeThread(threadId, () => undefined);
}

export function setResolved(threadId: string, isResolved: boolean): CommentChange {
  return changeThread(threadId, (thread) => (isResolved ? { ...thread, isResolved } : withoutResolution(thread)));
}

/** Makes what the user has written since the last answer drafts again; without any, all that the user has written. */
export function makeDraft(threadId: string): CommentChange {
  return changeThread(threadId, (thread) => {
    const lastAnswer = thread.comments.findLastIndex(({ agent }) => agent !== undefined);
    const isLast = thread.comments.some(({ agent }, at) => at > lastAnswer && agent === undefined);
    const comments = thread.comments.map((comment, at) =>
      comment.agent === undefined && (!isLast || at > lastAnswer) ? unsent(comment) : comment,
    );
    return { ...withoutResolution(thread), comments };
  });
}

/** Takes the numbers for comments that are about to be sent. */
export function reserveNumbers(count: number): CommentChange {
  return (stored) => ({ ...stored, nextNumber: stored.nextNumber + count });
}

/** What a prompt has sent. */
export interface SentComments {
  readonly attachment: string;
  readonly conversation: string;
  /** By id of the thread. */
  readonly numbers: ReadonlyMap<string, number>;
  /** The texts that were sent, by id of the comment. */
  readonly texts: ReadonlyMap<string, string>;
}

/** Marks what a prompt has sent, and nothing that was written or changed since. */
export function markSent({ attachment, conversation, numbers, texts }: SentComments): CommentChange {
  return changeComments((comment, threadId) => {
    const number = numbers.get(threadId);
    if (number === undefined || texts.get(comment.id) !== comment.text) return comment;
    return withoutUndefined({ ...comment, number, conversation, attachment, isDraftAgain: undefined });
  });
}

/** Makes what an attachment has sent drafts again: its prompt was withdrawn. */
export function markWithdrawn(attachment: string, conversation: string): CommentChange {
  return changeComments((comment) =>
    comment.attachment === attachment && comment.conversation === conversation ? unsent(comment) : comment,
  );
}

/** Adds an answer to the thread to which this number was given in the conversation. Does nothing if it is there already. */
export function addAnswer(
  answer: Comment & { readonly answers: number; readonly conversation: string },
): CommentChange {
  return (stored) => ({
    ...stored,
    threads: stored.threads.map((thread) => {
      const isOfConversation = ({ conversation }: Comment): boolean => conversation === answer.conversation;
      const isAsked = thread.comments.some((one) => isOfConversation(one) && one.number === answer.answers);
      const isKnown = thread.comments.some(
        (one) => isOfConversation(one) && one.answers === answer.answers && one.text === answer.text,
      );
      return isAsked && !isKnown ? { ...thread, comments: [...thread.comments, answer] } : thread;
    }),
  });
}

/** Gives threads new homes: their lines are whole in a newer text. */
export function moveHomes(homeByThread: ReadonlyMap<string, CommentThread['home']>): CommentChange {
  return (stored) => ({
    ...stored,
    threads: stored.threads.map((thread) => ({ ...thread, home: homeByThread.get(thread.id) ?? thread.home })),
  });
}

/** Moves the threads of files that were moved or renamed. `movedPath` returns undefined for the others. */
export function moveFiles(movedPath: (path: string) => string | undefined): CommentChange {
  return (stored) => ({
    ...stored,
    threads: stored.threads.map((thread) => ({ ...thread, path: movedPath(thread.path) ?? thread.path })),
  });
}

function changeComments(change: (comment: Comment, threadId: string) => Comment): CommentChange {
  return (stored) => ({
    ...stored,
    threads: stored.threads.map((thread) => ({
      ...thread,
      comments: thread.comments.map((comment) => change(comment, thread.id)),
    })),
  });
}

function changeThread(threadId: string, change: (thread: CommentThread) => CommentThread | undefined): CommentChange {
  return (stored) => {
    if (!stored.threads.some(({ id }) => id === threadId)) {
      throw new CommentError('notFound', 'This comment no longer exists. It may have been deleted in another window.');
    }
    return {
      ...stored,
      threads: stored.threads.flatMap((thread) => (thread.id === threadId ? (change(thread) ?? []) : [thread])),
    };
  };
}

function unsent(comment: Comment): Comment {
  return comment.number === undefined ? comment : { ...comment, isDraftAgain: true };
}

function withoutResolution(thread: CommentThread): CommentThread {
  return withoutUndefined({ ...thread, isResolved: undefined });
}
