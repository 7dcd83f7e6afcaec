import { messageOf } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';
import type { ApprovalAnswerDelivery } from '../approvals/answerDelivery';
import type { PageDraftRevision } from '../chatPorts';
import type { Draft, DraftAttachment, QueuedPrompt } from '../chatView';
import type { BackendConnection } from '../conversation/backendConnection';
import type { Conversation } from '../conversation/conversation';
import { emptyDraft, isEmptyDraft } from '../conversation/drafts';
import type { SharedDraft } from '../conversation/sharedDraft';
import type { TurnRunner } from '../conversation/turnRunner';
import { promptToRetry } from '../transcript/sentPrompt';

interface ConversationPromptsPorts {
  readonly conversation: Conversation;
  readonly connection: Pick<BackendConnection, 'forgetFailures'>;
  readonly turnRunner: TurnRunner;
  readonly sharedDraft: SharedDraft;
  readonly answerDelivery: ApprovalAnswerDelivery;
  /** Makes this window the writer before a prompt. @throws ChatError */
  readonly claim: () => Promise<void>;
  readonly newId: () => string;
  readonly log: Logger;
}

/** Decides what becomes of the prompts of one conversation: each is sent, or waits in the queue. */
export class ConversationPrompts {
  constructor(private readonly ports: ConversationPromptsPorts) {}

  async send(
    draft: Draft,
    contextAttachments: readonly DraftAttachment[] = [],
    revision?: PageDraftRevision,
  ): Promise<void> {
    if (isEmptyDraft(draft)) return;
    const { conversation, newId, sharedDraft } = this.ports;
    const { attachments, text } = draft;
    const id = draft.id ?? newId();
    if (sharedDraft.isSending(id) || conversation.promptIds.has(id)) return;
    // The draft is cleared first, so that the user can type the next prompt while the agent starts.
    sharedDraft.beginSend(id, draft, revision);
    try {
      await this.sendOrQueue({ id, text, attachments: [...attachments, ...contextAttachments] });
      sharedDraft.confirmSent(id);
    } catch (error) {
      sharedDraft.restoreRefused(id);
      throw error;
    }
  }

  async sendContinue(): Promise<void> {
    await this.sendOrQueue({ id: this.ports.newId(), text: 'Continue', attachments: [] });
  }

  async retry(entryId: string): Promise<void> {
    const { claim, connection, conversation, newId, turnRunner } = this.ports;
    await claim();
    const prompt = turnRunner.isBusy ? undefined : promptToRetry(conversation.transcript, entryId);
    if (!prompt) return;
    connection.forgetFailures();
    await turnRunner.run({ ...prompt.draft, id: newId(), isRetry: true });
  }

  async unqueue(id: string): Promise<Draft> {
    const { conversation } = this.ports;
    await conversation.file.claim();
    const prompt = conversation.queue.get(id);
    if (!prompt) return emptyDraft;
    conversation.addRecord({ type: 'unqueued', id });
    return { text: prompt.text, attachments: prompt.attachments };
  }

  async steerQueued(): Promise<void> {
    await this.ports.claim();
  }

  async stopAndSend(id: string): Promise<void> {
    const { answerDelivery, claim, conversation, turnRunner } = this.ports;
    await claim();
    const prompt = conversation.queue.get(id);
    if (!prompt) return;
    answerDelivery.stopAutoSendingReason();
    // The prompt waits in the turn runner until the agent has stopped.
    void turnRunner.stop();
    await turnRunner.run(prompt);
  }

  async sendFirstQueued(): Promise<void> {
    const { claim, conversation, turnRunner } = this.ports;
    const due = (): QueuedPrompt | undefined => (turnRunner.isBusy ? undefined : conversation.queue.first);
    if (!due()) return;
    await claim();
    // Another page may have sent the prompt in the meantime.
    const prompt = due();
    if (prompt) await turnRunner.run(prompt);
  }

  /** Sends the first queued prompt, if no turn runs. Never throws. */
  startSendingQueue(): void {
    this.sendFirstQueued().catch((error: unknown) => this.ports.log.info(`Queue not sent: ${messageOf(error)}`));
  }

  private async sendOrQueue(prompt: QueuedPrompt): Promise<void> {
    const { claim, conversation, turnRunner } = this.ports;
    await claim();
    if (turnRunner.isBusy) conversation.addRecord({ type: 'queued', ...prompt });
    else await turnRunner.run(prompt);
  }
}
