import { pause } from '../../../base/common/async';
import { ChatError } from '../chatPorts';
import { conversationState, type ConversationFacts } from '../conversation/conversationView';
import type { Holders } from './holders';
import type { SharedDraft } from '../conversation/sharedDraft';

/** How long a conversation must not have been used here before another window gets it, in milliseconds. */
const unusedMs = 2_000;
/** After this time of use, the other window is refused. It waits longer than that for its reply. */
const maxWaitMs = 3 * unusedMs;

/** Tells whether this window does nothing with a conversation that it has claimed. */
export class ConversationIdleness {
  constructor(
    private readonly facts: ConversationFacts,
    private readonly draft: Pick<SharedDraft, 'isSendingAny'>,
    private readonly holders: Pick<Holders, 'has'>,
  ) {}

  /** Whether closing loses nothing: nothing is going on, all is saved, and the backend can load its session again. */
  get canClose(): boolean {
    const { connection, conversation, turnRunner } = this.facts;
    const { file, transcript } = conversation;
    if (transcript.isBusy || transcript.isStopping || turnRunner.phase.kind !== 'idle') return false;
    if (conversationState(this.facts).activity) return false;
    // Records that are not saved would be lost.
    if (file.problem !== undefined) return false;
    return !connection.session || connection.capabilities?.canLoad === true;
  }

  /** Whether this window is the writer, and another one could have the conversation. */
  get isIdleWriter(): boolean {
    const { file, queue, restores } = this.facts.conversation;
    return file.isOurs && this.canClose && queue.first === undefined && restores.unfinished.length === 0;
  }

  /**
   * Resolves when another window can have the conversation, because the user has not used it here for a moment, and all of
   * its last turn is recorded. @throws ChatError `busy` if it is in use
   */
  async whenUnused(): Promise<void> {
    const { clock, conversation } = this.facts;
    await conversation.journal.whenTurnRecorded();
    const untilMs = clock.monotonicNow() + maxWaitMs;
    while (clock.monotonicNow() < untilMs) {
      if (!this.isIdleWriter || this.holders.has('work') || this.draft.isSendingAny) break;
      const waitMs = unusedMs - (clock.monotonicNow() - conversation.file.usedAtMs);
      if (waitMs <= 0) return;
      await pause(clock, waitMs);
    }
    throw new ChatError('busy', 'You use this conversation in another window. Try again when it is idle there.');
  }
}
