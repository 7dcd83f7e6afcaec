import type { Clock } from '../../../base/common/async';
import type { ConversationHead } from '../chatStore';
import type { Draft, QueuedPrompt } from '../chatView';
import type { BackendConnection } from '../conversation/backendConnection';
import type { Conversation } from '../conversation/conversation';
import type { SharedDraft } from '../conversation/sharedDraft';
import type { TurnRunner } from '../conversation/turnRunner';

interface SignInWaitPorts {
  readonly conversation: Conversation;
  readonly connection: Pick<BackendConnection, 'state'>;
  readonly turnRunner: TurnRunner;
  readonly draft: SharedDraft;
  readonly clock: Clock;
}

/** A prompt that has waited longer than this is not sent automatically, but stays in the queue. */
const maxWaitMs = 60 * 60_000;

/**
 * Whether a prompt that was queued before its window was closed still waits for a sign-in. `now` is in milliseconds
 * since the epoch.
 */
export function isQueuedForSignIn({ signInWaitSince = 0 }: ConversationHead, hasQueue: boolean, now: number): boolean {
  return signInWaitSince > 0 && hasQueue && Math.abs(now - signInWaitSince) < maxWaitMs;
}

/** A prompt that waits until the user has signed in. It is then sent once, or its text goes back to the composer. */
export class SignInWait {
  constructor(private readonly ports: SignInWaitPorts) {}

  /** Whether the first prompt of the queue waits for a sign-in. */
  get isInQueue(): boolean {
    const { clock, conversation } = this.ports;
    return isQueuedForSignIn(conversation.head, conversation.queue.first !== undefined, clock.now());
  }

  /** Call before any prompt is sent. */
  end(): void {
    const { file, head } = this.ports.conversation;
    if ((head.signInWaitSince ?? 0) > 0) file.updateHead({ signInWaitSince: 0 });
  }

  /** Withdraws the waiting prompt, because the user does not want to sign in. Undefined if no prompt waits. */
  cancel(): Promise<void> | undefined {
    const { conversation, turnRunner } = this.ports;
    const { unansweredPrompt } = this;
    if (this.unsentPrompt) {
      turnRunner.withdraw();
      return Promise.resolve();
    }
    if (unansweredPrompt) return this.cancelSent(unansweredPrompt);
    const { first } = conversation.queue;
    return this.isInQueue && first ? this.cancelQueued(first) : undefined;
  }

  /** Ends the turns of a closing window, and keeps a prompt that waits for a sign-in in the queue. */
  closeTurns(newId: () => string): void {
    const { clock, conversation, draft, turnRunner } = this.ports;
    const { unansweredPrompt, unsentPrompt } = this;
    // Otherwise, the prompt would go back to the composer.
    if (unsentPrompt) draft.confirmSent(unsentPrompt.id);
    turnRunner.close();
    const prompt = unsentPrompt ?? (unansweredPrompt && { ...unansweredPrompt, id: newId() });
    if (!prompt || !conversation.file.isOurs) return;
    // A prompt that came from the queue is already there again.
    if (!conversation.queue.get(prompt.id)) conversation.addRecord({ type: 'queued', ...prompt, isNext: true });
    conversation.file.updateHead({ signInWaitSince: clock.now() });
  }

  private async cancelSent(prompt: Draft): Promise<void> {
    await this.ports.turnRunner.stop();
    this.ports.draft.restoreWithdrawn(prompt);
  }

  private async cancelQueued(prompt: QueuedPrompt): Promise<void> {
    const { conversation, draft } = this.ports;
    await conversation.file.claim();
    this.end();
    conversation.addRecord({ type: 'unqueued', id: prompt.id });
    draft.restoreWithdrawn(prompt);
  }

  private get isSignInRequired(): boolean {
    return this.ports.connection.state?.kind === 'authRequired';
  }

  private get unsentPrompt(): QueuedPrompt | undefined {
    const { phase } = this.ports.turnRunner;
    return this.isSignInRequired && phase.kind === 'connecting' ? phase.prompt : undefined;
  }

  /** The prompt of a turn that the agent has refused and therefore not answered. */
  private get unansweredPrompt(): Draft | undefined {
    const { conversation, turnRunner } = this.ports;
    const { answerText, isBusy, prompts } = conversation.transcript;
    if (!this.isSignInRequired || turnRunner.phase.kind !== 'sent' || !isBusy || answerText !== '') return undefined;
    return prompts.at(-1)?.draft;
  }
}
