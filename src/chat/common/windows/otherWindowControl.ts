import type { Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';
import type { BackendSession } from '../../../session/common/sessionBackend';
import { ChatError } from '../chatPorts';
import type { Draft } from '../chatView';
import type { Conversation } from '../conversation/conversation';
import { isEmptyDraft } from '../conversation/drafts';
import type { LiveConversation } from './liveConversation';
import { notRunningText, type OtherWindows, type WindowRequest } from './otherWindows';
import { shownApproval } from './shownApproval';

/** The control of a conversation that another window runs: what the user does here is done there. */
export class OtherWindowControl implements Disposable {
  private readonly subscription: Disposable | undefined;

  constructor(
    private readonly conversation: Pick<Conversation, 'changeEmitter' | 'file' | 'transcript'>,
    private readonly windows: OtherWindows | undefined,
    private readonly clock: Pick<Clock, 'now'>,
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

  /** Whether this window can only read the conversation, and has no `session` of its own that it could still stop. */
  isReadonly(session: BackendSession | undefined): boolean {
    const { isOurs, readonlyReason } = this.conversation.file;
    return !isOurs && !session && readonlyReason !== undefined;
  }

  /** Answers an approval in the other window, if that still asks for what is shown here. @throws ChatError */
  async answer(approval: string, option: string, reason: Draft): Promise<void> {
    const { transcript } = this.conversation;
    const view = transcript.approvals.viewsAt(this.clock.now()).find(({ id }) => id === approval);
    const shown = view && shownApproval(view);
    if (shown === undefined) throw new ChatError('notFound', 'This approval is no longer pending.');
    const sent = isEmptyDraft(reason) ? {} : { reason };
    await this.ask((windows) => ({ kind: 'answer', approval, shown: windows.hash(shown), option, ...sent }));
  }

  /** Stops the turn in the other window. @throws ChatError `readonly` if that cannot be asked */
  async stop(): Promise<void> {
    await this.ask((_windows, { turn }) => ({ kind: 'stop', turn }));
  }

  private async ask(request: (windows: OtherWindows, live: LiveConversation) => WindowRequest): Promise<void> {
    const { head, readonlyReason } = this.conversation.file;
    const { live, windows } = this;
    if (!windows || !live) throw new ChatError('readonly', readonlyReason ?? notRunningText);
    await windows.ask(head.id, request(windows, live));
  }

  dispose(): void {
    this.subscription?.dispose();
  }
}
