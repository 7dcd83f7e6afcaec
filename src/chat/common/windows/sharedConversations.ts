import { ChatError, type ApprovalAnswer, type Chat } from '../chatPorts';
import type { LiveConversation } from './liveConversation';
import { approvalChangedError, approvalResolvedError } from '../approvals/approvalErrors';
import { answerRequest, notRunningText, type OtherWindows, type WindowRequest } from './otherWindows';

interface LiveChat extends Pick<Chat, 'id' | 'answerApproval' | 'stop'> {
  /** What it does, if this window runs it. Undefined while it does nothing and needs nothing. */
  readonly live: LiveConversation | undefined;
  /** Whether this window is its writer, and another one could have it. */
  readonly isIdleWriter: boolean;
}

/** Tells the other windows what the conversations of this one do, and does here what they ask. */
export class SharedConversations {
  private readonly liveConversations = new Map<string, LiveConversation>();
  private readonly idleIds = new Set<string>();

  constructor(
    private readonly windows: OtherWindows | undefined,
    /** The open conversations of this window, by their id. */
    private readonly chats: ReadonlyMap<string, LiveChat>,
    private readonly show: (id: string) => void,
    /** Closes a conversation with which nothing is done, and resolves when it is closed. @throws ChatError */
    private readonly release: (id: string) => Promise<void>,
  ) {
    windows?.setHandler((conversation, request) => this.perform(conversation, request));
  }

  /** Call when a conversation was opened or has changed. Returns whether its row has. */
  update({ id, isIdleWriter, live }: Pick<LiveChat, 'id' | 'isIdleWriter' | 'live'>): boolean {
    const before = this.liveConversations.get(id);
    const isSame = JSON.stringify(before) === JSON.stringify(live);
    const isIdle = isIdleWriter && !live;
    if (isSame && isIdle === this.idleIds.has(id)) return false;
    if (live) this.liveConversations.set(id, live);
    else this.liveConversations.delete(id);
    if (isIdle) this.idleIds.add(id);
    else this.idleIds.delete(id);
    this.publish();
    return !isSame;
  }

  /** Call when a conversation was closed. */
  remove(id: string): void {
    const wasIdle = this.idleIds.delete(id);
    if (this.liveConversations.delete(id) || wasIdle) this.publish();
  }

  private publish(): void {
    this.windows?.publish(Object.fromEntries(this.liveConversations), [...this.idleIds]);
  }

  /** Returns what a conversation does in the window that runs it. Empty if none does. */
  liveOf(id: string): { readonly live?: LiveConversation; readonly isInOtherWindow?: boolean } {
    const ours = this.liveConversations.get(id);
    const live = ours ?? this.windows?.liveConversation(id);
    return live ? { live, isInOtherWindow: !ours } : {};
  }

  /** Answers an approval in the window that runs the conversation, which may be this one. @throws ChatError, BackendError */
  async answer(id: string, answer: ApprovalAnswer): Promise<void> {
    const possible = this.liveOf(id).live?.need?.answer;
    if (possible?.approvalId !== answer.approvalId) throw approvalResolvedError();
    if (possible.shown !== answer.shown) throw approvalChangedError();
    if (![possible.allow, possible.reject].includes(answer.option))
      throw new ChatError('notFound', 'Open the conversation to give this answer.');
    const chat = this.chats.get(id);
    if (chat?.live) await chat.answerApproval(answer);
    else await this.windows?.ask(id, answerRequest(answer));
  }

  /** Stops the turn in the window that runs the conversation, which may be this one. @throws ChatError `readonly` */
  async stop(id: string): Promise<void> {
    const chat = this.chats.get(id);
    const turn = this.windows?.liveConversation(id)?.turn;
    if (chat?.live) await chat.stop();
    else if (this.windows && turn !== undefined) await this.windows.ask(id, { kind: 'stop', turn });
    else throw new ChatError('readonly', notRunningText);
  }

  /** @throws ChatError, BackendError */
  private async perform(conversation: string, request: WindowRequest): Promise<void> {
    if (request.kind === 'release') {
      await this.release(conversation);
      return;
    }
    const chat = this.chats.get(conversation);
    if (!chat?.live) throw new ChatError('notFound', 'That window does not run this conversation any more.');
    switch (request.kind) {
      case 'show':
        this.show(conversation);
        return;
      case 'stop':
        // The turn that the user wanted to stop may have ended, and the queue has begun another one.
        if (chat.live.turn !== request.turn) throw new ChatError('notFound', 'That turn has already ended.');
        await chat.stop();
        return;
      case 'answer': {
        const { approval: approvalId, option, reason, shown } = request;
        await chat.answerApproval({ approvalId, option, shown, isFromOtherWindow: true }, reason);
      }
    }
  }
}
