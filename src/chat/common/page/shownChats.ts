import type { Chat } from '../chatPorts';

/** Tracks which conversations are visible on the pages of the window. */
export class ShownChats {
  private readonly byPage = new Map<object, Chat>();

  /** Sets the conversation that a page shows; undefined if the page is hidden, closed or empty. */
  set(page: object, chat: Chat | undefined): void {
    const before = this.byPage.get(page);
    if (before === chat) return;
    if (chat) this.byPage.set(page, chat);
    else this.byPage.delete(page);
    if (before) before.isShown = this.has(before.id);
    if (chat) chat.isShown = true;
  }

  has(sessionId: string): boolean {
    return [...this.byPage.values()].some(({ id }) => id === sessionId);
  }
}
