import { DisposableStore, type Disposable } from '../../../base/common/disposable';
import { Emitter } from '../../../base/common/event';
import type { Chat, Chats } from '../chatPorts';
import { waitingRows } from './pageFeed';

export interface WaitingApproval {
  /** Unique across all conversations. */
  readonly key: string;
  readonly chat: Chat;
  readonly prompt: string;
}

/** The pending approvals of all conversations of the window. */
export class ApprovalWatch implements Disposable {
  private readonly store = new DisposableStore();
  private readonly emitter = this.store.add(new Emitter<void>((error) => this.onError(error)));
  readonly onDidChange = this.emitter.event;
  private readonly followed = new Map<string, { readonly chat: Chat; readonly listener: Disposable }>();
  private readonly opening = new Set<string>();

  constructor(
    private readonly chats: Pick<Chats, 'rows' | 'onDidChange' | 'open'>,
    private readonly onError: (error: unknown) => void,
  ) {}

  start(): void {
    this.store.add(this.chats.onDidChange(() => this.look()));
    this.look();
  }

  get waiting(): readonly WaitingApproval[] {
    return [...this.followed.values()].flatMap(({ chat }) =>
      chat.view.approvals
        .filter(({ state }) => state === 'pending')
        .map(({ id, prompt }) => ({ key: `${chat.id} ${id}`, chat, prompt })),
    );
  }

  dispose(): void {
    this.store.dispose();
    for (const { listener } of this.followed.values()) listener.dispose();
    this.followed.clear();
  }

  private look(): void {
    const waiting = new Set(waitingRows(this.chats.rows).map(({ id }) => id));
    for (const [id, { listener }] of this.followed) {
      if (waiting.has(id)) continue;
      listener.dispose();
      this.followed.delete(id);
      this.emitter.fire();
    }
    for (const id of waiting) {
      if (!this.followed.has(id) && !this.opening.has(id)) void this.follow(id);
    }
  }

  private async follow(id: string): Promise<void> {
    this.opening.add(id);
    try {
      const chat = await this.chats.open(id);
      if (this.store.isDisposed) return;
      this.followed.set(id, { chat, listener: chat.onDidChange(() => this.emitter.fire()) });
    } catch (error) {
      // Retried when the list changes.
      this.onError(error);
      return;
    } finally {
      this.opening.delete(id);
    }
    this.emitter.fire();
    this.look();
  }
}
