import { userMessageOf } from '../../../base/common/errors';
import type { Chat, Chats } from '../chatPorts';
import { chatMarks, type ChatMarks } from './chatMarks';

interface MarkedChatsDeps {
  readonly chats: Pick<Chats, 'open' | 'rows'>;
  /** Shows the conversation, and its approval if it still waits. */
  readonly reveal: (chat: Chat) => Promise<void>;
  /** Shows a conversation in the other window that runs it. @throws ChatError */
  readonly goToWindow: (sessionId: string) => Promise<void>;
  /** Returns the id of the conversation on the page that has the focus. */
  readonly focusedChat: () => string | undefined;
  readonly messages: { info(text: string): void; error(text: string): void };
  /** Called when the marks have changed although no conversation has. */
  readonly onDidChange: () => void;
}

/** The marks of the conversations of a window, and the way to them. */
export class MarkedChats {
  /**
   * When the conversations that could not be opened were updated last. Nothing of them is marked until something new happens,
   * because the user cannot see them and so cannot clear their marks.
   */
  private readonly unopened = new Map<string, number>();

  constructor(private readonly deps: MarkedChatsDeps) {}

  get marks(): ChatMarks {
    return chatMarks(this.deps.chats.rows.filter(({ id, updatedAt }) => this.unopened.get(id) !== updatedAt));
  }

  /** Shows a conversation. Reports to the user if it can't be opened, and removes its mark. Never rejects. */
  async show(sessionId: string): Promise<void> {
    const { chats, goToWindow, messages, onDidChange, reveal } = this.deps;
    const row = chats.rows.find(({ id }) => id === sessionId);
    try {
      // Only approvals can be answered in each window.
      if (row?.isInOtherWindow === true && row.need && row.need.kind !== 'approval') await goToWindow(sessionId);
      else await reveal(await chats.open(sessionId));
      this.unopened.delete(sessionId);
    } catch (error) {
      // It may have been deleted in the meantime.
      messages.error(userMessageOf(error));
      if (row) this.unopened.set(sessionId, row.updatedAt);
      onDidChange();
    }
  }

  /**
   * Shows the conversation that needs the user most, or the next one if the user is in one of them. Never rejects.
   */
  async showNext(): Promise<void> {
    const { calling } = this.marks;
    const next = calling[(calling.indexOf(this.deps.focusedChat() ?? '') + 1) % calling.length];
    if (next === undefined) this.deps.messages.info('No conversation needs attention.');
    else await this.show(next);
  }
}
