import type { SessionView } from '../chatView';
import type { Conversation } from './conversation';
import type { SessionLink } from './sessionLink';
import { statusOf, transcriptView } from './sessionStatus';
import type { TurnRunner } from './turnRunner';

/** A conversation as the page shows it. `now` is in milliseconds since the epoch. */
export function sessionView(told: Conversation, link: SessionLink, turns: TurnRunner, now: number): SessionView {
  const { file, journal, queue, story } = told;
  const { backendId, backendTitle, id, title } = told.head;
  return {
    id,
    title,
    backendId,
    backendTitle,
    ...statusOf({
      transcript: story,
      backend: link.state,
      readonly: readonlyReason(told),
      isStopping: turns.isStopping,
      isResuming: turns.isResuming,
      failure: turns.failure,
    }),
    ...(file.problem === undefined ? {} : { problem: file.problem }),
    ...transcriptView(story, now),
    // Where it is written, questions can be answered.
    ...(file.isInUse ? { isInUse: true, approvals: [] } : {}),
    queue: queue.shown,
    // Until the backend has said that it takes none.
    takesImages: link.capabilities?.images ?? true,
    changes: journal.changes,
  };
}

function readonlyReason({ file, story }: Conversation): string | undefined {
  const isAsked = file.isInUse && story.approvals.all.length > 0;
  return isAsked ? `${file.readonly} A question waits for your answer there.` : file.readonly;
}
