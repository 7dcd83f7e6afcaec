import { messageOf } from '../../../base/common/errors';
import type { Clock } from '../../../base/common/async';
import type { Logger } from '../../../base/common/log';
import type { ApprovalAnswerDelivery } from '../approvals/answerDelivery';
import type { DuringTurn, PageDraftRevision } from '../chatPorts';
import type { Draft, DraftAttachment, QueuedPrompt } from '../chatView';
import type { BackendConnection } from '../conversation/backendConnection';
import type { Conversation } from '../conversation/conversation';
import { emptyDraft, isEmptyDraft } from '../conversation/drafts';
import type { PromptQueue } from '../conversation/promptQueue';
import type { SharedDraft } from '../conversation/sharedDraft';
import type { PromptDelivery } from '../conversation/promptDelivery';
import type { TurnRunner } from '../conversation/turnRunner';
import { promptToRetry } from '../transcript/sentPrompt';
import { Steering } from './steering';

interface ConversationPromptsPorts {
  readonly conversation: Conversation;
  readonly connection: Pick<BackendConnection, 'forgetFailures'>;
  readonly turnRunner: TurnRunner;
  readonly delivery: PromptDelivery;
  readonly sharedDraft: SharedDraft;
  readonly answerDelivery: ApprovalAnswerDelivery;
  /** Makes this window the writer before a prompt. @throws ChatError */
  readonly claim: () => Promise<void>;
  readonly newId: () => string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Decides what becomes of the prompts of one conversation: each is sent, joins the turn that runs, or waits in the queue. */
export class ConversationPrompts {
  private readonly steering: Steering;

  constructor(private readonly ports: ConversationPromptsPorts) {
    this.steering = new Steering({ ...ports, sendQueue: () => this.continueQueue() });
  }

  /** Whether the turn that runs takes further prompts. */
  get canSteer(): boolean {
    return this.steering.canSteer;
  }

  async send(
    draft: Draft,
    contextAttachments: readonly DraftAttachment[] = [],
    revision?: PageDraftRevision,
    duringTurn: DuringTurn = 'queue',
  ): Promise<void> {
    if (isEmptyDraft(draft)) return;
    const { conversation, newId, sharedDraft } = this.ports;
    const { attachments, text } = draft;
    const id = draft.id ?? newId();
    if (sharedDraft.isSending(id) || conversation.promptIds.has(id)) return;
    // The draft is cleared first, so that the user can type the next prompt while the agent starts.
    sharedDraft.beginSend(id, draft, revision);
    try {
      await this.sendOrQueue({ id, text, attachments: [...attachments, ...contextAttachments] }, duringTurn);
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
    if (!prompt || !this.steering.mayTake(id)) return emptyDraft;
    conversation.addRecord({ type: 'unqueued', id });
    return { text: prompt.text, attachments: prompt.attachments };
  }

  async steerQueued(id: string): Promise<void> {
    await this.ports.claim();
    this.steering.join(id);
  }

  async stopAndSend(id: string, turn: number | undefined): Promise<void> {
    const { claim, conversation } = this.ports;
    await claim();
    const prompt = conversation.queue.get(id);
    if (prompt && this.steering.mayTake(id)) await this.sendInstead(prompt, turn);
  }

  /** Sends the first queued prompt because the user wants it, also if the agent perhaps has it. */
  async sendFirstQueued(): Promise<void> {
    await this.sendFirst(({ first }) => first);
  }

  /** Sends the first queued prompt, if no turn runs and the prompt is not held. Never throws. */
  startSendingQueue(): void {
    const sent = this.sendFirst(({ due }) => due);
    sent.catch((error: unknown) => this.ports.log.info(`Queue not sent: ${messageOf(error)}`));
  }

  /** Call when the agent has read a prompt that was to join its turn. */
  handleRead(id: string): void {
    this.steering.handleRead(id);
  }

  /** Call at the end of each turn, when the transcript has it. */
  handleTurnEnd(): void {
    this.steering.handleTurnEnd();
    this.continueQueue();
  }

  private continueQueue(): void {
    const { answerDelivery, conversation, turnRunner } = this.ports;
    const { lastEnd } = conversation.transcript;
    if (!turnRunner.isBusy && answerDelivery.shouldSendQueuedPrompt(lastEnd?.outcome)) this.startSendingQueue();
  }

  private async sendFirst(find: (queue: PromptQueue) => QueuedPrompt | undefined): Promise<void> {
    const { claim, conversation, turnRunner } = this.ports;
    const sendable = (): QueuedPrompt | undefined => (turnRunner.isBusy ? undefined : find(conversation.queue));
    if (!sendable()) return;
    await claim();
    // Another page may have sent the prompt in the meantime.
    const prompt = sendable();
    if (prompt && this.steering.mayTake(prompt.id)) await turnRunner.run(prompt);
  }

  private async sendOrQueue(prompt: QueuedPrompt, duringTurn: DuringTurn = 'queue'): Promise<void> {
    const { claim, conversation, turnRunner } = this.ports;
    await claim();
    if (!turnRunner.isBusy || typeof duringTurn === 'object') {
      await this.sendInstead(prompt, typeof duringTurn === 'object' ? duringTurn.stopsTurn : undefined);
      return;
    }
    conversation.addRecord({ type: 'queued', ...prompt });
    if (duringTurn === 'steer') this.steering.join(prompt.id);
  }

  /** Sends the prompt, and ends the turn with this number for it. If another turn runs by now, the prompt comes after that. */
  private async sendInstead(prompt: QueuedPrompt, turn: number | undefined): Promise<void> {
    const { answerDelivery, conversation, turnRunner } = this.ports;
    if (turnRunner.isBusy) {
      if (conversation.transcript.turnNumber !== turn) {
        conversation.addRecord({ type: 'queued', ...prompt, isNext: true });
        return;
      }
      answerDelivery.stopAutoSendingReason();
      // The prompt waits in the turn runner until the agent has stopped.
      void turnRunner.stop();
    }
    await turnRunner.run(prompt);
  }
}
