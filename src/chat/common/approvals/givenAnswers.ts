import { BackendError, type BackendSession } from '../../../session/common/sessionBackend';
import type { EntryOf } from '../../../transcript/common/entries';
import type { QueuedPrompt } from '../chatView';
import type { Conversation } from '../conversation/conversation';

/** After these a turn has ended because of the answer, or as it would have. */
const goesOnAfter: ReadonlySet<EntryOf<'end'>['outcome']> = new Set(['completed', 'cancelled', 'refused']);

/** Brings the user's answers to the backend, and what is said with them into the queue. */
export class GivenAnswers {
  /** The id of the prompt that gives the reason for the last answer. */
  private reasonId: string | undefined;

  constructor(private readonly told: Conversation) {}

  /** @throws BackendError `approvalInvalid`, `approvalResolved` */
  async give(session: BackendSession | undefined, approvalId: string, option: string): Promise<void> {
    const { emitter, journal, story } = this.told;
    if (!session || !story.approvals.all.some(({ id }) => id === approvalId)) {
      throw new BackendError('approvalResolved', 'This approval was already answered or is no longer pending.');
    }
    story.approvals.setState(approvalId, 'answering');
    emitter.fire();
    await journal.beforeAnswer(approvalId);
    try {
      await session.approve(approvalId, option);
    } catch (error) {
      story.approvals.setState(approvalId, 'pending');
      emitter.fire();
      throw error;
    }
  }

  /** Puts the reason before what waits. */
  explain(prompt: QueuedPrompt): void {
    this.told.record({ type: 'queued', ...prompt, isNext: true });
    this.reasonId = prompt.id;
  }

  /** The user has stopped the turn: nothing goes on by itself. */
  stopped(): void {
    this.reasonId = undefined;
  }

  /** Whether the first of the queue is to be sent after a turn that ended so. Some agents end the turn at a denial. */
  goesOn(outcome: EntryOf<'end'>['outcome'] | undefined): boolean {
    const { first } = this.told.queue;
    if (!first || outcome === undefined) return false;
    return outcome === 'completed' || (first.id === this.reasonId && goesOnAfter.has(outcome));
  }
}
