import type { WriterSession, WriteObserver } from '../../../editor/common/writeObserver';
import { beginCommandIn } from '../changes/changeAuthors';
import type { ChatSession } from '../conversation/chatSession';

/** Tells the open conversations what their agents write and run. */
export class ChatsWriteObserver implements WriteObserver {
  constructor(private readonly listChats: () => Iterable<ChatSession>) {}

  readonly beforeWrite = async (writer: WriterSession, path: string): Promise<void> => {
    for (const chat of this.chatsOf(writer)) await chat.journal.beforeWrite(path);
  };

  readonly afterWrite = async (writer: WriterSession, path: string, replaced?: string): Promise<void> => {
    for (const chat of this.chatsOf(writer)) await chat.journal.afterWrite(path, replaced);
  };

  readonly afterFailedWrite = async (writer: WriterSession, path: string): Promise<void> => {
    for (const chat of this.chatsOf(writer)) await chat.journal.afterFailedWrite(path);
  };

  readonly beginCommand = (writer: WriterSession): (() => void) => beginCommandIn(this.chatsOf(writer));

  private chatsOf({ backendId, sessionId }: WriterSession): ChatSession[] {
    return [...this.listChats()].filter((chat) => chat.backendId === backendId && chat.backendSessionId === sessionId);
  }
}
