import type { Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';

interface Closable {
  readonly id: string;
  /** Whether the conversation is not visible and can be closed without losing anything. */
  readonly canClose: boolean;
  /** Whether this window is its writer, and another one could have it. */
  readonly isIdleWriter: boolean;
  /** Resolves when it can be closed, also if it is visible. @throws ChatError `busy` if something is done with it */
  whenUnused(): Promise<void>;
  /** Closes it. Pages that show it open it again. */
  release(): Promise<void>;
}

interface IdleChatCloserDeps<One> {
  readonly clock: Clock;
  /** The open conversations by their id. Those that are closed are removed. */
  readonly chats: Map<string, One>;
  readonly onClosing: (id: string) => void;
  readonly onError: (error: unknown) => void;
}

const checkIntervalMs = 60_000;
/** Number of consecutive checks in which a conversation must be idle before it is closed. */
const checksBeforeClose = 5;

/** Closes idle conversations: some minutes later to free memory, and at once if another window wants to write to them. */
export class IdleChatCloser<One extends Closable> implements Disposable {
  private readonly idleCheckCounts = new Map<One, number>();
  private readonly closingById = new Map<string, Promise<void>>();
  private timer: Disposable | undefined;

  constructor(private readonly deps: IdleChatCloserDeps<One>) {}

  start(): void {
    this.timer = this.deps.clock.setTimer(checkIntervalMs, () => {
      this.checkAll();
      this.start();
    });
  }

  dispose(): void {
    this.timer?.dispose();
    this.timer = undefined;
    this.idleCheckCounts.clear();
  }

  /** Closes an idle conversation. It can be opened again when it is closed. */
  close(chat: One): void {
    const { chats, onClosing, onError } = this.deps;
    chats.delete(chat.id);
    onClosing(chat.id);
    const closed = chat
      .release()
      .catch(onError)
      .finally(() => this.closingById.delete(chat.id));
    this.closingById.set(chat.id, closed);
  }

  /** Resolves when the conversations, or this one, are closed that were about to be. Never rejects. */
  async whenClosed(id?: string): Promise<void> {
    await (id === undefined ? Promise.all(this.closingById.values()) : this.closingById.get(id));
  }

  /** Closes a conversation for another window. Resolves when it is closed. @throws ChatError `busy` */
  async closeForOther(id: string): Promise<void> {
    const chat = this.deps.chats.get(id);
    if (chat?.isIdleWriter === true) {
      await chat.whenUnused();
      if (this.deps.chats.get(id) === chat) this.close(chat);
    }
    await this.whenClosed(id);
  }

  private checkAll(): void {
    const all = new Set(this.deps.chats.values());
    for (const known of this.idleCheckCounts.keys()) if (!all.has(known)) this.idleCheckCounts.delete(known);
    for (const one of all) {
      const times = one.canClose ? (this.idleCheckCounts.get(one) ?? 0) + 1 : 0;
      this.idleCheckCounts.set(one, times);
      if (times >= checksBeforeClose) this.close(one);
    }
  }
}
