import type { Chat } from '../chatPorts';

/** Tracks which conversations the pages of the window show, and which of them the user sees. */
export class ShownChats {
  private readonly chatByPage = new Map<object, Chat>();
  private isFocused = true;

  /** Whether the window has the focus. */
  get isWindowFocused(): boolean {
    return this.isFocused;
  }

  set isWindowFocused(isFocused: boolean) {
    this.isFocused = isFocused;
    for (const chat of this.chatByPage.values()) this.update(chat);
  }

  /** Sets the conversation that a page shows. Undefined if the page is hidden, closed or empty. */
  setShown(page: object, chat: Chat | undefined): void {
    const before = this.chatByPage.get(page);
    if (before === chat) return;
    if (chat) this.chatByPage.set(page, chat);
    else this.chatByPage.delete(page);
    if (before) this.update(before);
    if (chat) this.update(chat);
  }

  /** Whether a visible page shows the conversation. */
  has(sessionId: string): boolean {
    return [...this.chatByPage.values()].some(({ id }) => id === sessionId);
  }

  private update(chat: Chat): void {
    const shown = this.isFocused ? 'seen' : 'shown';
    chat.setVisibility(this.has(chat.id) ? shown : 'hidden');
  }
}
