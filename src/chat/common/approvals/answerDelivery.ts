import type { BackendSession } from '../../../session/common/sessionBackend';
import type { EntryOf } from '../../../transcript/common/entries';
import type { ApprovalAnswer } from '../chatPorts';
import { approvalChangedError, approvalResolvedError } from './approvalErrors';
import type { QueuedPrompt } from '../chatView';
import type { Conversation } from '../conversation/conversation';

/** Outcomes of a turn after which the reason is sent, because some agents end the turn when denied. */
const outcomesAfterAnswer: ReadonlySet<EntryOf<'end'>['outcome']> = new Set(['completed', 'cancelled', 'refused']);

/** Sends the user's answers to the backend, and queues the reasons that the user has entered with them. */
export class ApprovalAnswerDelivery {
  private reasonPromptId: string | undefined;

  constructor(private readonly conversation: Conversation) {}

  /**
   * Sends an answer to what was shown. @throws BackendError `approvalInvalid`, `approvalResolved`, ChatError
   * `changedMeanwhile` if the approval asks for something else by now
   */
  async sendAnswer(session: BackendSession | undefined, answer: ApprovalAnswer): Promise<void> {
    const { approvalId, isFromOtherWindow = false, option, shown } = answer;
    const { changeEmitter, journal, transcript } = this.conversation;
    // Two windows can answer at the same time.
    const view = transcript.approvals.pendingView(approvalId);
    if (!session || !view) throw approvalResolvedError();
    if (view.shown !== shown) throw approvalChangedError();
    transcript.approvals.setState(approvalId, 'answering');
    changeEmitter.fire();
    await journal.beforeAnswer(approvalId);
    try {
      await session.answerApproval(approvalId, option);
    } catch (error) {
      transcript.approvals.setState(approvalId, 'pending');
      changeEmitter.fire();
      throw error;
    }
    if (isFromOtherWindow) this.conversation.addNotice('info', `Answered in another window: ${option}`);
  }

  /** Queues the reason before other prompts. */
  queueReason(prompt: QueuedPrompt): void {
    this.conversation.addRecord({ type: 'queued', ...prompt, isNext: true });
    this.reasonPromptId = prompt.id;
  }

  /** Call when the user stops the turn. The reason is then no longer sent automatically. */
  stopAutoSendingReason(): void {
    this.reasonPromptId = undefined;
  }

  /** Whether to send the first queued prompt after a turn with this outcome. */
  shouldSendQueuedPrompt(outcome: EntryOf<'end'>['outcome'] | undefined): boolean {
    const { first } = this.conversation.queue;
    if (!first || outcome === undefined) return false;
    return outcome === 'completed' || (first.id === this.reasonPromptId && outcomesAfterAnswer.has(outcome));
  }
}
