import type { Chat } from '../chatPorts';

/** Tracks which conversations the pages of the window show. */
export class ShownChats {
  private readonly chatByPage = new Map<object, Chat>();

  /** Sets the conversation that a page shows. Undefined if the page is hidden, closed or empty. */
  setShown(page: object, chat: Chat | undefined): void {
    const before = this.chatByPage.get(page);
    if (before === chat) return;
    if (chat) this.chatByPage.set(page, chat);
    else this.chatByPage.delete(page);
    if (before) before.isShown = this.has(before.id);
    if (chat) chat.isShown = true;
  }

  has(sessionId: string): boolean {
    return [...this.chatByPage.values()].some(({ id }) => id === sessionId);
  }
}
