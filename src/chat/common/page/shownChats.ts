import type { Chat } from '../chatPorts';

/** Which conversations someone looks at, on any page of the window. */
export class ShownChats {
  private readonly byPage = new Map<object, Chat>();

  /** What a page shows now; undefined when it is hidden, gone, or shows none. */
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
