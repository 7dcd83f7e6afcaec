import { BackendError, type BackendSession } from '../../../session/common/sessionBackend';
import type { EntryOf } from '../../../transcript/common/entries';
import type { QueuedPrompt } from '../chatView';
import type { Conversation } from '../conversation/conversation';

/** Outcomes after which the reason for an answer is sent: some agents end the turn when an approval is denied. */
const goesOnAfter: ReadonlySet<EntryOf<'end'>['outcome']> = new Set(['completed', 'cancelled', 'refused']);

/** Sends the user's answers to the backend, and queues the reasons given with them. */
export class GivenAnswers {
  /** Id of the prompt with the reason for the last answer. */
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

  /** Queues the reason ahead of other prompts. */
  explain(prompt: QueuedPrompt): void {
    this.told.record({ type: 'queued', ...prompt, isNext: true });
    this.reasonId = prompt.id;
  }

  /** Call when the user stops the turn: the reason is not sent automatically any more. */
  stopped(): void {
    this.reasonId = undefined;
  }

  /** Whether to send the first queued prompt after a turn with this outcome. */
  goesOn(outcome: EntryOf<'end'>['outcome'] | undefined): boolean {
    const { first } = this.told.queue;
    if (!first || outcome === undefined) return false;
    return outcome === 'completed' || (first.id === this.reasonId && goesOnAfter.has(outcome));
  }
}
