import { DisposableStore, type Disposable } from '../../../base/common/disposable';
import { Emitter } from '../../../base/common/event';
import type { Chat, Chats } from '../chatPorts';
import type { ConversationRow } from '../chatView';

interface WaitingApproval {
  readonly chat: Chat;
  readonly prompt: string;
}

/** The pending approvals of all conversations that the window runs, and of those of other windows that are open here. */
export class ApprovalWatch implements Disposable {
  private readonly disposables = new DisposableStore();
  private readonly emitter = this.disposables.add(new Emitter<void>((error) => this.onError(error)));
  readonly onDidChange = this.emitter.event;
  private readonly followedChats = new Map<string, { readonly chat: Chat; readonly listener: Disposable }>();
  private readonly openingIds = new Set<string>();

  constructor(
    private readonly chats: Pick<Chats, 'rows' | 'onDidChange' | 'open' | 'openChats'>,
    private readonly onError: (error: unknown) => void,
  ) {}

  start(): void {
    this.disposables.add(this.chats.onDidChange(() => this.update()));
    this.update();
  }

  get pendingApprovals(): readonly WaitingApproval[] {
    return [...this.followedChats.values()].flatMap(({ chat }) =>
      chat.view.approvals.filter(({ state }) => state === 'pending').map(({ prompt }) => ({ chat, prompt })),
    );
  }

  /**
   * Returns what a waiting conversation asks first. `key` changes when it asks something else. Without `prompt`, it needs
   * something other than an approval. Undefined if that is not known yet, or if the answer is on its way.
   */
  questionOf(sessionId: string): { readonly key: string; readonly prompt?: string } | undefined {
    const approvals = this.followedChats.get(sessionId)?.chat.view.approvals;
    if (approvals?.length === 0) return { key: 'input' };
    const first = approvals?.find(({ state }) => state === 'pending');
    return first && { key: `approval ${first.id}`, prompt: first.prompt };
  }

  dispose(): void {
    this.disposables.dispose();
    for (const { listener } of this.followedChats.values()) listener.dispose();
    this.followedChats.clear();
  }

  /** Also call when a conversation was opened: those that other windows run are only followed while they are open here. */
  update(): void {
    const openIds = new Set(this.chats.openChats.map(({ id }) => id));
    const isWaiting = ({ id, isInOtherWindow = false, state }: ConversationRow): boolean =>
      state === 'waiting' && (!isInOtherWindow || openIds.has(id));
    const waitingIds = new Set(this.chats.rows.filter(isWaiting).map(({ id }) => id));
    for (const [id, { listener }] of this.followedChats) {
      if (waitingIds.has(id)) continue;
      listener.dispose();
      this.followedChats.delete(id);
      this.emitter.fire();
    }
    for (const id of waitingIds) {
      if (!this.followedChats.has(id) && !this.openingIds.has(id)) void this.followChat(id);
    }
  }

  private async followChat(id: string): Promise<void> {
    this.openingIds.add(id);
    try {
      const chat = await this.chats.open(id);
      if (this.disposables.isDisposed) return;
      this.followedChats.set(id, { chat, listener: chat.onDidChange(() => this.emitter.fire()) });
    } catch (error) {
      // The next change of the list causes another attempt.
      this.onError(error);
      return;
    } finally {
      this.openingIds.delete(id);
    }
    this.emitter.fire();
    this.update();
  }
}
