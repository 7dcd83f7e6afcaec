import type { Disposable } from '../../../base/common/disposable';
import type { BackendSession } from '../../../session/common/sessionBackend';
import { ChatError, type ApprovalAnswer } from '../chatPorts';
import type { Draft } from '../chatView';
import type { Conversation } from '../conversation/conversation';
import type { LiveConversation } from './liveConversation';
import { answerRequest, notRunningText, type OtherWindows, type WindowRequest } from './otherWindows';

/** The control of a conversation that another window runs: what the user does here is done there. */
export class OtherWindowControl implements Disposable {
  private readonly subscription: Disposable | undefined;
  private following: Disposable | undefined;

  constructor(
    private readonly conversation: Pick<Conversation, 'changeEmitter' | 'file'>,
    private readonly windows: OtherWindows | undefined,
  ) {
    this.subscription = windows?.onDidChange(() => {
      if (conversation.file.isInUseElsewhere) conversation.changeEmitter.fire();
    });
  }

  /** What the conversation does in the other window. Undefined if none runs it, or if it is of an earlier version. */
  get live(): LiveConversation | undefined {
    const { file } = this.conversation;
    return file.isInUseElsewhere ? this.windows?.liveConversation(file.head.id) : undefined;
  }

  /** Why this window cannot write. Undefined if it can, also because the other window does nothing with the conversation. */
  get readonlyReason(): string | undefined {
    const { head, isInUseElsewhere, readonlyReason } = this.conversation.file;
    return isInUseElsewhere && this.windows?.isIdleElsewhere(head.id) === true ? undefined : readonlyReason;
  }

  /** Whether this window can only read the conversation, and has no `session` of its own that it could still stop. */
  isReadonly(session: BackendSession | undefined): boolean {
    const { isOurs, readonlyReason } = this.conversation.file;
    return !isOurs && !session && readonlyReason !== undefined;
  }

  /** Answers an approval in the other window. @throws ChatError */
  async answer(answer: ApprovalAnswer, reason: Draft): Promise<void> {
    await this.ask(() => answerRequest(answer, reason));
  }

  /** Stops the turn in the other window. @throws ChatError `readonly` if that cannot be asked */
  async stop(): Promise<void> {
    await this.ask(({ turn }) => ({ kind: 'stop', turn }));
  }

  private async ask(request: (live: LiveConversation) => WindowRequest): Promise<void> {
    const { head, readonlyReason } = this.conversation.file;
    const { live, windows } = this;
    if (!windows || !live) throw new ChatError('readonly', readonlyReason ?? notRunningText);
    await windows.ask(head.id, request(live));
  }

  /** Reads what the other window writes, while a page shows the conversation. */
  setFollowing(isShown: boolean): void {
    const { file } = this.conversation;
    this.following?.dispose();
    this.following = isShown && !file.isOurs ? file.follow() : undefined;
  }

  dispose(): void {
    this.following?.dispose();
    this.subscription?.dispose();
  }
}
